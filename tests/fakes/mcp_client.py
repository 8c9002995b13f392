"""Magpie's server as a real process, with the SDK's own client or with bare pipes and requests."""

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from chatbot.config import CHECKOUT

MAIN = str(CHECKOUT / "main.py")
PATIENCE = 60.0


def environment(data: Path, **settings: str) -> dict[str, str]:
    """What a server on this data folder is told; it is not to find the user's configuration."""
    home = {"HOME": str(data), "XDG_CONFIG_HOME": str(data / "config"), "PATH": "/usr/bin:/bin"}
    return home | {"MAGPIE_DATA_DIR": str(data)} | settings


@asynccontextmanager
async def connected(data: Path, *arguments: str, **settings: str) -> AsyncIterator[Client]:
    """A client of a server over standard input and output; what the server says beside that is in `stderr`."""
    server = StdioServerParameters(
        command=sys.executable, args=[MAIN, *(arguments or ("mcp",))], env=environment(data, **settings), cwd=data
    )
    with (data / "stderr").open("w") as aside:
        async with Client(stdio_client(server, errlog=aside), read_timeout_seconds=PATIENCE) as client:
            yield client


async def started(data: Path, *arguments: str, python: tuple[str, ...] = (), **settings: str) -> Process:
    """The bare process."""
    return await asyncio.create_subprocess_exec(
        *(sys.executable, *python, MAIN, *arguments),
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        env=environment(data, **settings),
        cwd=data,
        start_new_session=True,
    )


@asynccontextmanager
async def over_http(data: Path, *arguments: str, **settings: str) -> AsyncIterator[str]:
    """A server over HTTP on any free port; its address. It is told to end afterwards, and must do so well.

    Without options of its own it asks for no token.
    """
    process = await started(data, "mcp", "--http", "--port", "0", *(arguments or ("--no-token",)), **settings)
    try:
        assert process.stderr is not None
        line = (await asyncio.wait_for(process.stderr.readline(), PATIENCE)).decode().strip()
        assert line.startswith("Magpie serves http://"), line
        yield line.removeprefix("Magpie serves ").partition(" to clients ")[0]
        process.terminate()
        out, aside = await asyncio.wait_for(process.communicate(), PATIENCE)
        assert (process.returncode, out, aside) == (0, b"", b"")
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def left_over(process: Process) -> list[str]:
    """The processes that a process which has ended has left in its group."""
    groups = [Path(entry, "stat") for entry in Path("/proc").glob("[0-9]*")]
    found: list[str] = []
    for stat in groups:
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[2] == str(process.pid):
            found.append(stat.parent.name)
    return found


def text_of(result: Any) -> str:
    """The words of a result."""
    [content] = result.content
    return str(content.text)

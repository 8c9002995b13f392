"""The protocol over standard input and output, which nothing else in the process may touch."""

import asyncio
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, cast

import anyio
from mcp.server import Server
from mcp.server.stdio import stdio_server


class Lines:
    """The lines of a descriptor as they come.

    They are read by a thread that nothing waits for: the SDK's own cannot be interrupted while it waits for a line, and
    SIGTERM would not end the process before its input does.
    """

    def __init__(self, descriptor: int) -> None:
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._read_lines, args=(descriptor,), daemon=True).start()

    def _read_lines(self, descriptor: int) -> None:
        # A RuntimeError says that the loop is closed: nobody listens any more.
        with suppress(RuntimeError, OSError):
            with os.fdopen(descriptor, encoding="utf-8", errors="replace", closefd=False) as file:
                for line in file:
                    self._loop.call_soon_threadsafe(self._lines.put_nowait, line)
            self._loop.call_soon_threadsafe(self._lines.put_nowait, None)

    def __aiter__(self) -> "Lines":
        return self

    async def __anext__(self) -> str:
        line = await self._lines.get()
        if line is None:
            raise StopAsyncIteration
        return line


@contextmanager
def taken_input() -> Iterator[Lines]:
    """Standard input's lines; processes that are started meanwhile find it empty."""
    descriptor = sys.stdin.fileno()
    own = os.dup(descriptor)
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), descriptor)
    yield Lines(own)


async def serve_stdio(server: Server[Any]) -> None:
    """Serve one client until standard input ends; standard output leads to standard error for all but the protocol."""
    try:
        with taken_input() as lines:
            async with stdio_server(cast("anyio.AsyncFile[str]", lines)) as (read, write):
                await server.run(read, write, server.create_initialization_options())
    except* BrokenPipeError:
        # Whoever read us has gone: that is an end as well, and nothing is left to say, to nobody.
        pass

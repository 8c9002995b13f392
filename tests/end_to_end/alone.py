"""Every command in a network of its own that leads nowhere, watched: which names it asks for, and where it connects to.

    seen = await walk(folder, exports)

Run as a module it is what runs inside; the name server that it is told of is nobody, on this machine.
"""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from asyncio.subprocess import PIPE, STDOUT
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fakes.observer import addresses_in, names_in, watched
from tests.fakes.ollama import FakeOllama, Turn
from tests.fakes.terminal import ROOT, Terminal

CHATTED, SERVED = 60.0, 25.0
"""Seconds for which a chat and a server stay: what reports does so after a while."""
PATIENCE = 300.0
NAME_SERVER = ("127.0.0.1", 53)
OPENED = "http://pub.test/"
ALONE = ("unshare", "-nmp", "--fork", "--mount-proc", "--kill-child")
_INSIDE = """
ip link set lo up
printf 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n' > "$1/resolv.conf"
mount --bind "$1/resolv.conf" /etc/resolv.conf
shift
exec "$@"
"""
_GOOD = Path(__file__).parents[1] / "fakes" / "mcp_server.py"
_CALLS = (
    ("web_search", {"query": "heron"}),
    ("news_search", {"query": "heron"}),
    ("fetch_url_content", {"url": OPENED}),
    ("search_vector_db", {"query": "heron"}),
    ("weather_shout", {"text": "heron"}),
)
STEPS: dict[str, tuple[str, ...]] = {
    "--version": ("--version",),
    "--prepare": ("--prepare",),
    "mcp approve": ("mcp", "approve", "weather"),
    "rag ingest": ("rag", "ingest", "notes"),
    "rag search": ("rag", "search", "nests"),
    "rag ask": ("rag", "ask", "What are nests made of?"),
    "rag stats": ("rag", "stats"),
    "rag collections": ("rag", "collections"),
    "rag doctor": ("rag", "doctor"),
    "rag rebuild": ("rag", "rebuild"),
    "rag serve": ("rag", "serve"),
    "rag remove": ("rag", "remove", "notes/magpie.md"),
    "a question": (f"What do public words say of the heron? See {OPENED}",),
    "a question offline": ("--offline", f"What do public words say of the heron? See {OPENED}"),
}
"""What is run one after the other, by its name."""


@dataclass(frozen=True)
class Seen:
    """What was seen of a command: how it ended, what it said, names that it asked for, and where it connected to."""

    code: int
    said: str
    names: frozenset[str]
    connected: frozenset[tuple[str, int]]


def why_not() -> str:
    """Why no network of its own can be had here; empty where it can."""
    if not shutil.which("unshare") or not shutil.which("ip"):
        return "unshare and ip, which make a network namespace, are not installed"
    tried = subprocess.run([*ALONE, "true"], capture_output=True, text=True, check=False)
    return f"no network namespace may be made here: {tried.stderr.strip()}" if tried.returncode else ""


async def walk(folder: Path, data: Path) -> dict[str, Seen]:
    """Each step, a chat and a server on copies of a data folder; the home of all of them is `folder`/home."""
    process = await asyncio.create_subprocess_exec(
        *(*ALONE, "bash", "-c", _INSIDE, "bash", str(folder)),
        *(sys.executable, "-m", "tests.end_to_end.alone", str(folder), str(data)),
        stdout=PIPE,
        stderr=PIPE,
        cwd=ROOT,
        start_new_session=True,
    )
    try:
        said, trouble = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
    if process.returncode:
        raise RuntimeError(trouble.decode())
    return {
        name: Seen(code, text, frozenset(names), frozenset((host, port) for host, port in connected))
        for name, (code, text, names, connected) in json.loads(said).items()
    }


class Walk:
    """The commands, inside."""

    def __init__(self, folder: Path, data: Path) -> None:
        self.folder, self.data = folder, data
        self.seen: dict[str, tuple[int, str, list[str], list[tuple[str, int]]]] = {}
        self.environment = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ} | {
            "HOME": str(folder / "home"),
            "PYTHONPATH": str(ROOT),
        }

    def command(self, name: str, lane: str, arguments: Sequence[str], server: FakeOllama) -> list[str]:
        """The command under observation, with a data folder of its lane; what was said so far is forgotten."""
        place, home = self.folder / lane, self.folder / lane / "config.json"
        if not place.exists():
            shutil.copytree(self.data, place / "data")
            (place / "notes").mkdir()
            (place / "notes" / "magpie.md").write_text("# Nests\n\nMagpies build domed nests of twigs.\n")
            servers = {"weather": {"command": sys.executable, "args": [str(_GOOD)], "allow": ["shout"]}}
            (place / "mcp.json").write_text(json.dumps({"mcpServers": servers}))
        told = {"data_dir": str(place / "data"), "backend": "ollama", "model": "qwen3:8b"}
        home.write_text(json.dumps(told | {"ollama": {"host": server.url}, "approval": "allow"}))
        config = () if name == "--version" else ("--config", str(home))
        return watched([sys.executable, str(ROOT / "main.py"), *arguments, *config], self.log(name))

    def log(self, name: str) -> Path:
        """Where the calls of a command are written."""
        return self.folder / f"{name.replace(' ', '-')}.log"

    def note(self, name: str, code: int, said: str, server: FakeOllama) -> None:
        """Keep what was seen, but for the model's server."""
        host, _, port = server.url.rpartition("//")[2].rpartition(":")
        away = addresses_in(self.log(name)) - {(host, int(port))}
        self.seen[name] = (code, said, sorted(names_in(self.log(name))), sorted(away))

    async def steps(self) -> None:
        """What is run one after the other."""
        async with FakeOllama() as server:
            server.warming = True
            for name, arguments in STEPS.items():
                calls = [Turn(calls=(call,)) for call in _CALLS] if name.startswith("a question") else []
                server.replies = [*calls, *[Turn("Yes.")] * 5]
                process = await asyncio.create_subprocess_exec(
                    *self.command(name, "steps", arguments, server),
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=PIPE,
                    stderr=STDOUT,
                    env=self.environment,
                    cwd=self.folder / "steps",
                )
                said, _ = await process.communicate()
                self.note(name, process.returncode or 0, said.decode(), server)

    async def serve(self, name: str, *arguments: str, seconds: float = SERVED) -> None:
        """A server that is asked once over standard input, and stays for a while."""
        async with FakeOllama() as server:
            process = await asyncio.create_subprocess_exec(
                *self.command(name, name.replace(" ", "-"), arguments, server),
                stdin=PIPE,
                stdout=PIPE,
                stderr=STDOUT,
                env=self.environment,
            )
            about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
            notes = str(self.folder / name.replace(" ", "-") / "notes")
            index = {"name": "index_source", "arguments": {"source": notes}}
            messages: list[dict[str, Any]] = [
                {"id": 1, "method": "initialize", "params": about},
                {"method": "notifications/initialized"},
                {"id": 2, "method": "tools/call", "params": index},
            ]
            assert process.stdin and process.stdout
            if "--http" not in arguments:
                for message in messages:
                    process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            await asyncio.sleep(seconds)
            if "--http" in arguments:
                # What is watched, not who watches.
                [child] = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
                os.kill(int(child), signal.SIGTERM)
            process.stdin.close()
            said = await process.stdout.read()
            self.note(name, await process.wait(), said.decode(), server)

    async def chat(self) -> None:
        """A chat on a terminal."""
        began = time.monotonic()
        async with FakeOllama([Turn("Yes, of twigs.")] * 5) as server:
            server.warming = True
            command = self.command("a chat", "chat", (), server)

            def talk() -> tuple[int, str]:
                run = ["-c", "import os, sys; os.execvp(sys.argv[1], sys.argv[1:])", *command]
                terminal = Terminal(run, self.folder / "home")
                terminal.wait_for("›", patience=100)
                for line, shown in (
                    (f"/rag-index {self.folder / 'chat' / 'notes'}", "Indexed 1 document"),
                    ("Are nests made of twigs?", "of twigs."),
                    ("/mcp", "weather"),
                    ("/help", "/export"),
                ):
                    terminal.type(f"{line}\r")
                    terminal.wait_for(shown, patience=100)
                while time.monotonic() - began < CHATTED:
                    time.sleep(0.5)
                terminal.type("\x04")
                return terminal.wait_for_end(), "\n".join(terminal.lines)

            self.note("a chat", *(await asyncio.to_thread(talk)), server)


async def inside(folder: Path, data: Path) -> Walk:
    """Everything at once, as far as it can be."""
    (folder / "home").mkdir()
    walked = Walk(folder, data)
    offline = ("--set", "offline=true")
    async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as all_:
        for lane in (walked.steps(), walked.chat(), walked.serve("mcp", "mcp", *offline)):
            all_.create_task(lane)
        all_.create_task(walked.serve("mcp over HTTP", "mcp", "--http", "--port", "0"))
    return walked


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asyncio.run(inside(Path(sys.argv[1]), Path(sys.argv[2]))).seen) + "\n")

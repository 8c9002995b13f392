"""Commands in a network of its own that leads nowhere, watched: which names they ask for, and where they connect to.

    seen = await walk(folder, data, "tests.end_to_end.alone_commands")

Run as a module, those are what runs inside. There is a web site, a proxy and a server of tools on this machine, all of
them fakes; the name server that is told of is nobody.
"""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE, STDOUT, Process
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chatbot.models.openai.discovery import KNOWN_PORTS
from tests.fakes.documents import seeds
from tests.fakes.observer import addresses_in, names_in, sockets_in, watched
from tests.fakes.ollama import FakeOllama, Turn
from tests.fakes.places import FAKES, ROOT
from tests.fakes.proxy import FakeProxy
from tests.fakes.site import Site
from tests.fakes.terminal import Terminal
from tests.tools.mcp_client.connection.test_http import free_port, serving

LONG = bool(os.environ.get("ATTACK"))
"""`make attack` sets it: what reports does so after a while."""
CHATTED, SERVED = (60.0, 25.0) if LONG else (15.0, 10.0)
"""Seconds for which a chat and a server stay."""
PATIENCE, ANSWERING = 1500.0, 300.0
"""Seconds for all of it, and for one answer, on a machine that has other things to do."""
MOST_ASKED = 99
"""Replies of the model to one command: a probe and a comparison of models ask some dozens of questions."""
NAME_SERVER = ("127.0.0.1", 53)
ALONE = ("unshare", "-nmp", "--fork", "--mount-proc", "--kill-child")
_INSIDE = """
ip link set lo up
printf 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n' > "$1/resolv.conf"
mount --bind "$1/resolv.conf" /etc/resolv.conf
shift
exec "$@"
"""
_GOOD = FAKES / "mcp_server.py"
_NOTES = "# Nests\n\nMagpies build domed nests of twigs.\n\n# Herons\n\nHerons build flat nests high up in trees.\n"

Turns = Sequence[tuple[str, dict[str, Any]]]


@dataclass(frozen=True)
class Step:
    """A command: what it says if it does what it is for, and which names and places it has business with.

    Placeholders for what is only known inside stand in braces: see `Walk.known`.
    """

    arguments: tuple[str, ...]
    says: str = ""
    names: frozenset[str] = frozenset()
    places: frozenset[str] = frozenset()
    """Of `site`, `proxy`, `tools` and `itself`, a port of its own on this machine; the model's server is for all."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    calls: Turns = ()
    """Tools that the model calls."""
    code: int = 0


@dataclass(frozen=True)
class Seen:
    """What was seen of a command: how it ended, what it said, names that it asked for, and where it connected to."""

    code: int
    said: str
    names: frozenset[str]
    places: frozenset[str]


def why_not() -> str:
    """Why no network of its own can be had here; empty where it can."""
    if not shutil.which("unshare") or not shutil.which("ip"):
        return "unshare and ip, which make a network namespace, are not installed"
    tried = subprocess.run([*ALONE, "true"], capture_output=True, text=True, check=False)
    return f"no network namespace may be made here: {tried.stderr.strip()}" if tried.returncode else ""


async def walk(folder: Path, data: Path, module: str) -> dict[str, Seen]:
    """What a module runs, on copies of a data folder; the home of all of it is `folder`/home."""
    process = await asyncio.create_subprocess_exec(
        *(*ALONE, "bash", "-c", _INSIDE, "bash", str(folder)),
        *(sys.executable, "-m", module, str(folder), str(data)),
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
        name: Seen(code, text, frozenset(names), frozenset(places))
        for name, (code, text, names, places) in json.loads(said).items()
    }


class Walk:
    """The commands, inside."""

    def __init__(self, folder: Path, data: Path) -> None:
        self.folder, self.data = folder, data
        self.seen: dict[str, tuple[int, str, list[str], list[str]]] = {}
        self.places = {NAME_SERVER: "name server"}
        self.known: dict[str, str] = {"folder": str(folder)}
        """What placeholders stand for."""
        self.environment = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ} | {
            "HOME": str(folder / "home"),
            "TMPDIR": str(folder / "tmp"),
            "PYTHONPATH": str(ROOT),
        }

    @asynccontextmanager
    async def surroundings(self) -> AsyncIterator[None]:
        """Everything on this machine that a command can be told of."""
        (self.folder / "home").mkdir()
        (self.folder / "tmp").mkdir()
        tools = free_port()
        async with Site() as site, FakeProxy(site.host) as proxy, serving("streamable-http", tools):
            self.known |= {"site": site.host, "proxy": proxy.host, "tools": f"127.0.0.1:{tools}"}
            self.places |= {_place(self.known[name]): name for name in ("site", "proxy", "tools")}
            self.places |= {("127.0.0.1", port): "model servers" for port in KNOWN_PORTS}
            yield

    @asynccontextmanager
    async def model_server(self, **said: Any) -> AsyncIterator[FakeOllama]:
        """The model's server of a lane; once it is gone its port may be another's."""
        async with FakeOllama(**said) as server:
            place = _place(server.url.rpartition("//")[2])
            self.places[place] = "model"
            try:
                yield server
            finally:
                del self.places[place]

    def lane(self, name: str) -> Path:
        """A folder with its own copy of the data, some notes, a file of each format, and a file of MCP servers."""
        place = self.folder / name
        if not place.exists():
            shutil.copytree(self.data, place / "data")
            (place / "notes").mkdir()
            (place / "notes" / "magpie.md").write_text(_NOTES)
            (place / "kinds").mkdir()
            for file, content in seeds().items():
                (place / "kinds" / file).write_bytes(content)
            near = {"weather": {"command": sys.executable, "args": [str(_GOOD)], "allow": ["shout"]}}
            far = {"far": {"url": f"http://{self.known['tools']}/mcp", "allow": ["shout"]}}
            (place / "mcp.json").write_text(json.dumps({"mcpServers": near}))
            (place / "far.json").write_text(json.dumps({"mcpServers": far}))
        return place

    def command(self, name: str, lane: str, step: Step, server: FakeOllama) -> list[str]:
        """The command under observation, configured as its step says."""
        place = self.lane(lane)
        config = place / "config.json"
        told = {"data_dir": str(place / "data"), "approval": "allow", "backend": "ollama", "model": "qwen3:8b"}
        config.write_text(self.filled(json.dumps(told | {"ollama": {"host": server.url}} | dict(step.settings)), place))
        arguments = [self.filled(argument, place) for argument in step.arguments]
        # These two read no configuration.
        own = [] if {"--help", "--version"} & set(arguments) else ["--config", str(config)]
        return watched([sys.executable, str(ROOT / "main.py"), *arguments, *own], self.log(name))

    def filled(self, text: str, place: Path) -> str:
        """With what its placeholders stand for."""
        for name, value in {**self.known, "place": str(place)}.items():
            text = text.replace(f"{{{name}}}", value)
        return text

    def log(self, name: str) -> Path:
        """Where the calls of a command are written."""
        return self.folder / f"{name.replace(' ', '-')}.log"

    def note(self, name: str, code: int, said: str) -> None:
        """Keep what was seen."""
        log = self.log(name)
        away = {self.places.get(one) or _unknown(one) for one in addresses_in(log)}
        self.seen[name] = (code, said, sorted(names_in(log)), sorted(away | sockets_in(log)))

    async def started(self, name: str, lane: str, step: Step, server: FakeOllama, stdin: int = DEVNULL) -> Process:
        """The process of a command."""
        return await asyncio.create_subprocess_exec(
            *self.command(name, lane, step, server),
            stdin=stdin,
            stdout=PIPE,
            stderr=STDOUT,
            env=self.environment,
            cwd=self.folder / lane,
            limit=1 << 24,
        )

    async def steps(self, lane: str, steps: Mapping[str, Step]) -> None:
        """What is run one after the other."""
        async with self.model_server() as server:
            server.warming = True
            for name, step in steps.items():
                server.replies = [*(Turn(calls=(call,)) for call in step.calls), *[Turn("Yes.")] * MOST_ASKED]
                process = await self.started(name, lane, step, server)
                said, _ = await process.communicate()
                self.note(name, process.returncode or 0, said.decode())


def run_inside(make: Callable[[Walk], Sequence[Coroutine[Any, Any, None]]]) -> None:
    """Run lanes at once, as far as they can be, and print what was seen; for a module that runs inside."""

    async def run(walked: Walk) -> None:
        async with asyncio.timeout(PATIENCE), walked.surroundings(), asyncio.TaskGroup() as all_:
            for lane in make(walked):
                all_.create_task(lane)

    walked = Walk(Path(sys.argv[1]), Path(sys.argv[2]))
    asyncio.run(run(walked))
    sys.stdout.write(json.dumps(walked.seen) + "\n")


async def talk(walked: Walk, name: str, command: Sequence[str], typed: Sequence[tuple[str, str]]) -> None:
    """A chat on a terminal that stays for a while: what is typed, and what each line shows."""

    def talked() -> tuple[int, str]:
        began = time.monotonic()
        run = ["-c", "import os, sys; os.execvp(sys.argv[1], sys.argv[1:])", *command]
        terminal = Terminal(run, walked.folder / "home", 120, 40, TMPDIR=str(walked.folder / "tmp"))
        try:
            terminal.wait_for("›", patience=ANSWERING)
            for line, shown in typed:
                before = "\n".join(terminal.lines).count(shown)
                terminal.type(f"{line}\r")
                terminal.wait_for(shown, before + 1 + line.count(shown), patience=ANSWERING)
            # Out of whatever fills the screen; what follows at once would be taken for a key with Alt.
            terminal.type("\x1b")
            time.sleep(1)
            while time.monotonic() - began < CHATTED:
                time.sleep(0.5)
            terminal.type("\x15/quit\r")
            return terminal.wait_for_end(), "\n".join(terminal.lines)
        except AssertionError as error:
            return 1, str(error)
        finally:
            terminal.child.close(force=True)

    walked.note(name, *(await asyncio.to_thread(talked)))


def watched_by(process: Process) -> int:
    """The process that is watched, not the one that watches."""
    with suppress(ValueError, OSError):
        [child] = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        return int(child)
    return process.pid


def _place(host: str) -> tuple[str, int]:
    name, _, port = host.rpartition(":")
    return name, int(port)


def _unknown(place: tuple[str, int]) -> str:
    return "itself" if place[0] in {"127.0.0.1", "::1"} else f"{place[0]}:{place[1]}"

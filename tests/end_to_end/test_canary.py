"""A secret of the environment is planted, and everything that a question leaves behind is searched for it."""

import asyncio
import base64
import json
import os
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.end_to_end.test_answers import LIGHTHOUSE, SEARCH
from tests.fakes.ollama import FakeOllama, Turn
from tests.fakes.places import ROOT
from tests.fakes.site import Site
from utils.children import child_environment
from utils.network.telemetry import SWITCHES

CANARY = "canary-9Kx27Qm4Tz81"


def descendants(of: int, parents: dict[int, int]) -> list[Path]:
    """The folders in /proc of all processes that one has started; `parents` is what was read of them before."""
    running = {int(folder.name) for folder in Path("/proc").glob("[0-9]*")}
    for gone in parents.keys() - running:
        del parents[gone]
    # Whose parent has ended has another one.
    for number in [one for one in running if parents.get(one) not in running]:
        with suppress(OSError):
            stat = Path(f"/proc/{number}/stat").read_text()
            parents[number] = int(stat.rpartition(")")[2].split()[1])
    found = {of}
    for _ in parents:
        more = {child for child, parent in parents.items() if parent in found} - found
        if not more:
            break
        found |= more
    return [Path("/proc") / str(number) for number in found - {of}]


async def watch(process: asyncio.subprocess.Process, seen: dict[str, bytes]) -> None:
    """Remember what each child's command and environment are.

    One that has not begun its own program yet is a copy of its parent, for a moment, and one that is just beginning it
    has no command, but may have an environment by the time that is read: each is seen when it has begun.
    """
    own = (Path("/proc") / str(process.pid) / "cmdline").read_bytes()
    parents: dict[int, int] = {}
    while process.returncode is None:
        for folder in descendants(process.pid, parents):
            try:
                command, environment = (folder / "cmdline").read_bytes(), (folder / "environ").read_bytes()
            except OSError:
                continue
            if command not in (b"", own):
                seen[command.decode()] = environment
        await asyncio.sleep(0.02)


async def test_a_secret_of_the_environment_is_nowhere_afterwards(tmp_path: Path) -> None:
    if not Path("/proc/self/environ").exists():
        pytest.skip("the environment of other processes cannot be read here")
    sending = ("web_search", {"query": f"Gull Point {CANARY}"})
    replies = [Turn(calls=(SEARCH,)), Turn(calls=(sending,)), Turn("It is 142 steps [1].")]
    async with Site() as site, FakeOllama(replies) as server:
        server.warming = True
        settings = {
            "data_dir": str(tmp_path / "data"),
            "backend": "ollama",
            "model": "qwen3:8b",
            "verbose": True,
            "ollama": {"host": server.url},
            "search": {"searxng_url": site.searxng_url, "engines": [], "news_engines": []},
            "fetch": {"allow_hosts": [site.host]},
        }
        (tmp_path / "config.json").write_text(json.dumps(settings))
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, str(ROOT / "main.py"), "--config", str(tmp_path / "config.json"), "--json", LIGHTHOUSE),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(ROOT), "BANK_TOKEN": CANARY},
        )
        seen: dict[str, bytes] = {}
        watching = asyncio.create_task(watch(process, seen))
        said, aside = await process.communicate()
        await watching
        told = json.dumps([chat["messages"][0] for chat in server.chats])
        queries = " ".join(site.queries)
    assert b"142 steps" in said
    assert any("rag.readers.process.worker" in command for command in seen)
    everything = [path for path in (tmp_path / "data").rglob("*") if not path.is_socket()]
    assert [str(path) for path in everything if path.stat().st_mode & 0o077] == []
    kept = {str(path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert any(path.endswith("magpie.log") for path in kept)
    # The model said it, and what it says is kept; nothing else may have it.
    of_the_model = ("sessions.db", "sessions.db-wal")
    kept = {path: text for path, text in kept.items() if not path.endswith(of_the_model)}
    everywhere = {**kept, **{f"environment of {command}": text for command, text in seen.items()}}
    everywhere |= {"standard error": aside, "the model's instructions": told.encode(), "queries": queries.encode()}
    forms = (CANARY.encode(), base64.b64encode(CANARY.encode()), CANARY.encode().hex().encode())
    assert [place for place, text in everywhere.items() if any(form in text for form in forms)] == []


def test_a_child_is_given_what_it_needs_and_no_more() -> None:
    given = {"PATH": "/bin", "LC_ALL": "C", "OMP_NUM_THREADS": "4", "BANK_TOKEN": CANARY, "PYTHONPATH": "/mine"}
    assert child_environment("/root", {"OMP_NUM_THREADS": "1"}, given) == {
        "PATH": "/bin",
        "LC_ALL": "C",
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": f"/root{os.pathsep}/mine",
        **SWITCHES,
    }
    assert SWITCHES["ORT_DISABLE_TELEMETRY"] == "1"

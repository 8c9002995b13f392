"""`magpie rag watch`: what it prints, and how it ends."""

import asyncio
import io
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from chatbot.cli import parse_arguments, settings_from_options
from chatbot.config import load_configuration
from chatbot.frontends.library_cli.commands import work_of
from chatbot.frontends.library_cli.job import Job
from chatbot.frontends.library_cli.progress import ProgressLine
from rag.library import Library
from tests.fakes.embedder import WordEmbedder
from utils.errors import ConfigError


class Printed(io.StringIO):
    """What is printed, and when there is more."""

    def __init__(self, told: asyncio.Event) -> None:
        super().__init__()
        self._told = told

    def write(self, text: str) -> int:
        self._told.set()
        return super().write(text)


async def watched(
    tmp_path: Path, *argv: str, acts: list[tuple[str, Callable[[], object]]], ends: str
) -> tuple[int, str, str]:
    """Exit code, output and what was said beside it; each act is done once the words before it are printed."""
    arguments = parse_arguments(["rag", "watch", *argv])[1]
    decided = settings_from_options(arguments) | {"data_dir": str(tmp_path / "data")}
    config = load_configuration(options=decided, environment={"MAGPIE_CONFIG": ""}).values
    library, told = await Library.open(config.library_folder, config.rag, WordEmbedder()), asyncio.Event()
    out, aside = Printed(told), Printed(told)
    work = asyncio.ensure_future(work_of("watch")(Job(library, config, arguments, out, aside, ProgressLine(aside))))
    work.add_done_callback(lambda _: told.set())
    try:
        for words, act in [*acts, (ends, lambda: os.kill(os.getpid(), signal.SIGINT))]:
            async with asyncio.timeout(60):
                while words not in out.getvalue() + aside.getvalue() and not work.done():
                    await told.wait()
                    told.clear()
            if not work.done():
                act()
        return await work, out.getvalue(), aside.getvalue()
    finally:
        await library.close()


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "magpie.md").write_text("# Magpies\n\nMagpies build nests.")
    return folder


async def test_what_is_followed_is_told_in_a_line_each_and_interrupting_ends_it_well(
    tmp_path: Path, notes: Path
) -> None:
    acts = [
        ("1 new", lambda: (notes / "magpie.md").write_text("Magpies steal.")),
        ("1 changed", lambda: (notes / "broken.pdf").write_bytes(b"%PDF-1.7 ...")),
        ("1 not readable", lambda: (notes / "magpie.md").unlink()),
    ]
    code, out, aside = await watched(tmp_path, "notes", acts=acts, ends="1 removed")
    assert code == 0
    said = [line[10:].partition(" (")[0] for line in out.splitlines()]
    magpie = "notes/magpie.md"
    assert said == [f"1 new: {magpie}", f"1 changed: {magpie}", "1 not readable", f"1 removed: {magpie}"]
    assert aside.startswith("Watching notes; Ctrl-C ends it.\n")
    assert "Not readable: notes/broken.pdf\n    " in aside
    assert aside.endswith("No longer watching: 2 files read, 1 removed. The next start goes on from here.\n")


async def test_what_is_followed_is_told_as_json_to_programs(tmp_path: Path, notes: Path) -> None:
    code, out, _ = await watched(tmp_path, "notes", "--json", acts=[], ends="magpie.md")
    [told] = map(json.loads, out.splitlines())
    assert code == 0
    assert told["new"] == [str(notes / "magpie.md")]
    assert (told["changed"], told["removed"], told["failures"]) == ([], [], [])


async def test_what_is_no_folder_is_refused(tmp_path: Path, notes: Path) -> None:
    with pytest.raises(ConfigError, match="is no folder"):
        await watched(tmp_path, "none", acts=[], ends="never")

"""The log holds what Magpie did, a JSON object a line, and no secret."""

import json
import logging
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.base import Toolbox, ToolContext, tool
from utils.errors import ToolError
from utils.log import log_path, read_log, record_crash, start_log

SECRET = "sk-proj-4f9a8b7c6d5e4f9a8b7c"


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    start_log(tmp_path)
    yield tmp_path
    for handler in root.handlers:
        handler.close()
    root.handlers[:] = handlers
    root.setLevel(level)
    logging.captureWarnings(False)


async def weather(place: str) -> str:
    """Tell the weather.

    Args:
        place: Where.
    """
    if place == "Atlantis":
        raise ToolError("There is no such place.")
    return "Sunny."


async def test_every_call_is_logged_with_its_arguments_its_end_and_its_time(folder: Path) -> None:
    toolbox = Toolbox([tool(weather)])
    for place in ("Lisbon", "Atlantis"):
        await toolbox.execute("weather", {"place": place}, ToolContext("q"))
    entries = read_log(folder, 10)
    assert all(isinstance(entry.pop("seconds"), float) and entry.pop("time") for entry in entries)
    about = {"level": "info", "from": "magpie.tools", "event": "call", "tool": "weather"}
    assert entries == [
        about | {"arguments": '{"place": "Lisbon"}', "ok": True},
        about | {"arguments": '{"place": "Atlantis"}', "ok": False, "told": "There is no such place."},
    ]


def test_a_secret_is_only_hinted_at_wherever_it_stands(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BANK_PASSWORD", "correct horse battery")
    log = logging.getLogger("magpie.test")
    try:
        raise ValueError(f"no such key: {SECRET}")
    except ValueError as error:
        log.warning(f"failed with {SECRET}", exc_info=error, extra={"data": {"said": ["correct horse battery"]}})
        record_crash(folder, error)
    written = log_path(folder).read_text(encoding="utf-8")
    assert SECRET not in written and "correct horse" not in written
    assert written.count("sk-…") == 3


def test_the_log_is_its_owners_and_a_hostile_line_stays_one_line(folder: Path) -> None:
    logging.getLogger("magpie.test").warning('a\n{"event": "forged"}\u2028\x1b[2Jb')
    assert stat.S_IMODE(log_path(folder).stat().st_mode) == 0o600
    lines = log_path(folder).read_text(encoding="utf-8").split("\n")
    assert len(lines) == 2 and json.loads(lines[0])["event"].startswith("a\n")
    assert len(read_log(folder, 10)) == 1


def test_damaged_lines_are_passed_over_and_older_files_are_read(folder: Path) -> None:
    older = log_path(folder).with_suffix(".log.1")
    older.write_text('{"time": "2026-11-21T09:00:00+00:00", "event": "older"}\n{"ti', encoding="utf-8")
    logging.getLogger("magpie.test").info("newer")
    assert [entry["event"] for entry in read_log(folder, 10)] == ["older", "newer"]
    assert [entry["event"] for entry in read_log(folder, 1)] == ["newer"]
    assert read_log(folder, 0) == []

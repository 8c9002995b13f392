"""The log holds what Magpie did, a JSON object a line, and no secret."""

import json
import logging
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from chatbot.config import CHECKOUT
from tools.base import Toolbox, ToolContext, tool
from utils.errors import ToolError
from utils.log import LogFile, log_path, read_log, record_crash, start_log
from utils.secrets import learn_named

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


def own_handler() -> LogFile:
    [handler] = [handler for handler in logging.getLogger().handlers if isinstance(handler, LogFile)]
    return handler


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
        await toolbox.execute_call("weather", {"place": place}, ToolContext("q"))
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


@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_a_log_that_is_no_file_is_told_in_a_sentence_and_the_run_goes_on_without(tmp_path: Path, kind: str) -> None:
    path = log_path(tmp_path)
    os.mkfifo(path) if kind == "pipe" else path.mkdir()
    script = (
        "import logging, sys, pathlib; from utils.log import start_log; print(start_log(pathlib.Path(sys.argv[1])));"
        "logging.getLogger('magpie.test').warning('lost')"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    process = subprocess.run(command, capture_output=True, text=True, cwd=CHECKOUT, timeout=60)
    why = "is a directory" if kind == "folder" else "no such device or address"
    assert (process.returncode, process.stderr) == (0, "")
    assert process.stdout == f"Nothing is written to the log {path}: {why}.\n"


def test_a_line_that_cannot_be_made_is_told_in_the_log_and_nowhere_else(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # By the handler alone: pytest's own would raise.
    own_handler().handle(logging.LogRecord("magpie.test", logging.WARNING, "", 0, "%d", ("no number",), None))
    logging.getLogger("magpie.test").warning("after it")
    assert [entry["event"] for entry in read_log(folder, 10)] == ["a line is lost: TypeError", "after it"]
    assert capsys.readouterr().err == ""


def test_lines_that_find_no_room_leave_no_traceback_and_later_ones_are_kept(tmp_path: Path) -> None:
    script = (
        "import logging, sys, pathlib, resource; from utils.log import start_log; start_log(pathlib.Path(sys.argv[1]));"
        "log = logging.getLogger('magpie.test'); limits = resource.getrlimit(resource.RLIMIT_FSIZE);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1])); log.warning('lost');"
        "resource.setrlimit(resource.RLIMIT_FSIZE, limits); log.warning('kept')"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    process = subprocess.run(command, capture_output=True, text=True, cwd=CHECKOUT, timeout=60)
    assert (process.returncode, process.stderr) == (0, "")
    assert [entry["event"] for entry in read_log(tmp_path, 10)][-1] == "kept"


def test_of_a_long_traceback_the_end_is_kept_which_says_what_went_wrong(folder: Path) -> None:
    try:
        raise ValueError("nothing " * 4_000 + "and no nest at all")
    except ValueError as error:
        record_crash(folder, error)
    [entry] = read_log(folder, 1)
    told = str(entry["traceback"])
    assert told.endswith("and no nest at all\n") and len(told) <= 20_000


def test_where_a_long_traceback_is_cut_no_end_of_a_secret_is_left(folder: Path) -> None:
    learn_named({"TOKEN": "gorse-and-linnet-by-the-sea"})
    # What is hidden makes a text shorter: what stood behind the cut before is then in front of it.
    mails = "odile.renard+lighthouse@mail.example.org " * 500
    for place in range(21_900, 22_100):
        filler = mails + "x " * ((place - len(mails)) // 2)
        record_crash(folder, ValueError(f"{'nothing ' * 4_000}gorse-and-linnet-by-the-sea {filler}"))
    told = [str(entry["traceback"]) for entry in read_log(folder, 200)]
    assert len(told) == 200 and not any("by-the-sea" in one for one in told)

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from chatbot.cli import BUG, main, report_crash, settings_from_options
from chatbot.config import CHECKOUT, load_configuration
from chatbot.frontends.chat_arguments import make_parser
from chatbot.history.sessions import Sessions
from utils.errors import ConfigError


def magpie(*arguments: str, home: Path, question: str = "") -> subprocess.CompletedProcess[str]:
    """Run Magpie as a process with an empty home and no terminal."""
    environment = {"HOME": str(home), "XDG_DATA_HOME": str(home), "XDG_CONFIG_HOME": str(home), "PATH": "/usr/bin:/bin"}
    command = [sys.executable, "-X", "importtime", str(CHECKOUT / "main.py"), *arguments]
    return subprocess.run(command, input=question, capture_output=True, text=True, env=environment, timeout=60)


def said(process: subprocess.CompletedProcess[str]) -> list[str]:
    """Standard error without the interpreter's import times."""
    return [line for line in process.stderr.splitlines() if not line.startswith("import time:")]


def imported(process: subprocess.CompletedProcess[str]) -> set[str]:
    return {line.rpartition("|")[2].strip() for line in process.stderr.splitlines() if line.startswith("import time:")}


def test_the_version_is_told_without_importing_anything_large(tmp_path: Path) -> None:
    process = magpie("--version", home=tmp_path)
    assert (process.returncode, process.stdout) == (0, "magpie 0.1.0\n")
    assert imported(process) & {"asyncio", "pydantic", "rich", "prompt_toolkit", "numpy", "httpx", "torch"} == set()


def test_the_prompt_waits_for_nothing_that_a_prompt_does_not_need() -> None:
    code = (
        "import chatbot.config as c; c.load_configuration(); import chatbot.engine.startup, chatbot.frontends.terminal"
    )
    process = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", code], capture_output=True, text=True, cwd=CHECKOUT, timeout=60
    )
    unwanted = {"pydantic", "rich", "numpy", "httpx", "torch"}
    unwanted |= {"chatbot.turn.agent", "chatbot.conversation.events", "chatbot.commands"}
    unwanted |= {"chatbot.frontends.terminal.browsing.browser"}
    assert (process.returncode, imported(process) & unwanted) == (0, set())
    assert "prompt_toolkit" in imported(process)


def test_without_a_question_or_a_terminal_it_says_what_to_do(tmp_path: Path) -> None:
    process = magpie(home=tmp_path)
    assert (process.returncode, process.stdout) == (1, "")
    assert said(process) == ['There is no question and no terminal to ask it in. Try: magpie "your question"']


def test_an_input_without_end_is_refused(tmp_path: Path) -> None:
    process = magpie(home=tmp_path, question="x" * 33_000_000)
    assert (process.returncode, process.stdout) == (1, "")
    assert said(process) == ["Standard input is larger than 32,000,000 bytes. Send less of it."]


@pytest.mark.parametrize("kind", ["/dev/zero", "pipe", "."])
def test_a_configuration_that_is_no_file_is_one_sentence_and_exit_code_1(tmp_path: Path, kind: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    process = magpie("--config", str(tmp_path / kind), "hi", home=tmp_path)
    assert (process.returncode, process.stdout, len(said(process))) == (1, "", 1)
    assert "Mend it, or name another with --config." in said(process)[0]


def test_a_wrong_setting_is_one_sentence_and_exit_code_1(tmp_path: Path) -> None:
    process = magpie("--set", "rag.topk=3", "hi", home=tmp_path)
    assert (process.returncode, process.stdout) == (1, "")
    assert said(process) == ["There is no setting rag.topk (in environment or command line). Did you mean rag.top_k?"]


def test_a_missing_file_is_said_before_any_model_is_asked(tmp_path: Path) -> None:
    process = magpie("-f", str(tmp_path / "absent.txt"), "What is in it?", home=tmp_path)
    assert process.returncode == 1
    assert "absent.txt" in said(process)[0]
    assert imported(process) & {"torch", "chromadb", "xllamacpp"} == set()


async def test_a_server_that_is_not_there_is_said_once_and_leaves_no_conversation(tmp_path: Path) -> None:
    options = ["--set", "ollama.host=127.0.0.1:9", "--set", f"data_dir={tmp_path}", "-b", "ollama"]
    process = magpie(*options, "When does the ferry leave?", home=tmp_path)
    assert (process.returncode, process.stdout, len(said(process))) == (1, "", 1)
    assert said(process)[0].startswith("Ollama does not answer at http://127.0.0.1:9: ")
    sessions = await Sessions.open(tmp_path / "sessions.db")
    assert await sessions.list() == []
    await sessions.close()


def test_a_conversation_whose_name_is_no_text_is_one_that_there_is_not(tmp_path: Path) -> None:
    name = os.fsdecode(b"nest\xff")
    process = magpie("--resume", name, "hi", "--set", f"data_dir={tmp_path}", home=tmp_path)
    assert (process.returncode, process.stdout) == (1, "")
    assert said(process) == [r"No conversation is or has 'nest\udcff'. /history lists them."]


def test_a_data_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    process = magpie("--set", f"data_dir={tmp_path / 'file' / 'data'}", "hi", home=tmp_path)
    assert (process.returncode, process.stdout) == (1, "")
    assert said(process) == [
        f"The data folder {tmp_path / 'file' / 'data'} cannot be written: Not a directory. "
        "Name another with --set data_dir=FOLDER."
    ]


def test_warnings_of_all_parts_go_to_a_log_of_the_owners(tmp_path: Path) -> None:
    script = (
        "import logging, sys, pathlib; from utils.log import start_log; start_log(pathlib.Path(sys.argv[1]));"
        "logging.getLogger('rag.indexes.index_owner').warning('rebuilt'); logging.getLogger('httpx').info('noise')"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    process = subprocess.run(command, capture_output=True, text=True, cwd=CHECKOUT, timeout=60)
    assert (process.returncode, process.stderr) == (0, "")
    log = tmp_path / "magpie.log"
    entries = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert [(entry["level"], entry["from"], entry["event"]) for entry in entries] == [
        ("warning", "rag.indexes.index_owner", "rebuilt")
    ]
    assert log.stat().st_mode & 0o777 == 0o600


def test_options_become_dotted_settings() -> None:
    arguments = make_parser().parse_args(["-m", "qwen3", "-b", "ollama", "--verbose", "--set", "rag.top_k=3"])
    assert settings_from_options(arguments) == {
        "rag.top_k": "3",
        "model": "qwen3",
        "backend": "ollama",
        "verbose": True,
    }


@pytest.mark.parametrize(
    ("options", "settings"),
    [
        (["--format", "json"], {"answer_format": "json"}),
        (["--schema", "/tmp/a.json"], {"answer_format": "json", "answer_schema_file": "/tmp/a.json"}),
        ([], {}),
    ],
)
def test_a_schema_asks_for_an_answer_in_it(options: list[str], settings: dict[str, str]) -> None:
    assert settings_from_options(make_parser().parse_args(options)) == settings


def test_a_list_is_set_as_json() -> None:
    arguments = make_parser().parse_args(
        ["--set", 'search.zim_files=["~/zim", "/usb/a.zim"]', "--set", "fetch.browser=false"]
    )
    options = settings_from_options(arguments)
    values = load_configuration(options=options, environment={"MAGPIE_CONFIG": ""}).values
    assert values.search.zim_files == (Path("~/zim"), Path("/usb/a.zim"))
    assert not values.fetch.browser


def test_an_option_without_a_value_is_said() -> None:
    with pytest.raises(ConfigError, match="has no value"):
        settings_from_options(make_parser().parse_args(["--set", "rag.top_k"]))


def test_a_bug_is_logged_and_said_without_a_traceback(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configuration = load_configuration(options={"data_dir": str(tmp_path / "data")}, environment={"MAGPIE_CONFIG": ""})
    assert report_crash(configuration, RuntimeError("boom")) == BUG
    log = tmp_path / "data" / "magpie.log"
    assert capsys.readouterr().err == (
        f"Magpie stopped because of a bug of its own; what you said is saved. Details: {log}\n"
    )
    assert "RuntimeError: boom" in log.read_text(encoding="utf-8")
    assert log.stat().st_mode & 0o777 == 0o600


def test_a_full_disk_is_no_bug(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    error = OSError(errno.ENOSPC, "No space left on device", "/data/file")
    assert report_crash(None, error) == 1
    assert report_crash(None, OSError(errno.EROFS, "Read-only file system")) == 1
    assert capsys.readouterr().err == (
        "There is no room on the disk for /data/file. Make room, and start Magpie again.\n"
        "Nothing can be written: Read-only file system. Check data_dir.\n"
    )


def test_a_bug_whose_details_cannot_be_written_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "magpie.log").mkdir()
    configuration = load_configuration(options={"data_dir": str(tmp_path)}, environment={"MAGPIE_CONFIG": ""})
    assert report_crash(configuration, RuntimeError("boom")) == BUG
    told = capsys.readouterr().err
    assert told.startswith("Magpie stopped because of a bug of its own. No details could be kept: ")
    assert told.count("\n") == 1


def test_help_names_every_option(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    assert "--json" in capsys.readouterr().out

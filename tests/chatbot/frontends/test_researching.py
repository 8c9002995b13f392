"""`magpie research` in a shell, on the loopback site with a server of Ollama's protocol."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from chatbot.config import load_configuration
from chatbot.engine.engine import Engine
from chatbot.frontends import asking
from chatbot.frontends.researching import command
from chatbot.frontends.researching.arguments import parse_research
from chatbot.trust.consent import Decision, Request
from tests.fakes.ollama import FakeOllama, Turn
from tests.fakes.researching import PLAN, QUESTION
from tests.fakes.site import Site


def filled(body: dict[str, Any]) -> Turn:
    """What the model fills in: the plan, and nothing else."""
    [name] = body["format"]["properties"] if body.get("format") else [""]
    planning = name == "questions" and "Question:" not in body["messages"][-1]["content"]
    return Turn(json.dumps({name: list(PLAN) if planning else [] if name == "questions" else ""}))


async def researched(folder: Path, site: Site, *argv: str) -> int:
    async with FakeOllama(paths={"/api/chat": filled}) as server:
        settings = {
            "data_dir": str(folder / "data"),
            "backend": "ollama",
            "ollama": {"host": server.url},
            "model": "qwen3:8b",
            "rag": {"enabled": False},
            "search": {"searxng_url": site.searxng_url, "engines": [], "news_engines": []},
            "fetch": {"allow_hosts": [site.host]},
        }
        (folder / "config.json").write_text(json.dumps(settings))
        arguments = parse_research(["research", *argv, "--config", str(folder / "config.json")])
        assert arguments is not None
        configuration = load_configuration(arguments.config, arguments.settings(arguments), {})
        return await command.run(Engine(configuration), arguments)


async def test_the_report_is_written_and_what_goes_on_stands_beside_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "report.md"
    async with Site() as site:
        assert await researched(tmp_path, site, QUESTION, "-o", str(report)) == 0
    text, told = report.read_text(), capsys.readouterr()
    assert text.startswith(f"# {QUESTION}\n") and "Ingrid Halvorsen" in text and "6:45" in text
    assert told.out == ""
    assert f"1. {PLAN[0]}\n2. {PLAN[1]}\n3. {PLAN[2]}" in told.err
    assert f"2 of 3: {PLAN[1]}" in told.err and f"Written: {report}" in told.err
    assert "Kept: magpie --resume " in told.err


async def test_without_a_file_the_report_alone_goes_to_standard_output(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with Site() as site:
        assert await researched(tmp_path, site, *QUESTION.split(), "--private") == 0
    told = capsys.readouterr()
    assert told.out.startswith(f"# {QUESTION}\n") and "## Sources" in told.out
    assert "Kept" not in told.err


async def test_a_plan_alone_looks_nothing_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with Site() as site:
        assert await researched(tmp_path, site, QUESTION, "--plan") == 0
        assert site.queries == []
    assert capsys.readouterr().out == "".join(f"{number}. {text}\n" for number, text in enumerate(PLAN, 1))


async def test_ctrl_c_ends_a_run_with_a_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    show = command._show_step

    def interrupt(step: Any) -> None:
        show(step)
        if step.done == 1:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(command, "_show_step", interrupt)
    async with Site() as site:
        assert await researched(tmp_path, site, QUESTION) == 0
    told = capsys.readouterr()
    assert "It was stopped early." in told.out and "Ingrid Halvorsen" in told.out
    assert f"{PLAN[2]} (not looked up)" in told.out
    assert "Stopping: the report of what there is follows." in told.err


@pytest.mark.parametrize(
    ("typed", "queries"),
    [
        (["\n"], list(PLAN)),
        (["drop 1\n", "nonsense\n", "1 How long is the bridge?\n", "\n"], ["How long is the bridge?", PLAN[2]]),
        (["drop 2\n", ""], []),
    ],
)
async def test_who_sits_there_agrees_to_the_plan_changes_it_or_leaves(
    typed: list[str],
    queries: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def read_line(descriptor: int) -> str:
        return typed.pop(0)

    async def ask_consent(request: Request) -> Decision:
        return "no"

    monkeypatch.setattr(asking, "somebody_is_there", lambda: True)
    monkeypatch.setattr(asking, "read_line", read_line)
    monkeypatch.setattr(asking, "ask_consent", ask_consent)
    async with Site() as site:
        with Path(os.devnull).open() as nothing, monkeypatch.context() as patched:
            patched.setattr("sys.stdin", nothing)
            assert await researched(tmp_path, site, QUESTION) == (0 if queries else 1)
        assert site.queries == queries
    told = capsys.readouterr().err
    assert "Enter looks it up, Ctrl-D leaves." in told
    assert ("That changes no plan." in told) == ("How long is the bridge?" in queries)


@pytest.mark.parametrize(
    ("output", "told"),
    [
        (".", ". is a folder. Name a file with -o."),
        ("/no/such/folder/report.md", "There is no folder /no/such/folder."),
    ],
)
async def test_a_file_that_cannot_be_written_is_said_before_anything_is_looked_up(
    output: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with Site() as site:
        assert await researched(tmp_path, site, QUESTION, "-o", output) == 1
        assert site.queries == []
    assert told in capsys.readouterr().err


async def test_there_is_nothing_to_go_on_with(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with Site() as site:
        assert await researched(tmp_path, site, "--resume") == 1
    assert "There is no research that was cut off." in capsys.readouterr().err


@pytest.mark.parametrize("argv", [["research"], ["research", "What?", "--resume"]])
def test_a_question_or_a_run_to_go_on_with_must_be_named(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse_research(argv)
    assert "name a question, or --resume" in capsys.readouterr().err


def test_other_command_lines_are_left_to_others() -> None:
    assert parse_research(["What is research?"]) is None
    assert parse_research(["research-the-bees"]) is None

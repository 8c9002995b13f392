"""`magpie bench-models`: a good model and a bad one are told apart; nothing of the user's is read or written."""

import asyncio
import json
import os
import re
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from chatbot import cli
from chatbot.engine.bench.questions import BenchQuestion, bench_questions, read_figures
from chatbot.frontends.benching.arguments import parse_benching
from tests.fakes.ollama import FakeOllama, Raw, Turn, as_json, shown
from tests.fakes.places import ROOT

ANSWERS = (
    "It was built by Oswin Trask {0}.",
    "Its line is 47 kilometres long {0}.",
    "The first train leaves at 7:20 {0}.",
    "No, there is no train on Tuesdays {0}.",
    "The tide clock was built in 1874 {0}. The ropeworks was founded in 1911 {1}.",
    "The tower of Corran light is 52 metres high {0}.",
    "The pages do not say it.",
    "The pages do not say it.",
    "It is 397.8.",
    "A single ticket costs 14 florins {0}. Five of them are 70 florins.",
    "The leaves of autumn crackle underfoot. The walk ends by a stove.",
    "Es hat fünf Glocken {0}.",
)


def question_of(body: dict[str, Any]) -> tuple[int, BenchQuestion]:
    """Which question is asked, and its place."""
    said = next(message["content"] for message in reversed(body["messages"]) if message["role"] == "user")
    return next((place, one) for place, one in enumerate(bench_questions()) if said.startswith(one.question))


def answer_well(body: dict[str, Any]) -> Turn:
    """The tool that is to be called, then the right answer with the numbers of its pages."""
    if body["messages"][-1]["role"] == "system":
        return Turn("")
    place, question = question_of(body)
    results = [message["content"] for message in body["messages"] if message["role"] == "tool"]
    if question.tools and not results:
        arguments = {"expression": "17 % of 2340"} if "calculate" in question.tools else {"query": question.question}
        return Turn(calls=((question.tools[0], arguments),))
    numbers = [re.search(rf"\[(\d+)\] [^\n]*{page}[,)]", results[0]) for page in question.pages]
    return Turn(ANSWERS[place].format(*(f"[{number[1]}]" if number else "" for number in numbers)))


def answer_badly(body: dict[str, Any]) -> Turn:
    """The same to everything."""
    return Turn("I believe that it is 5, which everybody knows [7].")


def answer_by_model(body: dict[str, Any]) -> Turn:
    return (answer_well if body["model"] == "good:8b" else answer_badly)(body)


def settings_file(folder: Path, server: FakeOllama) -> Path:
    config = folder / "config.json"
    settings = {"data_dir": str(folder / "data"), "backend": "ollama", "ollama": {"host": server.url}}
    config.write_text(json.dumps(settings))
    return config


async def compared(arguments: list[str], folder: Path, answer: Any = answer_by_model) -> int:
    models = {"good:8b": shown(), "bad:8b": shown()}
    async with FakeOllama(models=models, paths={"/api/chat": answer}) as server:
        config = settings_file(folder, server)
        everything = ["bench-models", *arguments, "-o", str(folder / "results.md"), "--config", str(config)]
        return await asyncio.to_thread(cli.main, everything)


@pytest.mark.timeout(300)
async def test_a_good_model_and_a_bad_one_are_told_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert await compared(["good:8b", "bad:8b"], tmp_path) == 0
    told = capsys.readouterr()
    lines = told.out.splitlines()
    assert "private address" not in told.err
    assert max(map(len, lines)) <= 60
    good, bad = lines[-2:]
    assert re.match(r"good:8b +12/12 +12/12 +8/8 ", good), "\n".join(lines)
    assert re.match(r"bad:8b  +0/12 +1/12 +0/8 ", bad), "\n".join(lines)
    written = (tmp_path / "results.md").read_text()
    assert "| good:8b | 12 of 12 | 12 of 12 | 8 of 8 |" in written and "| bad:8b | 0 of 12 |" in written
    assert "| arithmetic | yes | yes | – |" in written
    # What was said and read is nowhere in the user's own folder.
    kept = {path.relative_to(tmp_path / "data").parts[0] for path in (tmp_path / "data").rglob("*") if path.is_file()}
    assert kept <= {"magpie.log", "onnx", "models", "engine"}


@pytest.mark.timeout(300)
async def test_programs_get_an_object_a_line_and_a_file_of_others_is_not_written_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "results.md").write_text("My notes.\n")
    assert await compared(["good:8b", "--json"], tmp_path) == 1
    assert json.loads(capsys.readouterr().out)["problem"].endswith("holds no results of this command.")
    assert (tmp_path / "results.md").read_text() == "My notes.\n"
    (tmp_path / "results.md").unlink()
    refused = as_json({"error": "model requires more system memory"}, 500)
    assert await compared(["bad:8b", "none:1b", "--json"], tmp_path, lambda body: refused) == 1
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    answers = [one for one in told if one["event"] == "answer"]
    assert [one["name"] for one in answers] == [question.name for question in bench_questions()]
    assert all("out of memory" in one["text"] and not one["right"] for one in answers)
    assert [one["event"] for one in told[len(answers) :]] == ["error", "model", "written"]


@pytest.mark.timeout(300)
async def test_ctrl_c_shows_what_there_is(tmp_path: Path) -> None:
    asked: list[str] = []

    def answer(body: dict[str, Any]) -> Turn | Raw:
        if body["messages"][-1]["role"] != "system":
            asked.append(question_of(body)[1].name)
        return Raw((), hang=True) if len(set(asked)) == 3 else answer_well(body)

    async with FakeOllama(models={"good:8b": shown()}, paths={"/api/chat": answer}) as server:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, str(ROOT / "main.py"), "bench-models", "good:8b"),
            *("-o", str(tmp_path / "results.md"), "--config", str(settings_file(tmp_path, server))),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)},
        )
        async with asyncio.timeout(200):
            while len(set(asked)) < 3:
                await asyncio.sleep(0.05)
        process.send_signal(signal.SIGINT)
        said, aside = await process.communicate()
    assert process.returncode == cli.EXIT_INTERRUPTED
    # How many pages came in time is the machine's affair here.
    assert re.match(r"good:8b +2/2 +2/2 +[0-2]/2 ", said.decode().splitlines()[-1]), said.decode()
    assert "Traceback" not in aside.decode()
    assert "| good:8b | 2 of 2 |" in (tmp_path / "results.md").read_text()


def test_the_numbers_of_an_answer_are_read_in_both_ways_of_writing_them() -> None:
    assert {397.8, 2340.0} <= read_figures("397.8 of 2,340")
    assert {397.8, 2340.0} <= read_figures("397,8 von 2.340")
    assert 70.0 in read_figures("They are 70.")


def test_another_command_line_is_none_of_it() -> None:
    assert parse_benching(["bench", "models"]) is None
    named = parse_benching(["bench-models", "a", "b"])
    assert named is not None and named.models == ["a", "b"]

"""A profile in every way to ask: on a command line, as JSON, in a chat."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from chatbot.commands.registry import run_command
from chatbot.config import Configuration, load_configuration
from chatbot.conversation.events import Answered
from chatbot.engine.engine import Engine
from chatbot.frontends.chat_arguments import make_parser, settings
from chatbot.frontends.oneshot import OneShotQuestion, ask
from tests.fakes.app import events_of
from tests.fakes.ollama import FakeOllama, Turn
from tests.fakes.profiles import write_profile
from tests.fakes.site_app import running_chat

RIGHT = '```strudel\ns("bd*4")\n```'
WRONG = '```strudel\ns("bd*4"\n```'


@pytest.fixture(autouse=True)
def no_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is piped in."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO()))


def configured(folder: Path, server: FakeOllama, *options: str) -> Configuration:
    """The settings of a command line, with a model of Ollama's."""
    (folder / "config.json").write_text("{}")
    decided = settings(make_parser().parse_args([*options, "-b", "ollama", "-m", "qwen3:8b"]))
    around = {"data_dir": str(folder / "data"), "rag.enabled": False, "ollama.host": server.url}
    return load_configuration(folder / "config.json", decided | around, {})


def server_of(*answers: str) -> FakeOllama:
    server = FakeOllama([Turn(answer) for answer in answers])
    server.warming = True
    return server


def system_of(server: FakeOllama) -> str:
    return str(server.questions[0]["messages"][0]["content"])


async def test_one_question_is_answered_with_a_profile(tmp_path: Path, capsys: Any) -> None:
    write_profile(tmp_path, "clerk", {"temperature": 0.1}, system="Answer as a clerk.", greeting="Good day.")
    async with server_of("At nine.") as server:
        engine = Engine(configured(tmp_path, server, "--profile", "clerk"))
        assert await ask(engine, OneShotQuestion("When?")) == 0
        assert "Answer as a clerk." in system_of(server)
        assert server.questions[0]["options"]["temperature"] == 0.1
    assert capsys.readouterr().out == "At nine.\n"


@pytest.mark.parametrize(
    ("answers", "text"),
    [
        ((RIGHT,), RIGHT),
        ((WRONG, RIGHT), RIGHT),
        ((WRONG, WRONG), f"{WRONG}\n\n**Not valid Strudel:** line 1: the ( is not closed."),
    ],
)
async def test_checked_code_gives_the_same_answer_as_json_and_in_a_chat(
    tmp_path: Path, capsys: Any, answers: tuple[str, ...], text: str
) -> None:
    async with server_of(*answers) as server:
        engine = Engine(configured(tmp_path, server, "--profile", "strudel"))
        assert await ask(engine, OneShotQuestion("A beat?"), as_json=True) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["text"] for line in lines if line["event"] in ("answer_delta", "answered")] == [text, text]
    async with server_of(*answers) as server, running_chat(configured(tmp_path, server)) as running:
        await events_of(run_command(running.ready, "/profile strudel"))
        *_, answered = await events_of(running.chat.agent.ask("A beat?"))
        assert isinstance(answered, Answered)
        assert answered.text == text


async def test_an_unknown_profile_is_one_sentence_and_asks_no_model(tmp_path: Path, capsys: Any) -> None:
    async with server_of() as server:
        engine = Engine(configured(tmp_path, server, "--profile", "strudle"))
        assert await ask(engine, OneShotQuestion("A beat?")) == 1
        assert server.chats == []
    assert capsys.readouterr().err == "There is no profile 'strudle'. Did you mean strudel?\n"

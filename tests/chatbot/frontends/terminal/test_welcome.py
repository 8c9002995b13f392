"""The first lines of a chat: three where nothing was typed before, one later, and no second line about the model."""

import asyncio
import io
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from chatbot.frontends.terminal.drawing.lines import greeting_table
from chatbot.frontends.terminal.typing.prompt import was_used
from chatbot.frontends.terminal.welcome import Welcome
from chatbot.models.base import ModelInfo
from chatbot.models.lazy import LazyModel
from chatbot.models.ollama import errors as ollama_errors
from chatbot.models.provider import UnaskedChoice
from chatbot.research.state import ResearchFiles, ResearchState
from rag.documents import Document
from rag.library import Library
from rag.settings import RagSettings
from tests.fakes.app import FakeApp
from tests.fakes.embedder import WordEmbedder
from tests.fakes.model import ScriptedModel
from tests.fakes.ollama import FakeOllama, shown

NOBODY = "http://127.0.0.1:9"
KEYS = ("Type", "a question · @file to attach · /help · Ctrl-C stops")


@pytest.fixture(autouse=True)
def _no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OLLAMA_HOST", raising=False)
    monkeypatch.setattr(ollama_errors, "DEFAULT_PORT", 9)


@pytest.fixture
async def library(tmp_path: Path) -> AsyncIterator[Library]:
    made = await Library.open(tmp_path, RagSettings(), WordEmbedder())
    yield made
    await made.close()


async def told(app: FakeApp, *, first: bool, idle: bool = True) -> list[tuple[str, str]]:
    """What is told at a start at which the model is still to be chosen."""
    app.chat.models.current = ""
    app.chat.agent.use_model(LazyModel(app.chat.models.start_model))
    return await said(app, Welcome(app.show, first=first), idle=idle)


async def said(app: FakeApp, welcome: Welcome, *, idle: bool = True) -> list[tuple[str, str]]:
    app.face = replace(app.face, tell_choice=welcome.note_choice)
    at_rest = asyncio.Event()
    if idle:
        at_rest.set()
    return await welcome.rows(app.chat, at_rest)


def drawn(rows: list[tuple[str, str]], width: int) -> list[str]:
    console = Console(file=io.StringIO(), width=width, color_system=None, _environ={})
    console.print(greeting_table(rows))
    return [line.rstrip() for line in console.file.getvalue().splitlines()]  # type: ignore[attr-defined]


async def test_a_first_start_tells_in_four_lines_what_answers_what_is_there_and_what_to_type(
    tmp_path: Path, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path.parent))
    app = FakeApp(ScriptedModel([]), tmp_path, ollama="")
    app.chat.retrieval = replace(app.chat.retrieval, library=library)
    rows = await told(app, first=True)
    assert rows == [
        ("Magpie", "cites what it looks up · embedded:1.5b (no Ollama), for short questions"),
        ("Models", "/pull lists larger models that run without Ollama"),
        ("Library", f"empty, /rag-index fills it · ~/{tmp_path.name}"),
        KEYS,
    ]
    assert app.notices.empty()
    assert len(drawn(rows, 80)) == 4


async def test_the_first_lines_are_aligned_and_fit_sixty_columns_without_colour() -> None:
    rows = [
        ("Magpie", "cites what it looks up · embedded:1.5b (no Ollama), for short questions"),
        ("Library", "empty, /rag-index fills it · ~/.local/share/magpie"),
        KEYS,
    ]
    assert drawn(rows, 60) == [
        "Magpie   cites what it looks up · embedded:1.5b (no Ollama),",
        "         for short questions",
        "Library  empty, /rag-index fills it · ~/.local/share/magpie",
        "Type     a question · @file to attach · /help · Ctrl-C stops",
    ]


async def test_a_later_start_has_one_line(tmp_path: Path, library: Library) -> None:
    app = FakeApp(ScriptedModel([]), tmp_path, ollama="")
    app.chat.retrieval = replace(app.chat.retrieval, library=library)
    await library.add(Document("https://ferries.example/times", "Ferry", "The ferry leaves at nine.", "web"))
    await library.add(Document("/home/me/notes.txt", "Notes", "It costs four crowns.", "file"))
    rows = await told(app, first=False)
    assert rows == [("", "embedded:1.5b (no Ollama) · library: 2 documents")]
    assert drawn(rows, 60) == [rows[0][1]]
    rows = await told(app, first=True)
    assert rows[2][1].startswith(("1 file, 1 web page · ", "1 web page, 1 file · "))


async def test_beside_a_question_only_a_model_that_nobody_asked_for_is_told(tmp_path: Path) -> None:
    app = FakeApp(ScriptedModel([]), tmp_path, ollama="")
    assert await told(app, first=True, idle=False) == [("", "embedded:1.5b (no Ollama) · library: switched off")]
    app = FakeApp(ScriptedModel([]), tmp_path)
    welcome = Welcome(app.show, first=False)
    assert await said(app, welcome, idle=False) == []


async def test_a_model_of_the_settings_that_is_not_there_is_named_and_a_long_name_cut(tmp_path: Path) -> None:
    app = FakeApp(ScriptedModel([]), tmp_path)
    app.chat.models.current = "embedded:1.5b"
    welcome = Welcome(app.show, first=False)
    welcome.note_choice(UnaskedChoice("Nobody reads this.", f"no Ollama for qwen3:8b{'-instruct' * 9}"))
    [(_, line)] = await said(app, welcome)
    assert line == "embedded:1.5b (no Ollama for qwen3:8b-instruct-instruct-in…) · library: switched off"


@pytest.mark.parametrize(
    ("info", "good"),
    [
        (ModelInfo("qwen3:8b", "ollama", 4096, can_call_tools=True), "calls tools itself"),
        (ModelInfo("qwen3:8b", "ollama", 4096, in_steps=True), "Magpie looks things up for it"),
        (ModelInfo("qwen3:8b", "ollama", 4096, host="attic:11434"), "on another machine, calls tools itself"),
        (ModelInfo("gpt-oss:cloud", "ollama", 4096, host="attic:11434"), "in Ollama's cloud, calls tools itself"),
    ],
)
async def test_a_model_of_ollamas_is_told_with_what_it_can(tmp_path: Path, info: ModelInfo, good: str) -> None:
    app = FakeApp(ScriptedModel([], info=info), tmp_path)
    app.chat.models.current = info.name
    rows = await said(app, Welcome(app.show, first=True))
    assert rows[0] == ("Magpie", f"cites what it looks up · {info.name}, {good}")


async def test_a_model_that_was_picked_is_told_with_the_command_that_lists_the_others(tmp_path: Path) -> None:
    async with FakeOllama(models={"qwen3:8b": shown()}) as server:
        app = FakeApp(ScriptedModel([]), tmp_path, ollama=server.url)
        assert await told(app, first=False) == [("", "qwen3:8b (/model lists others) · library: switched off")]
        await app.chat.agent.model.close()
        await app.chat.models.close()
    assert app.notices.empty()


async def test_without_a_model_a_first_start_says_so_and_a_later_one_leaves_it_to_the_error(tmp_path: Path) -> None:
    app = FakeApp(ScriptedModel([]), tmp_path, ollama=NOBODY)
    assert (await told(app, first=True))[0] == ("Magpie", "cites what it looks up · no model answers yet")
    assert await told(app, first=False) == []


async def test_a_model_that_is_chosen_after_the_first_lines_is_news_as_any_other(tmp_path: Path) -> None:
    app = FakeApp(ScriptedModel([]), tmp_path, ollama=NOBODY)
    await told(app, first=True)
    assert app.face.tell_choice
    app.face.tell_choice(UnaskedChoice("No Ollama server answers; the embedded model is used.", "no Ollama"))
    assert app.notices.get_nowait().text.startswith("No Ollama server answers")  # type: ignore[union-attr]


def test_a_chat_in_which_something_was_typed_was_used(tmp_path: Path) -> None:
    assert not was_used(tmp_path / "nowhere")
    (tmp_path / "prompt_history").touch()
    assert not was_used(tmp_path)
    (tmp_path / "prompt_history").write_text("\n# 2026\n+hello\n")
    assert was_used(tmp_path)


@pytest.mark.parametrize("first", [True, False])
async def test_research_that_was_cut_off_is_told_of(tmp_path: Path, first: bool) -> None:
    files = ResearchFiles(tmp_path / "research")
    await files.write(ResearchState("261126-a1", "When does the ferry leave?", "2026-11-26T10:00:00Z"))
    app = FakeApp(ScriptedModel([]), tmp_path, ollama="")
    assert (await told(app, first=first))[-1] == (
        "Research",
        "“When does the ferry leave?” was cut off: /research resume goes on with it",
    )

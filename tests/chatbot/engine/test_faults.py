"""Whatever fails in the work for a turn, in whatever way, ends at most that turn: the chat goes on."""

import asyncio
import io
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from inspect import isasyncgenfunction, iscoroutinefunction
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import DummyInput
from prompt_toolkit.output import DummyOutput
from rich.console import Console

from chatbot.config import load_configuration
from chatbot.engine.engine import Engine
from chatbot.frontends.terminal.drawing.screen import Screen
from chatbot.frontends.terminal.drawing.theme import THEME
from chatbot.frontends.terminal.loop import TerminalChat
from chatbot.frontends.terminal.view import View
from rag.embedding.backends import EMBEDDING_BACKENDS
from tests.fakes.breaking import broken, functions_of, unwatch, watched
from tests.fakes.embedder import WordEmbedder
from tests.fakes.model import ScriptedModel, calls, says
from tests.fakes.site import Site

# `make torture` sets it: every place fails in all ways, and not in one of them.
FULL = bool(os.environ.get("TORTURE"))
ERRORS = (ValueError("bad"), OSError(5, "Input/output error"), MemoryError(), RecursionError("deep"), KeyError("gone"))
CLEAN = 25
"""After so many failures one turn without any, whose answer must be right."""
PATIENCE = 60.0
ANSWER = "Ingrid Halvorsen designed it"
"""What the last answer of a turn says."""


class Talker(ScriptedModel):
    """Calls every kind of tool for a question, then answers."""

    def __init__(self, site: Site) -> None:
        super().__init__([], window=8192)
        self._site = site

    async def reply(self, messages, tools=(), *how):  # type: ignore[no-untyped-def]
        wanted: Any = (
            ("web_search", {"query": "Ostermark Bridge designer"}),
            ("fetch_url_content", {"url": self._site.url("/bridge.html")}),
            ("search_vector_db", {"query": "Ostermark Bridge"}),
            ("calculate", {"expression": "6 * 7"}),
            ("date_and_time", {}),
            ("remember", {"fact": "The user likes bridges."}),
            ("set_reminder", {"text": "walk", "when": "in 3 hours"}),
            ("search_history", {"query": "bridge"}),
        )
        first = messages[-1].role == "user"
        self.replies = [calls(*wanted) if first and tools else says(f"{ANSWER} [1]. It is **old**.")]
        async for piece in super().reply(messages, tools, *how):
            yield piece


class Driven(TerminalChat):
    """A chat whose lines come from a test."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine, "")
        self.screen = io.StringIO()
        self._lines: asyncio.Queue[str] = asyncio.Queue()
        self._asks = asyncio.Event()
        console = Console(file=self.screen, theme=THEME, width=100, highlight=False, markup=False, emoji=False)
        self._view = View(Screen(console), self._status, lambda: self._opening.configuration.values)

    async def _read(self) -> str:
        self._idle.set()
        self._asks.set()
        line = await self._lines.get()
        self._idle.clear()
        return line

    async def say(self, line: str) -> str:
        """Say a line and wait until the next one is asked for; what was shown meanwhile."""
        await self._asks.wait()
        self._asks.clear()
        self.screen.truncate(self.screen.seek(0))
        self._lines.put_nowait(line)
        async with asyncio.timeout(PATIENCE):
            await self._asks.wait()
        return self.screen.getvalue()


@asynccontextmanager
async def chatting(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Driven]:
    """A real chat with its library, its web and its history; only the models are made up."""
    monkeypatch.setitem(EMBEDDING_BACKENDS, "local", lambda *_: WordEmbedder())
    (folder / "config.json").write_text("{}")
    async with Site() as site:
        settings = {
            "data_dir": str(folder),
            "backend": "ollama",
            "model": "none",
            "ollama.host": "http://127.0.0.1:9",
            "search.searxng_url": site.searxng_url,
            "search.engines": [],
            "search.news_engines": [],
            "fetch.allow_hosts": [site.host],
            "fetch.cache_hours": 0,
            "auto_fetch_threshold": 0.4,
            "rag.min_similarity": 0.1,
            "history.searchable": True,
        }
        engine = Engine(load_configuration(folder / "config.json", settings, {}))
        with create_app_session(input=DummyInput(), output=DummyOutput()):
            chat = Driven(engine)
            (await chat._opening.ready()).agent.use_model(Talker(site))
            chat._begin()
            talk = asyncio.create_task(chat.run())
            try:
                yield chat
                chat._lines.put_nowait("quit")
                await asyncio.wait_for(talk, PATIENCE)
            finally:
                talk.cancel()
                await asyncio.gather(talk, return_exceptions=True)
                await chat.close()
                await engine.close()


async def turn(chat: Driven) -> str:
    """A new conversation with one turn; what it shows."""
    await chat.say("/clear")
    return await chat.say("Who designed the Ostermark Bridge?")


def places(called: set[CodeType]) -> list[FunctionType]:
    """Where work is done for a turn: in `make test` what is awaited, tools, jobs and all on the way to them."""
    found = functions_of(called)
    return [f for f in found if FULL or iscoroutinefunction(f) or isasyncgenfunction(f)]


async def ends_of(chat: Driven, found: list[FunctionType]) -> dict[str, str]:
    """What the chat showed for each place and error, those that struck; a clean turn now and then."""
    ends: dict[str, str] = {}
    cases = [
        (place, error)
        for number, place in enumerate(found)
        for error in (ERRORS if FULL else [ERRORS[number % len(ERRORS)]])
    ]
    for number, (place, error) in enumerate(cases, 1):
        name = f"{place.__module__}.{place.__qualname__} raises {type(error).__name__}"
        with broken(place, error) as struck:
            shown = await turn(chat)
        if struck:
            ends[name] = shown
        if number % CLEAN == 0 or number == len(cases):
            shown = await turn(chat)
            assert ANSWER in shown, f"after {name}:\n{shown}"
    return ends


@pytest.mark.timeout(36_000 if FULL else 900)
async def test_whatever_fails_in_the_work_for_a_turn_the_chat_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, torture_report: Callable[[str], None]
) -> None:
    unheard: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: unheard.append(context))
    with watched() as called:
        async with chatting(tmp_path, monkeypatch) as chat:
            await turn(chat)
            called.clear()
            assert ANSWER in await turn(chat)
            found = places(called)
            unwatch()
            ends = await ends_of(chat, found)
    # What nobody hears of would be printed across the prompt by whatever draws it.
    assert [f"{context}" for context in unheard] == []
    assert {name: shown for name, shown in ends.items() if "Traceback" in shown} == {}
    assert len(ends) > 100
    torture_report(f"{len(found)} places, {len(ends)} failures in the work for a turn: the chat went on after each")

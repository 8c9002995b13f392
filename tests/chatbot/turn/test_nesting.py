"""A piece of text passes few generators on its way, each of which does something to it."""

import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from chatbot.models.adaptive import AdaptiveModel
from chatbot.models.lazy import LazyModel
from chatbot.models.ollama.model import OllamaModel
from chatbot.models.ollama.settings import OllamaSettings
from chatbot.models.ollama.wire import LineSplitter
from chatbot.models.settings import Generation
from chatbot.models.state import ModelState
from chatbot.settings import AgentSettings
from chatbot.turn.agent import Agent
from chatbot.window.system_prompt import Briefing
from tests.fakes.model import ScriptedModel
from tests.fakes.ollama import FakeOllama, Turn
from tools.base import Toolbox

MOST = 7
"""From the socket to the events of a turn; a front end adds one."""


@contextmanager
def generators_above(code: Any) -> Iterator[set[tuple[str, ...]]]:
    """The names of the asynchronous generators that are at work whenever a function is called, outermost first."""
    seen: set[tuple[str, ...]] = set()

    def look(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code is code:
            names, above = [], frame.f_back
            while above is not None:
                if above.f_code.co_flags & inspect.CO_ASYNC_GENERATOR and "chatbot/" in above.f_code.co_filename:
                    names.append(above.f_code.co_qualname)
                above = above.f_back
            seen.add(tuple(reversed(names)))

    sys.setprofile(look)
    try:
        yield seen
    finally:
        sys.setprofile(None)


async def test_from_the_socket_of_ollama_to_the_events_of_a_turn_there_are_seven_generators(tmp_path: Path) -> None:
    async with FakeOllama([Turn("It rains in Oslo.")]) as server:
        model = OllamaModel("qwen3:8b", OllamaSettings(host=server.url), Generation())
        served = AdaptiveModel(model, ScriptedModel([]), lambda *_: True, ModelState(tmp_path))

        async def chosen() -> AdaptiveModel:
            return served

        chat = Agent(LazyModel(chosen), Toolbox([]), AgentSettings(), Briefing(), 100)
        with generators_above(LineSplitter.feed.__code__) as seen:
            events = [event async for event in chat.ask("How is the weather?")]
        await model.close()
    assert events
    (names,) = seen
    assert len(names) <= MOST, names

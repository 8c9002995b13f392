"""The tool loop over a scripted Ollama server: what a live server does on its two paths, and what goes wrong there."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from chatbot.conversation.events import (
    AnswerDelta,
    Answered,
    AnswerWithdrawn,
    ContextUsed,
    ToolFinished,
    ToolStarted,
    TurnEvent,
)
from chatbot.conversation.messages import ToolCall
from chatbot.models.adaptive import AdaptiveModel
from chatbot.models.ollama.model import OllamaModel
from chatbot.models.ollama.settings import OllamaSettings
from chatbot.models.settings import Generation
from chatbot.models.state import ModelState
from chatbot.settings import AgentSettings
from chatbot.turn.agent import Agent
from chatbot.window.system_prompt import Briefing
from tests.fakes.model import USAGE, ScriptedModel, says
from tests.fakes.ollama import FakeOllama, Turn, as_json
from tools.base import Toolbox, tool
from utils.errors import ModelError

WRITTEN = '```json\n{"name": "read_weather", "arguments": {"city": "Oslo"}}\n```'


async def read_weather(city: str) -> str:
    """Tell the weather.

    Args:
        city: Where.
    """
    return f"{city}: 7 degrees"


def agent(server: FakeOllama, folder: Path, *steps: Any) -> Agent:
    native = OllamaModel("qwen3:8b", OllamaSettings(host=server.url), Generation(request_timeout=5))
    toolbox = Toolbox([tool(read_weather)])
    model = AdaptiveModel(native, ScriptedModel(list(steps)), toolbox.accepts_call, ModelState(folder))
    briefing = Briefing(now=lambda: datetime(2026, 11, 22, 9, 0))
    return Agent(model, toolbox, AgentSettings(), briefing, 200)


async def told(events: AsyncIterator[TurnEvent]) -> list[TurnEvent]:
    return [
        replace(event, seconds=0.0) if isinstance(event, ToolFinished | Answered) else event
        async for event in events
        if not isinstance(event, ContextUsed)
    ]


def call(number: int, city: str) -> ToolCall:
    return ToolCall("read_weather", {"city": city}, f"call_{number}")


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("ids", [False, True])
async def test_calls_on_early_and_late_chunks_are_carried_out(late: bool, ids: bool, tmp_path: Path) -> None:
    wants = Turn(
        "Looking.", (("read_weather", {"city": "Oslo"}), ("read_weather", {"city": "Rome"})), late=late, ids=ids
    )
    async with FakeOllama([wants, Turn("7 degrees.")]) as server:
        chat = agent(server, tmp_path)
        events = await told(chat.ask("Weather in Oslo and Rome?"))
        await chat.model.close()
    oslo, rome = call(1, "Oslo"), call(2, "Rome")
    assert events[:-1] == [
        AnswerDelta("Looking."),
        AnswerWithdrawn(),
        ToolStarted(oslo),
        ToolStarted(rome),
        ToolFinished(oslo, True, "Oslo: 7 degrees", 0.0),
        ToolFinished(rome, True, "Rome: 7 degrees", 0.0),
        AnswerDelta("7"),
        AnswerDelta(" degrees."),
    ]
    assert isinstance(events[-1], Answered)
    assert [message["role"] for message in server.chats[1]["messages"]] == [
        "system",
        "user",
        "assistant",
        "tool",
        "tool",
    ]
    assert [message.get("tool_name") for message in server.chats[1]["messages"][3:]] == ["read_weather"] * 2


async def test_a_call_written_as_text_is_carried_out_and_never_shown(tmp_path: Path) -> None:
    async with FakeOllama([Turn(WRITTEN)]) as server:
        chat = agent(server, tmp_path, says("It is 7 degrees."))
        events = await told(chat.ask("Weather in Oslo?"))
        await chat.model.close()
    oslo = call(1, "Oslo")
    assert events[:-1] == [
        ToolStarted(oslo),
        ToolFinished(oslo, True, "Oslo: 7 degrees", 0.0),
        AnswerDelta("It is 7 degrees."),
    ]
    assert len(server.chats) == 1


async def test_a_server_that_refuses_tools_is_not_asked_with_them_again(tmp_path: Path) -> None:
    refusal = as_json({"error": "registry.ollama.ai/library/qwen3:latest does not support tools"}, 400)
    async with FakeOllama([refusal]) as server:
        chat = agent(server, tmp_path, says("Hello."), says("Bye."))
        assert [await told(chat.ask("Hi")), await told(chat.ask("Bye"))] == [
            [AnswerDelta("Hello."), Answered("Hello.", usage=USAGE)],
            [AnswerDelta("Bye."), Answered("Bye.", usage=USAGE)],
        ]
        await chat.model.close()
    assert len(server.chats) == 1


async def test_an_error_in_mid_stream_is_told_once_and_the_chat_goes_on(tmp_path: Path) -> None:
    async with FakeOllama([Turn("It is", error="CUDA error: out of memory"), Turn("Hello.")]) as server:
        chat = agent(server, tmp_path)
        with pytest.raises(ModelError, match="out of memory"):
            await told(chat.ask("Weather?"))
        events = await told(chat.ask("Hi"))
        await chat.model.close()
        kept = [message["content"] for message in server.chats[1]["messages"] if message["role"] == "assistant"]
    assert isinstance(events[-1], Answered)
    assert events[-1].text == "Hello."
    assert [text[:5] for text in kept] == ["It is"]


async def test_a_prompt_that_the_server_finds_too_long_is_shrunk_and_sent_again(tmp_path: Path) -> None:
    inner = '{"error":{"code":400,"message":"too long","n_prompt_tokens":8200,"n_ctx":8192}}'
    async with FakeOllama([Turn("One."), as_json({"error": inner}, 400), Turn("Two.")]) as server:
        chat = agent(server, tmp_path)
        await told(chat.ask("First? " + "word " * 6000))
        events = await told(chat.ask("Second?"))
        await chat.model.close()
    assert isinstance(events[-1], Answered)
    assert events[-1].text == "Two."
    assert len(server.chats) == 3

"""Capability is read, then observed: a model that writes its calls as text is served in steps from then on."""

from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from chatbot.conversation.messages import Message, Source, ToolCall
from chatbot.models.adaptive import AdaptiveModel
from chatbot.models.base import Call, ModelInfo, Piece, Text
from chatbot.models.state import ModelState
from rag.documents import Passage
from tests.fakes.model import ScriptedModel, calls, says
from tools.base import ToolSchema
from utils.errors import ToolsUnsupported

ASK = (Message("user", "What is the weather in Oslo?"),)
SEARCH = ToolSchema(
    "web_search",
    "Search.",
    {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
)
WRITTEN = '{"name": "web_search", "arguments": {"query": "weather in Oslo"}}'
FOUND = Call(ToolCall("web_search", {"query": "weather in Oslo"}))
SOURCE = Source(1, Passage("7 degrees", "https://a.test", "Oslo", "web"))


def accepts(name: str, arguments: dict[str, Any]) -> bool:
    return name == "web_search" and isinstance(arguments.get("query"), str)


def adaptive(native: ScriptedModel, steps: ScriptedModel, folder: Path) -> AdaptiveModel:
    return AdaptiveModel(native, steps, accepts, ModelState(folder))


async def reply(
    model: AdaptiveModel, tools: Sequence[ToolSchema] = (SEARCH,), ask: Sequence[Message] = ASK
) -> list[Piece]:
    async with aclosing(model.reply(ask, tools)) as pieces:
        return [piece async for piece in pieces]


async def test_a_model_that_calls_tools_is_left_alone(tmp_path: Path) -> None:
    wanted = calls(("web_search", {"query": "x"}))
    model = adaptive(ScriptedModel([wanted]), ScriptedModel([]), tmp_path)
    assert await reply(model) == wanted
    assert not await model.in_steps()
    assert list(tmp_path.iterdir()) == []


async def test_a_call_written_as_text_is_made_and_the_model_served_in_steps_from_then_on(tmp_path: Path) -> None:
    native, steps = ScriptedModel([says(WRITTEN)]), ScriptedModel([says("7 degrees.")])
    model = adaptive(native, steps, tmp_path)
    assert [await reply(model), await reply(model)] == [[FOUND, *says()], says("7 degrees.")]
    later = adaptive(ScriptedModel([]), ScriptedModel([says("8")]), tmp_path)
    assert await reply(later) == says("8")
    assert (tmp_path / "models.json").stat().st_mode & 0o777 == 0o600


async def test_a_model_whose_server_refuses_tools_is_served_in_steps(tmp_path: Path) -> None:
    native = ScriptedModel([[ToolsUnsupported("no tools")]])
    model = adaptive(native, ScriptedModel([says("7"), says("8")]), tmp_path)
    assert [await reply(model), await reply(model)] == [says("7"), says("8")]
    assert len(native.sent) == 1


async def test_a_model_whose_server_refuses_tools_as_it_warms_up_has_its_steps_warmed(tmp_path: Path) -> None:
    native, steps = ScriptedModel([], warming_fails=ToolsUnsupported("no tools")), ScriptedModel([])
    model = adaptive(native, steps, tmp_path)
    for _ in range(2):
        await model.warm_up(ASK[:1], [SEARCH])
    beginning = (ASK[:1], ("web_search",))
    assert (native.warmed_up, steps.warmed_up) == ([beginning], [beginning, beginning])


async def test_a_model_that_claims_no_tools_is_served_in_steps_from_the_start(tmp_path: Path) -> None:
    native = ScriptedModel([says("hello")], info=ModelInfo("small", "ollama", 4096))
    steps = ScriptedModel([says("7"), says("8")])
    model = adaptive(native, steps, tmp_path)
    read = Message("tool", "7 degrees", tool_name="web_search", sources=(SOURCE,))
    assert await reply(model) == says("7")
    assert await reply(model, (), [*ASK, read]) == says("8")
    assert await reply(model, ()) == says("hello")


async def test_a_call_that_steps_write_as_text_is_made_too(tmp_path: Path) -> None:
    native = ScriptedModel([], info=ModelInfo("small", "embedded", 4096))
    model = adaptive(native, ScriptedModel([says("```json\n", WRITTEN, "\n```")]), tmp_path)
    assert await reply(model) == [FOUND, *says()]


async def test_json_that_was_asked_for_stays_an_answer(tmp_path: Path) -> None:
    ask = (Message("user", "Show me the JSON of a search call"),)
    model = adaptive(ScriptedModel([says(WRITTEN)]), ScriptedModel([]), tmp_path)
    pieces = await reply(model, ask=ask)
    assert [piece for piece in pieces if isinstance(piece, Text | Call)] == [Text(WRITTEN)]
    assert not await model.in_steps()


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", '{"last_used": 1, "writes_calls_as_text": 2}', "\x00\xff"])
async def test_a_damaged_memory_is_begun_anew(text: str, tmp_path: Path) -> None:
    (tmp_path / "models.json").write_text(text, encoding="latin-1")
    state = ModelState(tmp_path)
    assert (await state.last_used(), await state.writes_calls_as_text("a")) == ("", False)
    await state.note_used("a")
    await state.saw_text_call("a")
    again = ModelState(tmp_path)
    assert (await again.last_used(), await again.writes_calls_as_text("a")) == ("a", True)


async def test_a_folder_that_cannot_be_written_does_not_stop_the_chat(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    state = ModelState(tmp_path / "file")
    await state.note_used("a")
    assert await state.last_used() == "a"

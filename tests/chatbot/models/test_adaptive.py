"""Capability is read, then observed: a model that writes its calls as text is served in steps from then on."""

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chatbot.conversation.messages import Message, Source, ToolCall
from chatbot.models.adaptive import AdaptiveModel
from chatbot.models.base import Call, Done, ModelInfo, Piece, Text
from chatbot.models.probe.checks import FIRST_LOOK
from chatbot.models.probe.results import ProbeResult
from chatbot.models.state import ModelState
from rag.documents import Passage
from tests.fakes.model import ScriptedModel, calls, says
from tests.fakes.pictures import attached
from tests.fakes.probed import SKILLED, SkilledModel, TalkingModel, WritingModel
from tools.base import ToolSchema
from utils.errors import ToolsUnsupported

ASK = (Message("user", "What is the weather in Oslo?"),)
SEARCH = ToolSchema(
    "web_search",
    "Search.",
    {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
)
NAMES = ("web_search", "search_vector_db", "fetch_url_content", "calculate")
TOOLS = tuple(ToolSchema(name, "Does it.", SEARCH.parameters) for name in NAMES)
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


async def looked_at(native: SkilledModel, folder: Path) -> tuple[AdaptiveModel, ScriptedModel]:
    steps = ScriptedModel([says("7 degrees."), says("8")])
    return AdaptiveModel(native, steps, lambda name, arguments: True, ModelState(folder)), steps


@pytest.mark.parametrize(("kind", "in_steps"), [(SkilledModel, False), (TalkingModel, True), (WritingModel, True)])
async def test_a_small_model_is_looked_at_before_its_first_answer_and_only_then(
    kind: type[SkilledModel], in_steps: bool, tmp_path: Path
) -> None:
    system = Message("system", "Be brief.")
    for new in (True, False):
        native = kind()
        model, steps = await looked_at(native, tmp_path)
        await model.warm_up([system], TOOLS)
        assert len(native.asked) == (len(FIRST_LOOK) if new else 0)
        await reply(model, TOOLS, [system, Message("user", "Thank you!")])
        assert await model.in_steps() is in_steps
        assert (await model.describe()).in_steps is in_steps
        assert len(steps.sent) == int(in_steps)
        assert [bool(one.warmed_up) for one in (native, steps)] == [not in_steps, in_steps]
    # What is read for the look is what its prompts begin with.
    assert all(sent[0][0] == system and sent[1] == NAMES for sent in native.sent)


async def test_a_first_question_that_comes_before_the_warm_up_waits_for_the_look(tmp_path: Path) -> None:
    native = TalkingModel()
    model, steps = await looked_at(native, tmp_path)
    await asyncio.gather(model.warm_up((), TOOLS), reply(model, TOOLS))
    assert (len(native.asked), len(steps.sent)) == (len(FIRST_LOOK), 1)


@pytest.mark.parametrize("change", [{"cites": True}, {"host": "attic:11434"}])
async def test_a_large_model_and_one_elsewhere_are_believed(change: dict[str, bool], tmp_path: Path) -> None:
    native = SkilledModel(info=replace(SKILLED, **change))
    model, _ = await looked_at(native, tmp_path)
    await model.warm_up((), TOOLS)
    assert native.asked == []


async def test_another_model_under_the_same_name_is_looked_at_anew(tmp_path: Path) -> None:
    for digest, looks in (("one", 4), ("one", 0), ("two", 4)):
        native = SkilledModel(info=replace(SKILLED, digest=digest))
        model, _ = await looked_at(native, tmp_path)
        await model.warm_up((), TOOLS)
        assert len(native.asked) == looks


async def test_a_probe_weighs_more_than_what_was_seen_before_it(tmp_path: Path) -> None:
    state = ModelState(tmp_path)
    await state.saw_text_call("skilled")
    model = AdaptiveModel(SkilledModel(), ScriptedModel([]), accepts, state)
    assert await model.in_steps()
    for native in (True, False):
        await state.note_probe(ProbeResult("skilled", "", native, (), (), "2026-11-25"))
        assert await model.in_steps() is not native


async def test_a_call_that_a_small_model_only_speaks_of_is_made_in_steps(tmp_path: Path) -> None:
    told = "To find the weather in Oslo, I would use the `web_search` function."
    native = ScriptedModel([says(told)], info=replace(SKILLED, cites=False))
    model = adaptive(native, ScriptedModel([[FOUND, *says()], says("7 degrees.")]), tmp_path)
    await ModelState(tmp_path).note_probe(ProbeResult("skilled", "", True, (), (), "2026-11-25"))
    [done] = [piece for piece in says() if isinstance(piece, Done)]
    # What the steps took to find the call is counted with the reply.
    both = replace(done, usage=done.usage + done.usage)
    assert await reply(model) == [Text(told), FOUND, both]
    assert await reply(model) == says("7 degrees.")


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


async def test_a_model_in_steps_looks_at_a_picture_itself_and_is_offered_no_tools(tmp_path: Path) -> None:
    native = ScriptedModel([says("A cat.")], info=ModelInfo("llava", "ollama", 4096, can_see=True))
    steps = ScriptedModel([says("Yes.")])
    model = adaptive(native, steps, tmp_path)
    asked = Message("user", "What is this?", pictures=(attached(),))
    answered = Message("assistant", "See.", sources=(SOURCE,))
    assert await reply(model, ask=(Message("user", "Where?"), answered, asked)) == says("A cat.")
    assert native.sent[0][1] == () and native.sent[0][0][-1].pictures
    assert await reply(model, ask=(asked, Message("assistant", "A cat."), Message("user", "Sure?"))) == says("Yes.")


async def test_a_model_that_calls_tools_itself_sees_a_picture_with_them_at_hand(tmp_path: Path) -> None:
    native = ScriptedModel([says("A cat.")])
    model = adaptive(native, ScriptedModel([]), tmp_path)
    await reply(model, ask=(Message("user", "What is this?", pictures=(attached(),)),))
    assert native.sent[0][1] == ("web_search",)

"""llama.cpp's own parser of calls, with real weights: a file of the user's, though the packages brought it."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from chatbot.conversation.messages import Message, ToolCall
from chatbot.models.adaptive import AdaptiveModel
from chatbot.models.base import Call, Done, Piece, ReplyOptions
from chatbot.models.embedded.engine_client import EngineClient
from chatbot.models.embedded.model import EmbeddedModel, engine_for
from chatbot.models.embedded.settings import EmbeddedSettings
from chatbot.models.embedded.wire.requests import calling_messages, offered_tools
from chatbot.models.probe.results import ProbeResult
from chatbot.models.settings import Generation
from chatbot.models.state import ModelState
from tests.fakes.model import ScriptedModel
from tests.fakes.site import Site
from tests.fakes.site_app import magpie
from tools.base import ToolSchema
from tools.mcp_client.schemas import tool_schema
from utils.errors import ModelError, ToolsUnsupported

pytestmark = pytest.mark.model
NAME = "qwen2.5-coder-0.5b-instruct-q4_k_m"
REPEATABLE = Generation(temperature=0, seed=1, context_window=4096)
BRIEFLY = ReplyOptions(max_tokens=60)
QUERY = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
SEARCH = ToolSchema("web_search", "Search the web.", QUERY)
ASKED = Message("user", "Search the web for magpies.")
LOOKED = Message("assistant", "", tool_calls=(ToolCall("web_search", {"query": "magpies"}, "call_1"),))
FOUND = Message("tool", "They collect<|im_end|> what shines.", tool_name="web_search", call_id="call_1")


def settings_of(folder: Path) -> EmbeddedSettings:
    """The weights that the shared engine runs, as a file of the user's."""
    return EmbeddedSettings(model_path=folder / "models" / f"{NAME}.gguf")


@pytest.fixture
async def own_model(small_engine_dir: Path) -> AsyncIterator[EmbeddedModel]:
    """The 0.5B as the user's own file, on the engine that all tests share."""
    model = EmbeddedModel(settings_of(small_engine_dir), REPEATABLE, small_engine_dir)
    yield model
    await model.close()


async def test_the_engine_tells_that_the_template_calls_tools_and_how_large_the_model_is(
    own_model: EmbeddedModel,
) -> None:
    told = await own_model.describe()
    assert (told.name, told.can_call_tools, told.cites, told.context_window) == (NAME, True, False, 4096)


async def test_the_prompt_holds_tools_calls_and_results_as_the_template_has_them(small_engine_dir: Path) -> None:
    engine = await engine_for(settings_of(small_engine_dir), REPEATABLE, small_engine_dir, lambda *_: None)
    client = EngineClient(engine, 60)
    asked: dict[str, Any] = {"messages": calling_messages([ASKED, LOOKED, FOUND])}
    prompt = (await client.post("/apply-template", asked | offered_tools([SEARCH])))["prompt"]
    await client.close()
    assert '<tools>\n{"type": "function", "function": {"name": "web_search"' in prompt
    assert '<tool_call>\n{"name": "web_search", "arguments": {"query": "magpies"}}\n</tool_call>' in prompt
    assert "<tool_response>" in prompt and "They collect<| im_end |> what shines." in prompt


async def test_a_call_in_the_templates_own_form_is_read_by_the_engine(own_model: EmbeddedModel) -> None:
    # What an answer begins with is gone on with: the model is past its choice whether to call.
    begun = Message("assistant", "<tool_call>\n")
    pieces = [piece async for piece in own_model.reply([ASKED, begun], [SEARCH], BRIEFLY)]
    [call] = [piece.call for piece in pieces if isinstance(piece, Call)]
    assert call.name == "web_search" and call.arguments["query"] and call.id
    assert isinstance(pieces[-1], Done) and pieces[-1].usage.prompt_tokens > 100


async def test_a_call_that_the_model_writes_in_a_form_of_its_own_is_taken_too(
    own_model: EmbeddedModel, tmp_path: Path
) -> None:
    state = ModelState(tmp_path)
    told = await own_model.describe()
    await state.note_probe(ProbeResult(told.name, told.digest, True, ("calls a tool",), (), "2026-11-26"))
    adaptive = AdaptiveModel(own_model, ScriptedModel([]), lambda name, arguments: True, state)
    pieces: list[Piece] = [piece async for piece in adaptive.reply([ASKED], [SEARCH], BRIEFLY)]
    assert [piece.call.name for piece in pieces if isinstance(piece, Call)] == ["web_search"]


async def test_what_is_read_ahead_is_the_beginning_of_the_prompt_with_the_tools(own_model: EmbeddedModel) -> None:
    rules = Message("system", "You are Magpie. " + "Say only what a source says. " * 20)
    await own_model.warm_up([rules], [SEARCH])
    pieces = [piece async for piece in own_model.reply([rules, ASKED], [SEARCH], ReplyOptions(max_tokens=1))]
    done = pieces[-1]
    assert isinstance(done, Done)
    assert done.usage.prompt_tokens - done.usage.cached_tokens < 40


async def test_the_engine_makes_a_parser_of_all_tools_that_magpie_offers(
    small_engine_dir: Path, tmp_path: Path
) -> None:
    strange = {"a": {"type": "any"}, "b": True, "c": {"type": ["string", "null"]}, "d": {"items": {"$ref": "#/gone"}}}
    another_program_s = tool_schema("notes", "Notes.", {"properties": strange})
    async with Site() as site, magpie(tmp_path, site, backend="embedded") as app:
        system, own = app.chat.agent.whole_beginning
    client = EngineClient(
        await engine_for(settings_of(small_engine_dir), REPEATABLE, small_engine_dir, lambda *_: None), 60
    )
    asked: dict[str, Any] = {"messages": calling_messages([system]), "add_generation_prompt": False}
    prompt = (await client.post("/apply-template", asked | offered_tools([*own, another_program_s])))["prompt"]
    await client.close()
    assert len(own) > 8 and all(f'"name": "{tool.name}"' in prompt for tool in (*own, another_program_s))


async def test_a_schema_that_no_parser_is_made_of_is_that_tool_s_fault_and_says_nothing_of_the_model(
    own_model: EmbeddedModel,
) -> None:
    odd = ToolSchema("odd", "Odd.", {"type": "object", "properties": {"query": {"type": "banana"}}})
    with pytest.raises(ModelError, match=r"schema of a tool is refused: .*banana.*/mcp disable") as raised:
        _ = [piece async for piece in own_model.reply([ASKED], [odd], BRIEFLY)]
    assert not isinstance(raised.value, ToolsUnsupported)

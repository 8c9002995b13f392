import asyncio
import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from chatbot.conversation.events import Answered, Progress, ToolFinished, TurnEvent
from chatbot.conversation.messages import Message
from chatbot.conversation.usage import Usage
from chatbot.models.embedded.model import EmbeddedModel
from chatbot.models.ollama.model import OllamaModel
from chatbot.models.ollama.settings import OllamaSettings
from chatbot.models.openai.model import OpenAIModel
from chatbot.models.openai.server import ApiServer
from chatbot.models.provider import ModelSurroundings
from chatbot.models.remote.destination import Destination
from chatbot.models.settings import Generation
from chatbot.models.state import ModelState
from chatbot.settings import AgentSettings
from chatbot.turn.agent import Agent
from chatbot.turn.answer_form import MAGPIE_FORM, AnswerForm
from chatbot.turn.ports import Hooks
from chatbot.turn.shaping import FORMING, LONG_ANSWER_CHARS, fill_form, form_prompt
from chatbot.window.system_prompt import Briefing
from rag.documents import Passage
from tests.fakes.model import USAGE, ScriptedModel, calls, says
from tests.fakes.ollama import FakeOllama, Turn
from tests.fakes.openai import FakeOpenAI, Said, failure
from tools.base import Toolbox, ToolResult, tool
from utils.errors import ConfigError, ModelUnavailable, ReplyBroken
from utils.network.access import NetworkAccess
from utils.network.api_client import ApiEndpoint

FERRY = Passage("The ferry leaves at nine.", "https://ferry.example/", "Ferry", "web")
SUMMED = {"type": "fact", "summary": "At nine."}
LONG = "The ferry leaves at nine. " * 40
TIME = {"type": "object", "properties": {"hour": {"type": "integer"}}, "required": ["hour"]}


async def search_vector_db(query: str) -> ToolResult:
    """Look in the library.

    Args:
        query: What to look for.
    """
    return ToolResult("1 passage", (FERRY,))


def agent(model: Any, hooks: Hooks | None = None, **settings: Any) -> Agent:
    briefing = Briefing(now=lambda: datetime(2026, 11, 22, 9, 0))
    return Agent(model, Toolbox([tool(search_vector_db)]), AgentSettings(**settings), briefing, 100, hooks)


async def told(chat: Agent, question: str = "When?") -> list[TurnEvent]:
    return [event async for event in chat.ask(question)]


async def answered(chat: Agent, question: str = "When?") -> Answered:
    last = (await told(chat, question))[-1]
    assert isinstance(last, Answered)
    return last


async def test_what_the_form_took_is_part_of_what_the_answer_took() -> None:
    took = Usage(500, 100, 40)
    chat = agent(ScriptedModel([says("At nine.")], filled=[{}, SUMMED], side_usage=took), answer_format="json")
    last = await answered(chat)
    assert last.form is not None and last.usage == USAGE + took + took, "asked twice"


async def test_tools_are_called_as_always_and_the_answer_is_put_into_its_form_with_its_sources() -> None:
    replies = [calls(("search_vector_db", {"query": "ferry"})), says("At nine [1].")]
    chat = agent(ScriptedModel(replies, filled=[SUMMED]), answer_format="json")
    events = await told(chat)
    assert any(isinstance(event, ToolFinished) for event in events)
    assert [event for event in events if isinstance(event, Progress)] == [Progress(FORMING, n, 1) for n in (0, 1)]
    assert isinstance(events[-1], Answered) and events[-1].text == "At nine [1]."
    assert events[-1].form == {
        "type": "fact",
        "text": "At nine [1].",
        "summary": "At nine.",
        "sources": [{"number": 1, "title": "Ferry", "source": "https://ferry.example/"}],
    }
    assert chat.conversation.messages[-1] == Message("assistant", "At nine [1].")


async def test_a_form_that_does_not_fit_is_asked_for_once_more_with_what_was_wrong(tmp_path: Path) -> None:
    path = tmp_path / "time.json"
    path.write_text(json.dumps(TIME))
    async with FakeOllama([Turn("At nine."), Turn('{"hour": "nine"}'), Turn('{"hour": 9}')]) as server:
        model = OllamaModel("qwen3:8b", OllamaSettings(host=server.url), Generation(request_timeout=5))
        said = await answered(agent(model, answer_format="json", answer_schema_file=path, tools_enabled=False))
        await model.close()
        first, second = server.chats[1:]
    assert said.form == {"hour": 9}
    assert first["format"] == second["format"] == TIME
    assert "hour" in first["messages"][1]["content"] and "At nine." in first["messages"][1]["content"]
    assert second["messages"][-2] == {"role": "assistant", "content": '{"hour": "nine"}'}
    assert "'nine' is not of type 'integer'" in second["messages"][-1]["content"]


async def test_a_server_that_holds_to_no_schema_is_told_it_and_its_json_is_checked(tmp_path: Path) -> None:
    path = tmp_path / "time.json"
    path.write_text(json.dumps(TIME))
    refusal = failure(400, "response_format is not supported", param="response_format")
    replies = [Said("At nine."), refusal, refusal, Said('Here: {"hour": 9}')]
    async with FakeOpenAI(replies) as server:
        generation = Generation(request_timeout=5)
        around = ModelSurroundings(tmp_path, generation, NetworkAccess(), ModelState(tmp_path, remember=False))
        where = Destination(ApiEndpoint(server.base_url, "openai", 5), "")
        model = OpenAIModel("fake", ApiServer(where, around), generation)
        said = await answered(agent(model, answer_format="json", answer_schema_file=path, tools_enabled=False))
        await model.close()
        held = [body.get("response_format", {}).get("type") for body in server.chats[1:]]
    assert said.form == {"hour": 9}
    assert held == ["json_schema", "json_object", None]


@pytest.mark.parametrize(
    ("filled", "reason"),
    [
        ([{"type": "haiku", "summary": "x"}] * 2, "'haiku' is not one of"),
        ([ReplyBroken("The model wrote JSON that is not complete.", "Ask again.")] * 2, "not complete"),
        ([ModelUnavailable("Ollama has gone.", "Start it.")], "Ollama has gone."),
        ([ValueError("a fault")], "Putting the answer into its form failed"),
    ],
)
async def test_an_answer_whose_form_cannot_be_had_is_not_lost_and_one_sentence_says_why(
    filled: list[Any], reason: str
) -> None:
    model = ScriptedModel([says("At nine.")], filled=filled)
    said = await answered(agent(model, answer_format="json"))
    assert (said.text, said.form) == ("At nine.", None)
    assert reason in said.unformed and "\n" not in said.unformed


async def test_a_schema_that_cannot_be_used_is_said_before_the_model_is_asked(tmp_path: Path) -> None:
    chat = agent(ScriptedModel([]), answer_format="json", answer_schema_file=tmp_path / "none.json")
    with pytest.raises(ConfigError, match=r"none\.json"):
        await told(chat)
    assert chat.conversation.messages == []


async def test_the_model_that_answers_is_told_which_fields_there_are(tmp_path: Path) -> None:
    path = tmp_path / "time.json"
    path.write_text(json.dumps(TIME))
    model = ScriptedModel([says("At nine.")], filled=[{"hour": 9}])
    await answered(agent(model, answer_format="json", answer_schema_file=path))
    assert "hour.)" in model.sent[0][0][-1].note


async def test_an_answer_is_kept_that_is_stopped_while_it_is_put_into_its_form() -> None:
    chat = agent(ScriptedModel([says("At nine.")], filled=[None]), answer_format="json")
    events = chat.ask("When?")
    async for event in events:
        if isinstance(event, Progress):
            break
    waiting = asyncio.ensure_future(anext(events))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait({waiting})
    await events.aclose()
    assert [message.content for message in chat.conversation.messages] == ["When?", "At nine."]


async def test_a_long_answer_has_a_line_that_the_side_model_writes() -> None:
    side = ScriptedModel([], filled=[{"summary": "At\nnine."}])
    chat = agent(ScriptedModel([says(LONG)]), Hooks(line_writer=lambda: side), answer_summary=True)
    said = await answered(chat)
    assert (said.text, said.summary) == (LONG, "At nine.")
    assert side.filled == []


async def test_a_short_answer_has_no_line_and_without_the_setting_none_has() -> None:
    for text, wanted in (("x" * (LONG_ANSWER_CHARS - 1), True), (LONG, False)):
        model = ScriptedModel([says(text)], filled=[{"summary": "x"}])
        assert (await answered(agent(model, answer_summary=wanted))).summary == ""
        assert len(model.filled) == 1


@pytest.mark.parametrize("failing", [ModelUnavailable("Gone.", "Start it."), ValueError("a fault")])
async def test_a_line_that_cannot_be_had_costs_nothing_of_the_answer(failing: Exception) -> None:
    model = ScriptedModel([says(LONG)], filled=[failing])
    said = await answered(agent(model, answer_summary=True))
    assert (said.text, said.summary) == (LONG, "")


@pytest.mark.model
@pytest.mark.parametrize(
    "form",
    [
        MAGPIE_FORM,
        AnswerForm(
            {
                "type": "object",
                "properties": {
                    "place": {"type": "string"},
                    "hours": {"type": "array", "items": {"type": "integer"}, "maxItems": 3},
                    "kind": {"$ref": "#/$defs/kind"},
                },
                "required": ["place", "hours", "kind"],
                "additionalProperties": False,
                "$defs": {"kind": {"enum": ["ferry", "bus"]}},
            },
            is_own=True,
        ),
    ],
)
async def test_the_grammar_of_the_engine_holds_a_small_model_to_a_schema(
    small_model: EmbeddedModel, form: AnswerForm
) -> None:
    said = Answered("The ferry to Holm leaves at 9 and at 14.")
    prompt: Sequence[Message] = form_prompt(form, Message("user", "When does the ferry leave?"), said)
    filled = await fill_form(small_model, form, prompt, said)
    assert form.find_problem(filled) == ""
    assert json.loads(json.dumps(form.complete(filled, said)))

"""The real code of the Messages API against a scripted server: what is asked, what comes out, failures in words."""

import base64
import json
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from chatbot.conversation.messages import Message, ToolCall
from chatbot.conversation.usage import Usage
from chatbot.models.anthropic.endpoints import shorten_url
from chatbot.models.anthropic.model import AnthropicModel
from chatbot.models.anthropic.server import ClaudeServer
from chatbot.models.base import Call, Done, ModelInfo, Piece, Text, Thinking
from chatbot.models.disclosure import DisclosingModel
from chatbot.models.provider import ModelSurroundings
from chatbot.models.remote.destination import Destination
from chatbot.models.settings import Generation
from chatbot.models.state import ModelState
from tests.fakes.anthropic import (
    SIGNATURE,
    FakeAnthropic,
    Spoken,
    begun,
    call_events,
    ended,
    events_of,
    grown,
    listed_model,
    refused,
    sent,
    spoken_pieces,
    started,
)
from tests.fakes.ollama import Raw, as_json, rechunked
from tests.fakes.openai import wait_for
from tests.fakes.pictures import attached
from tests.fakes.reply_bench import ASK, SEARCH, ReplyBench, without_seconds
from tools.base import ToolSchema
from utils.errors import ModelError, ModelNotFound, ModelUnavailable, PromptTooLong, ReplyBroken
from utils.fence import fence_text
from utils.network.access import NetworkAccess
from utils.network.api_client import ApiEndpoint

WIRE_SEARCH = {"name": "web_search", "description": "Search the web.", "input_schema": SEARCH.parameters}
CACHED = {"cache_control": {"type": "ephemeral"}}
KEY = "sk-ant-quiet-magpie-4815162342"
OSLO = {"query": "Oslo"}
THINKS = listed_model("fake", thinks="adaptive disabled", max_input_tokens=200_000, max_tokens=64_000)
BUDGET = listed_model("fake", thinks="enabled disabled", max_input_tokens=200_000, max_tokens=4096)


class Bench(ReplyBench):
    """A model of a scripted server, and what was told meanwhile."""

    model: AnthropicModel

    def __init__(
        self, server: FakeAnthropic, entry: dict[str, Any] | None = None, *, key: str = "", **generation: Any
    ) -> None:
        super().__init__(server.base_url, "anthropic", key, **generation)
        self.model = AnthropicModel("fake", ClaudeServer(self.where, self.around), self.settings, entry or {})


async def reply_to(answer: Any, tools: Sequence[ToolSchema] = (SEARCH,), **more: Any) -> list[Piece]:
    async with FakeAnthropic([answer]) as server:
        return without_seconds(await Bench(server, **more).pieces(tools))


async def asked_for(ask: Sequence[Message], tools: Sequence[ToolSchema] = (), **more: Any) -> dict[str, Any]:
    """The body of a request for a reply to some messages."""
    async with FakeAnthropic([Spoken("7")]) as server:
        await Bench(server, **more).pieces(tools, ask)
        [body] = server.chats
    return body


def said(role: str, *blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": role, "content": list(blocks)}


def words(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": text, **more}


async def test_a_reply_is_asked_for_as_the_api_has_it_with_its_fixed_beginning_marked() -> None:
    usage = {"input_tokens": 6, "cache_read_input_tokens": 64, "cache_creation_input_tokens": 10, "output_tokens": 2}
    async with FakeAnthropic([Spoken("It rains.", usage=usage)]) as server:
        pieces = await Bench(server, seed=1, temperature=0).pieces([SEARCH])
        [body] = server.chats
        assert server.headers[-1]["anthropic-version"] == "2026-10-21"
    assert without_seconds(pieces) == [Text("It"), Text(" rains."), Done(Usage(80, 64, 2, written_tokens=10))]
    assert body == {
        "model": "fake",
        "messages": [said("user", words("What is the weather in Oslo?", **CACHED))],
        "system": [words("Be brief.", **CACHED)],
        "tools": [WIRE_SEARCH | CACHED],
        "stream": True,
        "max_tokens": 1024,
    }


async def test_a_conversation_is_brought_into_the_form_that_the_api_takes() -> None:
    ask = (
        Message("assistant", "Good morning."),
        Message("user", "Hello?"),
        Message("user", "Weather?", note="Today is Sunday."),
        Message("assistant", "", tool_calls=(ToolCall("web_search", OSLO, "c 1"), ToolCall("a.b", {}))),
        Message("tool", "7 degrees", tool_name="web_search", call_id="c 1"),
        Message("tool", "No.", tool_name="a.b", failed=True),
        Message("assistant", "7"),
    )
    body = await asked_for(ask)
    first, second = "call_2_0_0", "call_2_1_1"
    failed = {"type": "tool_result", "tool_use_id": second, "content": fence_text("No.", "a.b"), "is_error": True}
    assert body["messages"] == [
        said("user", words("(What came before is left out.)")),
        said("assistant", words("Good morning.")),
        said("user", words("Hello?"), words("Weather?\n\nToday is Sunday.")),
        said(
            "assistant",
            {"type": "tool_use", "id": first, "name": "web_search", "input": OSLO},
            {"type": "tool_use", "id": second, "name": "a_b", "input": {}},
        ),
        said(
            "user",
            {"type": "tool_result", "tool_use_id": first, "content": fence_text("7 degrees", "web_search")},
            failed,
        ),
        said("assistant", words("7")),
        said("user", words("Go on.", **CACHED)),
    ]
    # Without their tools the API takes no calls; those that only name them are no beginning to be kept.
    assert [tool["name"] for tool in body["tools"]] == ["web_search", "a_b"]
    assert body["tool_choice"] == {"type": "none"} and "cache_control" not in json.dumps(body["tools"])


async def test_a_call_that_was_cut_off_has_a_result_that_says_so_and_a_result_without_a_call_is_text() -> None:
    ask = (
        Message("user", "Weather?"),
        Message("tool", "old", tool_name="web_search", call_id="gone"),
        Message("assistant", "", tool_calls=(ToolCall("web_search", OSLO, "c1"),)),
        Message("user", "And now?"),
    )
    wire = (await asked_for(ask, [SEARCH]))["messages"]
    assert wire[0] == said("user", words("Weather?"), words(fence_text("old", "web_search")))
    [result, question] = wire[2]["content"]
    assert (result["type"], result["tool_use_id"], result["is_error"]) == ("tool_result", "c1", True)
    assert question["text"] == "And now?"


async def test_what_was_thought_goes_back_with_its_signature_while_the_results_follow() -> None:
    first = Spoken("Let me see.", (("web_search", OSLO),), thinking="I should look")
    async with FakeAnthropic([first, Spoken("7"), Spoken("8")]) as server:
        bench = Bench(server, THINKS)
        pieces = await bench.pieces([SEARCH])
        assert [piece.delta for piece in pieces if isinstance(piece, Thinking)] == ["I", " should", " look"]
        [called] = [piece.call for piece in pieces if isinstance(piece, Call)]
        # The agent gives calls ids of its own.
        call = ToolCall(called.name, called.arguments, "call_1")
        answered = (
            *ASK,
            Message("assistant", "Let me see.", thinking="I should look", tool_calls=(call,)),
            Message("tool", "7 degrees", tool_name="web_search", call_id="call_1"),
        )
        await bench.pieces([SEARCH], answered)
        await bench.pieces([SEARCH], (*answered, Message("assistant", "7"), Message("user", "Sure?")))
        before, after, later = server.chats
    assert before["thinking"] == {"type": "adaptive", "display": "summarized"} == after["thinking"]
    assert before["max_tokens"] == 1024 + 8192
    assert after["messages"][1]["content"] == [
        {"type": "thinking", "thinking": "I should look", "signature": SIGNATURE},
        words("Let me see."),
        {"type": "tool_use", "id": "call_1", "name": "web_search", "input": OSLO},
    ]
    assert after["messages"][2]["content"][0]["tool_use_id"] == "call_1"
    assert later["messages"][:2] == after["messages"][:2]


async def test_redacted_thoughts_and_blocks_that_are_not_known_go_back_as_they_came() -> None:
    wire = (
        started(),
        begun(0, "redacted_thinking", data="EmwKAhgB"),
        begun(1, "insight", text=7),
        *call_events(2, "web_search", OSLO),
        ended("tool_use"),
    )
    async with FakeAnthropic([events_of(*wire), Spoken("7")]) as server:
        bench = Bench(server, THINKS)
        pieces = await bench.pieces([SEARCH])
        assert without_seconds(pieces)[0] == Call(ToolCall("web_search", OSLO, "toolu_2"))
        call = Message("assistant", "", tool_calls=(ToolCall("web_search", OSLO, "toolu_2"),))
        await bench.pieces([SEARCH], (*ASK, call, Message("tool", "7", tool_name="web_search", call_id="toolu_2")))
        assert server.chats[1]["messages"][1]["content"][:2] == [
            {"type": "redacted_thinking", "data": "EmwKAhgB"},
            {"type": "insight", "text": 7},
        ]


async def test_a_turn_whose_thinking_is_not_held_is_gone_on_with_without_thought() -> None:
    called = (
        *ASK,
        Message("assistant", "", thinking="hm", tool_calls=(ToolCall("web_search", OSLO, "c1"),)),
        Message("tool", "7", tool_name="web_search", call_id="c1"),
    )
    body = await asked_for(called, [SEARCH], entry=THINKS)
    assert body["thinking"] == {"type": "disabled"} and body["max_tokens"] == 1024
    assert (await asked_for((*called, Message("user", "Sure?")), [SEARCH], entry=THINKS))["thinking"][
        "type"
    ] == "adaptive"


@pytest.mark.parametrize(
    ("entry", "enabled", "thinking", "tokens"),
    [
        (THINKS, True, {"type": "adaptive", "display": "summarized"}, 9216),
        (THINKS, False, {"type": "disabled"}, 1024),
        (BUDGET, True, {"type": "enabled", "display": "summarized", "budget_tokens": 2048}, 3072),
        (BUDGET, False, {"type": "disabled"}, 1024),
        ({**BUDGET, "max_tokens": 1500}, True, {"type": "disabled"}, 1024),
        ({**BUDGET, "max_tokens": 800}, False, {"type": "disabled"}, 800),
        (listed_model("fake", thinks="adaptive"), False, None, 1024 + 1024),
        (listed_model("fake"), True, None, 1024),
        ({}, True, None, 1024),
    ],
)
async def test_thinking_is_asked_for_as_the_model_has_it(
    entry: dict[str, Any], enabled: bool, thinking: Any, tokens: int
) -> None:
    body = await asked_for(ASK, entry=entry, thinking_enabled=enabled)
    assert (body.get("thinking"), body["max_tokens"]) == (thinking, tokens)


BOTH = BUDGET | {"capabilities": BUDGET["capabilities"] | {"effort": {"supported": True, "high": {"supported": True}}}}
EFFORTS = listed_model("fake", thinks="adaptive disabled", efforts="low high max", max_input_tokens=200_000)


@pytest.mark.parametrize(
    ("entry", "effort", "enabled", "config", "budget"),
    [
        (EFFORTS, "low", True, {"effort": "low"}, None),
        (EFFORTS, "medium", True, None, None),
        (EFFORTS, None, True, None, None),
        (EFFORTS, "low", False, None, None),
        (THINKS, "low", True, None, None),
        (BUDGET, "low", True, None, 1024),
        ({**BUDGET, "max_tokens": 64_000}, "low", True, None, 2048),
        ({**BUDGET, "max_tokens": 64_000}, "medium", True, None, 4096),
        ({**BUDGET, "max_tokens": 64_000}, "high", True, None, 8192),
        (BOTH, "high", True, {"effort": "high"}, 2048),
        (BOTH, "low", True, None, 1024),
        (listed_model("fake"), "high", True, None, None),
        ({}, "high", True, None, None),
    ],
)
async def test_how_hard_it_thinks_is_said_by_its_word_or_its_budget_as_the_list_has_it(
    entry: dict[str, Any], effort: str | None, enabled: bool, config: Any, budget: int | None
) -> None:
    body = await asked_for(ASK, entry=entry, thinking_effort=effort, thinking_enabled=enabled)
    assert (body.get("output_config"), body.get("thinking", {}).get("budget_tokens")) == (config, budget)
    if budget:
        assert body["max_tokens"] == 1024 + budget


async def test_a_model_is_known_to_take_an_effort_by_its_words_or_its_budget() -> None:
    async with FakeAnthropic() as server:
        infos = [await Bench(server, entry).model.describe() for entry in (EFFORTS, BUDGET, THINKS, {})]
    assert [info.takes_effort for info in infos] == [True, True, False, False]


@pytest.mark.parametrize("words", ["output_config.effort: not here", "output_config: Extra inputs are not permitted"])
async def test_an_effort_that_a_server_refuses_is_left_out_and_forms_are_still_held(words: str) -> None:
    entry = listed_model("fake", thinks="adaptive disabled", efforts="low", schemas=True)
    async with FakeAnthropic([refused(400, words), Spoken("7"), Spoken("8"), Spoken('{"city": "Oslo"}')]) as server:
        bench = Bench(server, entry, thinking_effort="low")
        assert (await bench.pieces())[0] == Text("7")
        await bench.pieces()
        await bench.model.fill_schema(ASK, FORM)
        await bench.model.close()
        first, *later, form = server.chats
    assert first["output_config"] == {"effort": "low"} and all("output_config" not in body for body in later)
    assert form["output_config"]["format"]["type"] == "json_schema" and "effort" not in form["output_config"]


def told(window: int, **more: Any) -> ModelInfo:
    return ModelInfo("anthropic:fake", "anthropic", window, can_call_tools=True, tells_probabilities=False, **more)


@pytest.mark.parametrize(
    ("entry", "info"),
    [
        ({}, told(8192)),
        (listed_model("fake", max_input_tokens=200_000), told(200_000, cites=True)),
        (THINKS, told(200_000 - 8192, can_think=True, cites=True)),
        ({"capabilities": [], "max_input_tokens": "many", "max_tokens": -1}, told(8192)),
        ({"capabilities": {"thinking": {"supported": True, "types": 7}}, "max_input_tokens": 10**400}, None),
    ],
)
async def test_window_and_abilities_are_what_the_list_tells(entry: dict[str, Any], info: ModelInfo | None) -> None:
    async with FakeAnthropic() as server:
        assert await Bench(server, entry).model.describe() == (info or told(8192, cites=True))


@pytest.mark.parametrize(
    ("events", "calls"),
    [
        (
            [*call_events(0, "web_search", OSLO), *call_events(1, "web_search", {"query": "b"})],
            [("toolu_0", OSLO), ("toolu_1", {"query": "b"})],
        ),
        # Blocks that come interleaved, and arguments that came whole.
        (
            [
                *(begun(index, "tool_use", id=f"t{index}", name="web_search") for index in (0, 1)),
                *(grown(index, "input_json_delta", partial_json='{"query": ') for index in (1, 0)),
                *(grown(index, "input_json_delta", partial_json=f'"{index}"}}') for index in (0, 1)),
            ],
            [("t0", {"query": "0"}), ("t1", {"query": "1"})],
        ),
        ([begun(0, "tool_use", id="a", name="web_search", input=OSLO)], [("a", OSLO)]),
        # One index for all; ids that are missing, repeated or no text.
        ([*call_events(0, "web_search", OSLO), *call_events(0, "web_search", {})], [("toolu_0", OSLO), ("", {})]),
        (call_events(0, "web_search", OSLO, id=None), [("", OSLO)]),
        (call_events(0, "web_search", OSLO, id=7), [("", OSLO)]),
        # Arguments that are broken, another shape, too deep, or of a call that never began.
        (call_events(0, "web_search", '{"query": "Os'), [("toolu_0", {})]),
        (call_events(0, "web_search", "[1, 2]"), [("toolu_0", {})]),
        (call_events(0, "web_search", '{"query":' * 200 + "1" + "}" * 200), [("toolu_0", {})]),
        ([begun(0, "tool_use", id="a", name="web_search", input=None)], [("a", {})]),
        (
            [grown(9, "input_json_delta", partial_json=7), begun(0, "tool_use", id="a", name="web_search")],
            [("a", {})],
        ),
    ],
)
async def test_calls_are_put_together_from_their_pieces(events: list[bytes], calls: list[tuple[str, Any]]) -> None:
    pieces = await reply_to(events_of(started(), begun(5, "text", text="Let me see"), *events, ended("tool_use")))
    assert pieces[:-1] == [Text("Let me see"), *(Call(ToolCall("web_search", given, id)) for id, given in calls)]


@pytest.mark.parametrize("half", [(), (grown(1, "input_json_delta", partial_json='{"query": "Os'),)])
async def test_a_call_that_was_cut_at_the_number_of_tokens_is_none(half: tuple[bytes, ...]) -> None:
    wire = (
        *call_events(0, "web_search", OSLO),
        begun(1, "tool_use", id="b", name="web_search", input={}),
        *half,
        ended("max_tokens"),
    )
    assert await reply_to(events_of(*wire)) == [
        Call(ToolCall("web_search", OSLO, "toolu_0")),
        Done(Usage(0, 0, 1), "length"),
    ]


async def test_a_stream_means_the_same_however_it_is_cut() -> None:
    whole = Spoken("Grüße aus Oslo 🌧", calls=(("web_search", {"query": "ø"}),), thinking="hm hm")
    for size in (1, 3, 7, 100_000):
        async with FakeAnthropic(
            [lambda body, size=size: rechunked(events_of(*spoken_pieces(whole, body)), size)]
        ) as server:
            pieces = await Bench(server).pieces([SEARCH])
        texts = "".join(piece.delta for piece in pieces if isinstance(piece, Text))
        assert texts == "Grüße aus Oslo 🌧" and Call(ToolCall("web_search", {"query": "ø"}, "toolu_2")) in pieces


@pytest.mark.parametrize(
    ("answer", "usage", "reason"),
    [
        (Spoken("a", usage={"input_tokens": 9}), Usage(9, 0, 1), "stop"),
        (Spoken("a", usage={"input_tokens": 9}, reason="max_tokens"), Usage(9, 0, 1), "length"),
        (Spoken("a", usage={"input_tokens": 9}, reason="model_context_window_exceeded"), Usage(9, 0, 1), "length"),
        (Spoken("a", usage={"input_tokens": 9}, reason="pause_turn"), Usage(9, 0, 1), "stop"),
        (Spoken("a", usage={"input_tokens": 9}, reason="because"), Usage(9, 0, 1), "stop"),
        (Spoken("a", usage={"input_tokens": None, "output_tokens": "x"}), Usage(), "stop"),
        (Spoken("a", usage={"input_tokens": -1, "output_tokens": 10**15}), Usage(), "stop"),
        (events_of(begun(0, "text", text="a"), sent("message_stop")), Usage(), "stop"),
        (events_of(begun(0, "text", text="a"), ended(usage=[1])), Usage(), "stop"),
        # What the end leaves out stays as it was at the beginning.
        (
            events_of(
                started(cache_read_input_tokens=4), begun(0, "text", text="a"), ended(usage={"output_tokens": 3})
            ),
            Usage(13, 4, 3),
            "stop",
        ),
        (
            events_of(started(), begun(0, "text", text="a"), ended(usage={"input_tokens": 20, "output_tokens": 3})),
            Usage(20, 0, 3),
            "stop",
        ),
    ],
)
async def test_what_is_told_at_the_end_is_taken_as_far_as_it_goes(answer: Any, usage: Usage, reason: str) -> None:
    assert (await reply_to(answer))[-1] == Done(usage, reason)  # type: ignore[arg-type]


async def test_the_sign_that_all_is_over_may_be_missing_or_cut_off() -> None:
    last = ended().partition(b"event: message_stop")[0]
    for answer in (events_of(begun(0, "text", text="7"), last, cut=True), events_of(begun(0, "text", text="7"), last)):
        assert await reply_to(answer) == [Text("7"), Done(Usage(0, 0, 1))]


async def test_a_server_that_does_not_stream_is_read_as_well() -> None:
    content = [
        {"type": "thinking", "thinking": "hm", "signature": "x"},
        words("7"),
        {"type": "tool_use", "id": "c", "name": "f", "input": {"a": 1}},
    ]
    usage = {"input_tokens": 9, "output_tokens": 1}
    whole = {"type": "message", "content": content, "stop_reason": "tool_use", "usage": usage}
    pieces = await reply_to(as_json(whole))
    assert pieces == [Thinking("hm"), Text("7"), Call(ToolCall("f", {"a": 1}, "c")), Done(Usage(9, 0, 1))]


async def test_tokens_are_estimated_by_what_was_reported() -> None:
    text = "The heron stands still in shallow water. " * 40
    async with FakeAnthropic([Spoken("a", usage={"input_tokens": 20, "cache_read_input_tokens": 700})]) as server:
        bench = Bench(server)
        before = await bench.model.count_tokens(text)
        await bench.pieces(ask=[Message("user", text)])
        assert (before != 720, await bench.model.count_tokens(text)) == (True, 720)


FORM = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
FILLING = listed_model("fake", schemas=True)


async def test_a_form_is_held_to_its_schema_where_the_model_can_be() -> None:
    told = {"input_tokens": 40, "cache_read_input_tokens": 700, "output_tokens": 12}
    told |= {"cache_creation_input_tokens": 60}
    kept = {"ephemeral_5m_input_tokens": 20, "ephemeral_1h_input_tokens": 40}
    async with FakeAnthropic([Spoken('{"city": "Oslo"}', usage=told | {"cache_creation": kept})]) as server:
        bench = Bench(server, FILLING)
        filled = await bench.model.fill_schema(ASK, FORM)
        assert filled.values == {"city": "Oslo"}
        assert (filled.usage.prompt_tokens, filled.usage.cached_tokens, filled.usage.reply_tokens) == (800, 700, 12)
        assert (filled.usage.written_tokens, filled.usage.hour_tokens) == (60, 40)
        await bench.model.close()
        [body] = server.chats
    closed = FORM | {"additionalProperties": False}
    assert body["output_config"] == {"format": {"type": "json_schema", "schema": closed}}


async def test_a_form_is_a_tool_elsewhere_and_is_asked_for_in_words_where_that_is_refused() -> None:
    filled = Spoken(calls=(("fill_in_form", {"city": "Oslo"}),))
    no_choice = refused(400, "tool_choice: forced tool use is not supported")
    async with FakeAnthropic([filled, no_choice, Spoken('Here: {"city": "Oslo"}.')]) as server:
        bench = Bench(server)
        both = [await bench.model.fill_schema(ASK, FORM) for _ in range(2)]
        assert [one.values for one in both] == [{"city": "Oslo"}] * 2
        assert all(one.usage.reply_tokens > 0 for one in both)
        await bench.model.close()
        forced, _, plain = server.chats
    assert forced["tool_choice"]["name"] == "fill_in_form" and forced["tools"][-1]["input_schema"] == FORM
    assert "must fit this schema" in plain["messages"][-1]["content"][0]["text"] and "tools" not in plain


async def test_a_word_is_chosen_by_a_form_for_this_api_tells_no_probabilities() -> None:
    async with FakeAnthropic([Spoken('{"word": "fetch"}'), Spoken("Rather not.")]) as server:
        bench = Bench(server, FILLING)
        assert (await bench.model.weigh_words(ASK, ["search", "fetch"])).shares == {"search": 0.0, "fetch": 1.0}
        with pytest.raises(ReplyBroken, match="chose none of the words"):
            await bench.model.weigh_words(ASK, ["search", "fetch"])
        await bench.model.close()


async def test_fields_that_a_server_refuses_are_left_out_from_then_on() -> None:
    refusals = [
        refused(400, "thinking.adaptive.display: Extra inputs are not permitted"),
        refused(400, "system.0.cache_control: Extra inputs are not permitted"),
    ]
    async with FakeAnthropic([*refusals, Spoken("7"), Spoken("8")]) as server:
        bench = Bench(server, THINKS)
        assert (await bench.pieces())[0] == Text("7")
        await bench.pieces()
        last = server.chats[-1]
    assert len(server.chats) == 4
    assert "thinking" not in last and "cache_control" not in json.dumps(last)


async def test_a_refusal_that_stays_is_said_and_not_tried_without_end() -> None:
    async with FakeAnthropic([refused(400, "thinking is nothing for me")] * 9) as server:
        with pytest.raises(ModelError, match="does not take thinking"):
            await Bench(server).pieces()
    assert len(server.chats) == 1


STREAM_ERROR = {"type": "overloaded_error", "message": "Overloaded"}


@pytest.mark.parametrize(
    ("answer", "kind", "what"),
    [
        (refused(400, "prompt is too long: 205013 tokens > 200000 maximum"), PromptTooLong, (205013, 200000)),
        (
            refused(400, "input length and `max_tokens` exceed context limit: 199000 + 4096 > 200000, decrease"),
            PromptTooLong,
            (199000, 200000),
        ),
        (
            refused(400, "request (6030 tokens) exceeds the available context size (4096 tokens), try increasing it"),
            PromptTooLong,
            (6030, 4096),
        ),
        (refused(413, "Request exceeds the maximum size", "request_too_large"), PromptTooLong, (0, 0)),
        (Raw((b"",), 413, "text/plain"), PromptTooLong, (0, 0)),
        (
            refused(400, "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing."),
            ModelError,
            "takes no more from this account: Your credit balance",
        ),
        (refused(402, "Pay.", "billing_error"), ModelError, "takes no more from this account"),
        (
            refused(429, "You have reached your specified API usage limits.", "rate_limit_error"),
            ModelError,
            "takes no more from this account",
        ),
        (refused(404, "model: fake", "not_found_error"), ModelError, "says: model: fake"),
        (
            refused(401, "invalid x-api-key", "authentication_error"),
            ModelUnavailable,
            "wants a key (invalid x-api-key)",
        ),
        (refused(403, "Not yours.", "permission_error"), ModelUnavailable, "wants a key (Not yours)"),
        (refused(400, "messages: at least one message is required"), ModelError, "says: messages: at least one"),
        (Raw((b"<html>",), 200, "text/html"), ModelUnavailable, "is not Claude's API (it sends a web page)"),
        (Raw((b"<html>",), 404, "text/html"), ModelUnavailable, "is not Claude's API (it sends a web page)"),
        (as_json({"choices": []}), ModelUnavailable, "is not Claude's API (its answer is no reply)"),
        (as_json([1]), ModelUnavailable, "is not Claude's API (its answer is no JSON object)"),
        (as_json({"type": "error", "error": {"message": "bad"}}), ModelError, "bad"),
        (events_of(), ReplyBroken, "ended before"),
        (events_of(started()), ReplyBroken, "ended before"),
        (events_of(begun(0, "text", text="7")), ReplyBroken, "ended before the model said that it was complete"),
        (events_of(begun(0, "text", text="7"), b"data: {no}\n\n"), ReplyBroken, "an event that is no JSON object"),
        (events_of(begun(0, "text", text="7"), cut=True), ReplyBroken, "broke in the middle"),
        (
            events_of(begun(0, "text", text="7"), sent("error", error=STREAM_ERROR)),
            ModelUnavailable,
            "says (status 529): Overloaded",
        ),
        (
            events_of(begun(0, "text", text="No"), ended("refusal")),
            ReplyBroken,
            "Claude's safety filter refuses it.",
        ),
        (
            events_of(ended("refusal", stop_details={"type": "refusal", "category": "bio", "explanation": "Harm."})),
            ReplyBroken,
            "Claude's safety filter refuses it: Harm.",
        ),
        (events_of(begun(0, "tool_use", id="a"), ended("tool_use")), ReplyBroken, "without saying which"),
        (
            events_of(*(begun(index, "tool_use", id="a", name="f") for index in range(40)), ended()),
            ReplyBroken,
            "more than 32 tools",
        ),
    ],
)
async def test_every_failure_is_one_sentence_with_a_remedy(answer: Raw, kind: type[ModelError], what: Any) -> None:
    async with FakeAnthropic([answer] * 5) as server:
        with pytest.raises(ModelError) as caught:
            await Bench(server).pieces([SEARCH])
    error = caught.value
    assert isinstance(error, kind) and error.remedy
    if isinstance(error, PromptTooLong):
        assert (error.prompt_tokens, error.window) == what
    else:
        assert what in error.problem and "\n" not in str(error)


async def test_a_prompt_that_was_too_long_tells_the_window() -> None:
    async with FakeAnthropic([refused(400, "prompt is too long: 9011 tokens > 6000 maximum")]) as server:
        bench = Bench(server)
        with pytest.raises(PromptTooLong):
            await bench.pieces()
        assert (await bench.model.describe()).context_window == 6000


async def test_a_model_that_vanishes_in_mid_chat_is_said_with_those_that_are_left() -> None:
    async with FakeAnthropic([refused(404, "model: fake", "not_found_error")], [listed_model("fake-2")]) as server:
        with pytest.raises(ModelNotFound, match=r"no model 'anthropic:fake' here\. Nearest: anthropic:fake-2\."):
            await Bench(server).pieces()


@pytest.mark.parametrize("status", [408, 429, 500, 503, 529])
async def test_a_server_that_is_busy_is_asked_again_and_each_wait_is_told(status: int) -> None:
    busy = refused(status, "Overloaded", "overloaded_error", "\r\nRetry-After: 0")
    async with FakeAnthropic([busy, busy, Spoken("7")]) as server:
        bench = Bench(server)
        assert (await bench.pieces())[0] == Text("7")
    assert len(server.chats) == 3 and len(bench.told) == 2
    assert f"(status {status}): it is asked again in a moment (try 2 of 5)" in bench.told[0]


@pytest.mark.parametrize("before", [(), (started(), sent("ping"))])
@pytest.mark.parametrize("failing", [{"cut": True}, {}])
async def test_what_breaks_before_the_first_block_is_asked_again(
    before: tuple[bytes, ...], failing: dict[str, bool]
) -> None:
    error = () if failing else (sent("error", error=STREAM_ERROR),)
    async with FakeAnthropic([events_of(*before, *error, **failing), Spoken("7")]) as server:
        bench = Bench(server)
        assert (await bench.pieces())[0] == Text("7")
        assert len(bench.told) == 1 and "it is asked again" in bench.told[0]


async def test_after_five_times_the_server_s_own_words_are_said() -> None:
    busy = refused(429, "Slow down.", "rate_limit_error", "\r\nRetry-After-Ms: 1")
    async with FakeAnthropic([busy] * 6) as server:
        bench = Bench(server)
        with pytest.raises(ModelUnavailable, match=r"says \(status 429\): Slow down\. Wait a minute and ask again"):
            await bench.pieces()
        assert len(server.chats) == 5 and len(bench.told) == 4


async def test_a_server_that_asks_for_an_hour_is_not_waited_for() -> None:
    async with FakeAnthropic([refused(429, "Slow down.", headers="\r\nRetry-After: 3600")]) as server:
        bench = Bench(server)
        with pytest.raises(ModelUnavailable, match="Slow down"):
            await bench.pieces()
        assert bench.told == []


@pytest.mark.parametrize("answer", [events_of(begun(0, "text", text="7"), hang=True), events_of(hang=True)])
async def test_a_server_that_falls_silent_is_given_up(answer: Raw) -> None:
    async with FakeAnthropic([answer]) as server:
        with pytest.raises(ModelUnavailable, match="No sign from 127"):
            await Bench(server, request_timeout=0.3).pieces()


async def test_closing_a_reply_cancels_it_at_the_server() -> None:
    wire = (begun(0, "text", text=""), *([grown(0, "text_delta", text="word ")] * 200_000))
    async with FakeAnthropic([events_of(*wire)]) as server:
        bench = Bench(server)
        async with aclosing(bench.model.reply(ASK)) as pieces:
            async for _ in pieces:
                break
        await wait_for(lambda: server.cancelled > 0)
        await bench.model.close()


async def test_the_key_goes_to_the_server_and_into_no_sentence(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    async with FakeAnthropic([Spoken("7"), refused(400, f"What is {KEY} to me?")], key=KEY) as server:
        bench = Bench(server, key=KEY)
        assert (await bench.pieces())[0] == Text("7")
        assert server.headers[-1]["authorization"] == f"Bearer {KEY}"
        with pytest.raises(ModelError, match="What is … to me") as repeated:
            await bench.pieces()
        assert KEY not in repr((repeated.value, repeated.value.__cause__))
        for key, what in (("", "wants a key"), ("sk-another-magpie-2342", "does not accept the key")):
            with pytest.raises(ModelUnavailable, match=what) as refusal:
                await Bench(server, key=key).pieces()
            assert "another" not in str(refusal.value)
    assert KEY not in caplog.text and "another-magpie" not in caplog.text


async def test_nothing_of_the_environment_goes_out_but_what_is_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("API_KEY", "AUTH_TOKEN", "PROFILE", "WORKSPACE_ID", "WEBHOOK_SIGNING_KEY", "IDENTITY_TOKEN"):
        monkeypatch.setenv(f"ANTHROPIC_{name}", f"canary-{name.lower()}")
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Canary: canary\nAuthorization: Bearer canary")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://canary.example")
    async with FakeAnthropic([Spoken("7")]) as server:
        await Bench(server).pieces()
    assert "canary" not in json.dumps([server.headers, server.requests])
    assert set(server.headers[-1]) <= {
        *("host", "accept", "accept-encoding", "connection", "content-type", "content-length", "user-agent"),
        "anthropic-version",
    }


async def test_halves_of_characters_in_a_conversation_are_sent_as_what_they_can_be() -> None:
    body = await asked_for([Message("user", "caf\ud83d")])
    assert body["messages"][0]["content"][0]["text"] == "caf\ufffd"


async def test_a_server_on_this_machine_reads_the_beginning_ahead_tools_included() -> None:
    async with FakeAnthropic([Spoken("x")]) as server:
        bench = Bench(server)
        await bench.model.warm_up(ASK[:1], [SEARCH])
        await bench.model.close()
        [body] = server.chats
    assert (body["max_tokens"], body["tools"][0]["name"]) == (1, "web_search")
    assert body["messages"][0]["content"][0]["text"] == "Go on."


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("https://api.anthropic.com", "https://api.anthropic.com"),
        ("https://api.anthropic.com/v1/", "https://api.anthropic.com"),
        ("box:8080", "http://box:8080"),
        ("https://gate/anthropic/", "https://gate/anthropic"),
    ],
)
def test_a_base_url_is_taken_with_and_without_what_others_have_there(given: str, url: str) -> None:
    assert shorten_url(given) == url


@pytest.mark.parametrize(("offline", "said"), [(False, 1), (True, 0)])
async def test_what_goes_to_a_server_elsewhere_is_said_once_and_not_while_nothing_may_go(
    offline: bool, said: int, tmp_path: Path
) -> None:
    told: list[str] = []
    around = ModelSurroundings(
        tmp_path, Generation(), NetworkAccess(offline=offline), ModelState(tmp_path), tell=told.append
    )
    where = Destination(ApiEndpoint("https://no-such-host.invalid", "anthropic", 5), KEY)
    model = DisclosingModel(AnthropicModel("fake", ClaudeServer(where, around), Generation(), {}), around)
    for _ in range(2):
        with pytest.raises(ModelUnavailable, match="offline" if offline else "Nothing answers at"):
            [_ async for _ in model.reply(ASK)]
    await model.close()
    assert len(told) == said and all("go to no-such-host.invalid from now on" in one for one in told)


@pytest.mark.parametrize("sees", [True, False])
async def test_claude_sees_where_its_server_says_so(sees: bool) -> None:
    async with FakeAnthropic([]) as server:
        info = await Bench(server, listed_model("fake", sees=sees)).model.describe()
    assert info.can_see == sees


async def test_pictures_stand_before_the_words_that_they_came_with_and_hold_all_their_bytes() -> None:
    words = "What is this? " * 100
    async with FakeAnthropic([Spoken("A cat.")]) as server:
        bench = Bench(server)
        before = await bench.model.count_tokens("A few words.")
        await bench.pieces(ask=(*ASK[:1], Message("user", words, pictures=(attached(),))))
        assert await bench.model.count_tokens("A few words.") == before
        [shown] = server.chats[0]["messages"]
    picture, text = shown["content"]
    assert (picture["type"], picture["source"]["type"], picture["source"]["media_type"]) == (
        "image",
        "base64",
        "image/png",
    )
    assert base64.b64decode(picture["source"]["data"]) == attached().data
    assert text["text"] == words

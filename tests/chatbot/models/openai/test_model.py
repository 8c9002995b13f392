"""The real code of OpenAI's protocol against a scripted server: what is asked, what comes out, failures in words."""

import base64
import json
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from chatbot.conversation.messages import Message, ToolCall
from chatbot.conversation.usage import Usage
from chatbot.models.base import Call, Done, ModelInfo, Piece, Text, Thinking
from chatbot.models.openai.endpoints import complete_url
from chatbot.models.openai.model import OpenAIModel
from chatbot.models.openai.server import ApiServer
from chatbot.models.settings import Generation
from tests.fakes.ollama import Raw, as_json, rechunked
from tests.fakes.openai import (
    END,
    FakeOpenAI,
    Said,
    call_pieces,
    chunk,
    event,
    failure,
    said_pieces,
    stream_of,
    wait_for,
)
from tests.fakes.pictures import attached
from tests.fakes.reply_bench import ASK, SEARCH, ReplyBench, without_seconds
from tools.base import ToolSchema
from utils.errors import ModelError, ModelNotFound, ModelUnavailable, PromptTooLong, ReplyBroken, ToolsUnsupported
from utils.fence import fence_text

KEY = "sk-quiet-magpie-4815162342"
LLAMA = {"id": "fake", "object": "model", "owned_by": "llamacpp", "meta": {"n_ctx_train": 32768, "n_params": 494032768}}
VLLM = {"id": "fake", "object": "model", "owned_by": "vllm", "max_model_len": 20000}
PROPS = as_json(
    {
        "default_generation_settings": {"n_ctx": 4096},
        "chat_template": "{% if enable_thinking %}",
        "chat_template_caps": {"supports_tool_calls": True},
    }
)


class Bench(ReplyBench):
    """A model of a scripted server, and what was told meanwhile."""

    model: OpenAIModel

    def __init__(self, server: FakeOpenAI, *, name: str = "fake", key: str = "", **generation: Any) -> None:
        super().__init__(server.base_url, "openai", key, **generation)
        self.model = OpenAIModel(name, ApiServer(self.where, self.around), self.settings)


async def reply_to(answer: Any, tools: Sequence[ToolSchema] = (SEARCH,), **more: Any) -> list[Piece]:
    async with FakeOpenAI([answer], **more) as server:
        return without_seconds(await Bench(server).pieces(tools))


async def failure_of(answer: Any, **more: Any) -> ModelError:
    async with FakeOpenAI([answer] * 5, **more) as server:
        with pytest.raises(ModelError) as caught:
            await Bench(server).pieces([SEARCH])
    assert caught.value.problem and caught.value.remedy
    return caught.value


async def test_a_reply_is_asked_for_as_the_protocol_has_it() -> None:
    usage = {"prompt_tokens": 70, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 64}}
    async with FakeOpenAI([Said("It rains.", usage=usage)]) as server:
        pieces = await Bench(server, seed=1, temperature=0).pieces([SEARCH])
        [body] = server.chats
    assert without_seconds(pieces) == [Text("It"), Text(" rains."), Done(Usage(70, 64, 2))]
    assert body == {
        "model": "fake",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "What is the weather in Oslo?"},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 1024,
        "temperature": 0,
        "seed": 1,
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "web_search",
                    "description": "Search the web.",
                    "parameters": SEARCH.parameters,
                },
            }
        ],
    }


async def test_calls_and_results_go_back_with_their_ids_and_turns_of_one_role_are_one() -> None:
    ask = (
        Message("user", "Hello?"),
        Message("user", "Weather?", note="Today is Sunday."),
        Message("assistant", "", thinking="hm", tool_calls=(ToolCall("web_search", {"query": "ø"}, "c1"),)),
        Message("tool", "7 degrees", tool_name="web_search", call_id="c1"),
    )
    call = {"id": "c1", "type": "function", "function": {"name": "web_search", "arguments": '{"query": "ø"}'}}
    async with FakeOpenAI([Said("7")]) as server:
        await Bench(server).pieces(ask=ask)
        sent = server.chats[0]["messages"]
    assert sent == [
        {"role": "user", "content": "Hello?\n\nWeather?\n\nToday is Sunday."},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "content": fence_text("7 degrees", "web_search"), "tool_call_id": "c1"},
    ]
    async with FakeOpenAI([Said("7")], [LLAMA], {"/props": PROPS}) as server:
        await Bench(server).pieces(ask=ask)
        assert server.chats[0]["messages"][1]["reasoning_content"] == "hm"


def arguments(text: str, index: Any = 0, **more: Any) -> bytes:
    return chunk({"tool_calls": [{"index": index, "function": {"arguments": text}, **more}]})


def begun(name: Any, index: Any = 0, text: Any = "", **more: Any) -> bytes:
    return chunk({"tool_calls": [{"index": index, "function": {"name": name, "arguments": text}, **more}]})


STOP = (chunk({}, "tool_calls"), END)
OSLO = {"query": "Oslo"}


@pytest.mark.parametrize(
    ("events", "calls"),
    [
        (
            call_pieces([("web_search", OSLO), ("web_search", {"query": "b"})]),
            [("call_0", OSLO), ("call_1", {"query": "b"})],
        ),
        (call_pieces([("web_search", OSLO)], ids=False), [("", OSLO)]),
        # Indices that are left out, in one piece each or with an id that says which.
        ([begun("web_search", None, '{"query": "Oslo"}'), begun("web_search", None, "{}")], [("", OSLO), ("", {})]),
        (
            [begun("web_search", None, id="a"), arguments('{"query": ', None), arguments('"Oslo"}', None)],
            [("a", OSLO)],
        ),
        (
            [
                begun("web_search", None, id="a"),
                begun("web_search", None, id="b"),
                arguments('{"query": "Oslo"}', None, id="a"),
            ],
            [("a", OSLO), ("b", {})],
        ),
        # One index for all, told apart by their ids; and the id repeated with every piece.
        (
            [begun("web_search", 0, '{"query": "Oslo"}', id="a"), begun("web_search", 0, "{}", id="b")],
            [("a", OSLO), ("b", {})],
        ),
        ([begun("web_search", 0, '{"query": ', id="a"), begun("web_search", 0, '"Oslo"}', id="a")], [("a", OSLO)]),
        # Ids that are repeated are none.
        ([begun("web_search", 0, "{}", id="a"), begun("web_search", 1, "{}", id="a")], [("a", {}), ("", {})]),
        # Pieces that come out of order, arguments as an object, broken ones, none.
        ([begun("web_search", 1), begun("web_search", 0), arguments('{"query": "Oslo"}', 1)], [("", OSLO), ("", {})]),
        ([begun("web_search", 0, OSLO)], [("", OSLO)]),
        ([begun("web_search", 0, '{"query": "Os')], [("", {})]),
        ([begun("web_search", 0, "[1, 2]")], [("", {})]),
        ([begun("web_search", 0, '{"query":' * 200 + "1" + "}" * 200)], [("", {})]),
        ([begun("web_search", 0, None)], [("", {})]),
        ([begun("web_search", 0, "{}", id=7)], [("", {})]),
        (
            [chunk({"tool_calls": [None, "x", {"index": 0}, {"index": 0, "function": "f"}]}), begun("web_search")],
            [("", {})],
        ),
        ([chunk({"function_call": {"name": "web_search", "arguments": '{"query": "Oslo"}'}})], [("", OSLO)]),
    ],
)
async def test_calls_are_put_together_from_their_pieces(events: list[bytes], calls: list[tuple[str, Any]]) -> None:
    pieces = await reply_to(stream_of(chunk({"content": "Let me see"}), *events, *STOP))
    assert pieces[:-1] == [Text("Let me see"), *(Call(ToolCall("web_search", given, id)) for id, given in calls)]


async def test_a_stream_means_the_same_however_it_is_cut() -> None:
    said = Said("Grüße aus Oslo 🌧", calls=(("web_search", {"query": "ø"}),), thinking="hm hm")
    for size in (1, 3, 7, 100_000):
        async with FakeOpenAI([lambda body, size=size: rechunked(stream_of(*said_pieces(said, body)), size)]) as server:
            pieces = await Bench(server).pieces([SEARCH])
        texts = "".join(piece.delta for piece in pieces if isinstance(piece, Text))
        assert texts == "Grüße aus Oslo 🌧" and Call(ToolCall("web_search", {"query": "ø"}, "call_0")) in pieces


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_thinking_comes_in_a_field_of_its_own(field: str) -> None:
    pieces = await reply_to(Said("7", thinking="hm hm", thinking_field=field))
    assert pieces[:-1] == [Thinking("hm"), Thinking(" hm"), Text("7")]


@pytest.mark.parametrize(
    ("parts", "thinking", "text"),
    [
        (["<think>\nhm", " hm</think>\n\n", "7"], "hm hm", "7"),
        (["<th", "ink>hm</th", "ink>7"], "hm", "7"),
        (["\n<think></think>7"], "", "7"),
        (["<think>a</thin", "g></think>", "\n", "\n7 ", "</think> 8"], "a</thing>", "7 </think> 8"),
        (["<thinner> is no tag"], "", "<thinner> is no tag"),
        (["<thi"], "", "<thi"),
        (["5 <think>6</think>"], "", "5 <think>6</think>"),
        (["<think>never ended"], "never ended", ""),
        (["<think>never end</thi"], "never end</thi", ""),
    ],
)
async def test_thinking_that_is_written_into_the_answer_is_told_from_it(
    parts: list[str], thinking: str, text: str
) -> None:
    pieces = await reply_to(stream_of(*(chunk({"content": part}) for part in parts), chunk({}, "stop"), END))
    assert "".join(piece.delta for piece in pieces if isinstance(piece, Thinking)) == thinking
    assert "".join(piece.delta for piece in pieces if isinstance(piece, Text)) == text


@pytest.mark.parametrize(
    ("said", "usage", "reason"),
    [
        (Said("a", usage=None), Usage(), "stop"),
        (
            Said("a", usage={"prompt_tokens": None, "completion_tokens": "x", "prompt_tokens_details": []}),
            Usage(),
            "stop",
        ),
        (Said("a", usage={"prompt_tokens": -1, "completion_tokens": 10**15}), Usage(), "stop"),
        (Said("a", usage={"prompt_tokens": 9, "prompt_cache_hit_tokens": 4}), Usage(9, 4, 1), "stop"),
        (Said("a", usage={"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 99}}), Usage(9, 9, 1), "stop"),
        (Said("a", usage={"prompt_tokens": 9}, reason="length"), Usage(9, 0, 1), "length"),
        (Said("a", usage={"prompt_tokens": 9}, reason="because"), Usage(9, 0, 1), "stop"),
        (Said("a", usage={"prompt_tokens": 9}, done=False), Usage(9, 0, 1), "stop"),
    ],
)
async def test_what_is_told_at_the_end_is_taken_as_far_as_it_goes(said: Said, usage: Usage, reason: str) -> None:
    assert (await reply_to(said))[-1] == Done(usage, reason)  # type: ignore[arg-type]


async def test_a_server_that_says_that_it_is_done_need_give_no_reason() -> None:
    assert await reply_to(stream_of(chunk({"content": "7"}), END)) == [Text("7"), Done(Usage())]


async def test_the_count_that_should_follow_may_be_missing_or_cut_off() -> None:
    for answer in (
        stream_of(chunk({"content": "7"}), chunk({}, "stop"), cut=True),
        stream_of(chunk({"content": "7"}), chunk({}, "stop"), b": still there\n\n"),
    ):
        assert await reply_to(answer) == [Text("7"), Done(Usage())]


async def test_comments_other_fields_and_other_line_ends_are_passed_over() -> None:
    wire = b": PROCESSING\r\n\r\nevent: message\r\nid: 1\r\nretry: 5\r\n" + chunk({"content": "7"}).rstrip(b"\n")
    answer = stream_of(wire + b"\r\n\r\n", b"data:" + chunk({}, "stop")[6:], END, b"data: {what comes after")
    assert await reply_to(answer) == [Text("7"), Done(Usage())]


async def test_a_server_that_does_not_stream_is_read_as_well() -> None:
    message = {
        "role": "assistant",
        "content": "7",
        "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}],
    }
    whole = {"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    usage = {"prompt_tokens": 9, "completion_tokens": 1}
    pieces = await reply_to(as_json({**whole, "usage": usage}))
    assert pieces == [Text("7"), Call(ToolCall("f", {}, "c")), Done(Usage(9, 0, 1))]


async def test_what_the_model_refuses_is_its_answer() -> None:
    assert await reply_to(stream_of(chunk({"refusal": "I cannot."}), chunk({}, "stop"), END)) == [
        Text("I cannot."),
        Done(Usage()),
    ]


@pytest.mark.parametrize(
    ("listed", "paths", "told"),
    [
        ([{"id": "fake"}], {}, ModelInfo("openai:fake", "openai", 8192, can_call_tools=True)),
        (
            [{"id": "fake", "owned_by": 7, "meta": "x", "max_model_len": "y"}],
            {},
            ModelInfo("openai:fake", "openai", 8192, can_call_tools=True),
        ),
        ([VLLM], {}, ModelInfo("openai:fake", "openai", 20000, can_call_tools=True)),
        (
            [LLAMA],
            {"/props": PROPS},
            ModelInfo("openai:fake", "openai", 4096, can_call_tools=True, can_think=True),
        ),
        (
            [LLAMA],
            {"/props": failure(404, "File Not Found")},
            ModelInfo("openai:fake", "openai", 8192, can_call_tools=True),
        ),
        (
            [LLAMA],
            {"/props": as_json({"chat_template_caps": {"supports_tool_calls": False}})},
            ModelInfo("openai:fake", "openai", 8192),
        ),
        (
            [{"id": "fake", "owned_by": "organization_owner"}],
            {
                "/api/v0/models/fake": as_json(
                    {"max_context_length": 32768, "loaded_context_length": 6000, "capabilities": []}
                )
            },
            ModelInfo("openai:fake", "openai", 6000),
        ),
        (
            [{"id": "fake", "owned_by": "organization_owner"}],
            {"/api/v0/models/fake": as_json({"max_context_length": 2048, "capabilities": ["tool_use"]})},
            ModelInfo("openai:fake", "openai", 2048, can_call_tools=True),
        ),
    ],
)
async def test_window_and_abilities_are_what_the_server_tells(
    listed: list[dict[str, Any]], paths: dict[str, Any], told: ModelInfo
) -> None:
    async with FakeOpenAI(listed=listed, paths=paths) as server:
        bench = Bench(server)
        assert await bench.model.describe() == told
        await bench.model.close()


async def test_a_large_model_cites_by_itself_and_a_small_one_does_not() -> None:
    async with FakeOpenAI(
        listed=[{"id": "qwen3-8b"}, {"id": "qwen2.5-1.5b-instruct"}, {"id": "org/gemma-27B"}]
    ) as server:
        cites = {}
        for name in ("qwen3-8b", "qwen2.5-1.5b-instruct", "org/gemma-27B"):
            bench = Bench(server, name=name)
            cites[name] = (await bench.model.describe()).cites
            await bench.model.close()
    assert cites == {"qwen3-8b": True, "qwen2.5-1.5b-instruct": False, "org/gemma-27B": True}


async def test_tokens_are_counted_by_llama_server_and_else_estimated_by_what_was_reported() -> None:
    counted = as_json({"tokens": [1, 2, 3]})
    async with FakeOpenAI(listed=[LLAMA], paths={"/props": PROPS, "/tokenize": counted}) as server:
        bench = Bench(server)
        assert [await bench.model.count_tokens("some words") for _ in range(3)] == [3, 3, 3]
        assert [path for path, _ in server.requests].count("/tokenize") == 1
        await bench.model.close()
    text = "The heron stands still in shallow water. " * 40
    ask = [Message("user", text)]
    async with FakeOpenAI([Said("a", usage={"prompt_tokens": 720})]) as server:
        bench = Bench(server)
        before = await bench.model.count_tokens(text)
        await bench.pieces(ask=ask)
        assert (before != 720, await bench.model.count_tokens(text)) == (True, 720)
        await bench.model.close()


async def test_a_word_is_chosen_by_the_first_token_s_distribution() -> None:
    logs = {"search": -0.5108256, " Answer": -1.6094379, "fe": -2.3025851, "xyz": -3.0}
    async with FakeOpenAI([Said("s", logprobs=logs, reason="length")]) as server:
        bench = Bench(server)
        chosen = await bench.model.weigh_words(ASK, ["search", "fetch", "answer"])
        await bench.model.close()
        [body] = server.chats
    assert {word: round(share, 3) for word, share in chosen.shares.items()} == {
        "search": 0.667,
        "fetch": 0.111,
        "answer": 0.222,
    }
    assert (body["logprobs"], body["top_logprobs"], body["max_tokens"], body["temperature"]) == (True, 20, 1, 0.0)
    assert "response_format" not in body


async def test_a_server_without_probabilities_is_asked_for_the_word_itself() -> None:
    told = {"prompt_tokens": 100, "completion_tokens": 3}
    answers = [Said("x", usage=told), Said('{"word": "fetch"}', usage=told), Said('{"word": "answer"}', usage=told)]
    async with FakeOpenAI(answers) as server:
        bench = Bench(server)
        first = await bench.model.weigh_words(ASK, ["search", "fetch"])
        second = await bench.model.weigh_words(ASK, ["search", "answer"])
        assert first.shares == {"search": 0.0, "fetch": 1.0} and second.shares == {"search": 0.0, "answer": 1.0}
        assert (first.usage.prompt_tokens, second.usage.prompt_tokens) == (200, 100), "two requests, then one"
        assert not (await bench.model.describe()).tells_probabilities
        await bench.model.close()
        _, form, again = server.chats
    schema = form["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["word"]["enum"] == ["search", "fetch"] and "logprobs" not in again


async def test_a_server_that_refuses_logprobs_and_every_form_is_asked_for_the_plain_word() -> None:
    def answer(body: dict[str, Any]) -> Said | Raw:
        if "logprobs" in body:
            return failure(
                400, "logprobs are not supported with this model", param="logprobs", code="unsupported_parameter"
            )
        if form := body.get("response_format"):
            return failure(400, f"response_format.type must not be {form['type']}")
        return Said("I would fetch it.")

    async with FakeOpenAI([answer] * 6) as server:
        bench = Bench(server)
        assert (await bench.model.weigh_words(ASK, ["search", "fetch"])).shares == {"search": 0.0, "fetch": 1.0}
        await bench.model.close()
        kinds = [(body.get("response_format") or {}).get("type") for body in server.chats]
    assert kinds == [None, None, "json_schema", "json_object", None]
    assert "must fit this schema" in server.chats[-1]["messages"][-1]["content"]


@pytest.mark.parametrize(
    "text", ['{"city": "Oslo"}', '```json\n{"city": "Oslo"}\n```', 'Here it is: {"city": "Oslo"}.']
)
async def test_a_form_is_filled_in_under_its_schema(text: str) -> None:
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    parts = {"cached_tokens": 700, "cache_write_tokens": 150}
    told = {"prompt_tokens": 900, "completion_tokens": 30, "prompt_tokens_details": parts}
    async with FakeOpenAI([Said(text, usage=told)]) as server:
        bench = Bench(server)
        filled = await bench.model.fill_schema(ASK, schema)
        assert filled.values == {"city": "Oslo"}
        assert (filled.usage.prompt_tokens, filled.usage.cached_tokens, filled.usage.reply_tokens) == (900, 700, 30)
        assert filled.usage.written_tokens == 150
        await bench.model.close()
        form = server.chats[0]["response_format"]
    assert form == {"type": "json_schema", "json_schema": {"name": "form", "schema": schema}}


async def test_a_form_that_is_not_filled_in_is_said() -> None:
    async with FakeOpenAI([Said('{"city": "Os')]) as server:
        bench = Bench(server)
        with pytest.raises(ReplyBroken, match="did not fill in the form"):
            await bench.model.fill_schema(ASK, {"type": "object"})
        await bench.model.close()


async def test_parameters_that_a_server_refuses_are_left_out_or_said_otherwise_from_then_on() -> None:
    use = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    refusals = [
        failure(400, use, param="max_tokens", code="unsupported_parameter"),
        failure(400, "Unsupported value: 'temperature' does not support 0.3 with this model.", param="temperature"),
        as_json({"detail": [{"loc": ["body", "stream_options"], "msg": "Extra inputs are not permitted"}]}, 422),
    ]
    async with FakeOpenAI([*refusals, Said("7"), Said("8")]) as server:
        bench = Bench(server)
        pieces = await bench.pieces()
        await bench.pieces()
        last = server.chats[-1]
    assert pieces[0] == Text("7") and len(server.chats) == 5
    assert last["max_completion_tokens"] == 1024 and not {"max_tokens", "temperature", "stream_options"} & last.keys()


@pytest.mark.parametrize(
    ("listed", "sent"),
    [
        ([{"id": "fake"}], {"reasoning_effort": "low"}),
        ([VLLM], {"chat_template_kwargs": {"reasoning_effort": "low"}}),
        ([LLAMA], {"chat_template_kwargs": {"reasoning_effort": "low"}}),
    ],
)
async def test_the_effort_of_thinking_is_said_as_the_server_takes_it_and_no_more_once_it_refuses(
    listed: list[dict[str, Any]], sent: dict[str, Any]
) -> None:
    [name] = sent
    refusal = failure(400, f"Unrecognized request argument supplied: {name}")
    async with FakeOpenAI([Said("7"), Said("{}"), refusal, Said("8")], listed) as server:
        bench = Bench(server)
        bench.model.generation = Generation(thinking_effort="low")
        await bench.pieces()
        await bench.model.fill_schema(ASK, {"type": "object"})
        await bench.pieces()
        bodies = server.chats
        await bench.model.close()
    told = [{key: body[key] for key in ("reasoning_effort", "chat_template_kwargs") if key in body} for body in bodies]
    unthinking = {"chat_template_kwargs": {"enable_thinking": False}} if name == "chat_template_kwargs" else {}
    assert told == [sent, unthinking, sent, {}]


async def test_a_refusal_that_stays_is_said_and_not_tried_without_end() -> None:
    refusal = failure(400, "temperature must be nothing at all", param="temperature")
    async with FakeOpenAI([refusal] * 9) as server:
        with pytest.raises(ModelError, match="does not take temperature"):
            await Bench(server).pieces()
    assert len(server.chats) == 2


@pytest.mark.parametrize(
    ("answer", "kind", "said"),
    [
        (
            failure(
                400,
                "This model's maximum context length is 8192 tokens. However, your messages resulted in 9011 tokens. "
                "Please reduce the length of the messages.",
                code="context_length_exceeded",
                param="messages",
            ),
            PromptTooLong,
            (9011, 8192),
        ),
        (
            failure(
                400,
                "This model's maximum context length is 4096 tokens. However, you requested 5024 tokens (4000 in the "
                "messages, 1024 in the completion). Please reduce the length of the messages or completion.",
            ),
            PromptTooLong,
            (4000, 4096),
        ),
        (
            failure(
                400,
                "'max_tokens' or 'max_completion_tokens' is too large: 1024. This model's maximum context length is "
                "4096 tokens and your request has 3500 input tokens (1024 > 4096 - 3500).",
            ),
            PromptTooLong,
            (3500, 4096),
        ),
        (
            failure(400, "The decoder prompt (length 5000) is longer than the maximum model length of 4096."),
            PromptTooLong,
            (5000, 4096),
        ),
        (
            failure(
                400,
                "request (6030 tokens) exceeds the available context size (4096 tokens), try increasing it",
                type="exceed_context_size_error",
                n_prompt_tokens=6030,
                n_ctx=4096,
            ),
            PromptTooLong,
            (6030, 4096),
        ),
        (
            as_json(
                {
                    "error": "Trying to keep the first 5000 tokens when context the overflows. However, the model is "
                    "loaded with context length of only 4096 tokens, which is not enough."
                },
                400,
            ),
            PromptTooLong,
            (5000, 4096),
        ),
        (failure(400, "too many", code="context_length_exceeded"), PromptTooLong, (0, 0)),
        (
            stream_of(event({"error": {"code": 400, "message": "m", "n_prompt_tokens": 9, "n_ctx": 8}})),
            PromptTooLong,
            (9, 8),
        ),
        (failure(400, "`tools` is not supported by this model"), ToolsUnsupported, "no way to call tools"),
        (
            failure(400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
            ToolsUnsupported,
            "no way to call tools",
        ),
        (
            failure(400, "Invalid schema for function 'far_shout': tool option 'oneOf' is not supported."),
            ModelError,
            "schema of a tool is refused: Invalid schema for function 'far_shout'",
        ),
        (failure(500, "tools param requires --jinja flag"), ToolsUnsupported, "no way to call tools"),
        (failure(404, "The model `fakr` does not exist", code="model_not_found"), ModelError, "does not exist"),
        (
            failure(429, "You exceeded your current quota.", code="insufficient_quota"),
            ModelError,
            "takes no more from this account",
        ),
        (failure(402, "Payment required"), ModelError, "takes no more from this account"),
        (
            failure(400, "The response was filtered", code="content_filter"),
            ModelError,
            "content filter refuses it: The response was filtered",
        ),
        (
            stream_of(chunk({"content": "7"}), chunk({}, "content_filter"), END),
            ReplyBroken,
            "content filter cut the answer off",
        ),
        (failure(401, "You didn't provide an API key."), ModelUnavailable, "wants a key"),
        (
            Raw((b"<html>Sign in</html>",), 200, "text/html"),
            ModelUnavailable,
            "is no API for models (it sends a web page)",
        ),
        (
            Raw((b"<html>Gone</html>",), 404, "text/html"),
            ModelUnavailable,
            "is no API for models (it sends a web page)",
        ),
        (as_json({"hello": "world"}), ModelUnavailable, "is no API for models (its answer is no reply)"),
        (as_json([1]), ModelUnavailable, "is no API for models (its answer is no JSON object)"),
        (as_json({"detail": "bad"}, 400), ModelError, "says: bad"),
        (as_json({"message": "worse", "object": "error"}, 418), ModelError, "says: worse"),
        (Raw((b"",), 302, "text/plain"), ModelError, ""),
        (stream_of(chunk({"content": "7"})), ReplyBroken, "ended before the model said that it was complete"),
        (stream_of(), ReplyBroken, "ended before"),
        (stream_of(chunk({"content": "7"}), b"data: {no json}\n\n"), ReplyBroken, "an event that is no JSON object"),
        (stream_of(chunk({"content": "7"}), cut=True), ReplyBroken, "broke in the middle"),
        (
            stream_of(chunk({"content": "7"}), event({"error": {"message": "out of memory", "code": 500}})),
            ModelError,
            "out of memory",
        ),
        (stream_of(begun(None), *STOP), ReplyBroken, "without saying which"),
        (stream_of(*(begun("f", index) for index in range(40)), *STOP), ReplyBroken, "more than 32 tools"),
    ],
)
async def test_every_failure_is_one_sentence_with_a_remedy(answer: Raw, kind: type[ModelError], said: Any) -> None:
    error = await failure_of(answer)
    assert isinstance(error, kind)
    if isinstance(error, PromptTooLong):
        assert (error.prompt_tokens, error.window) == said
    else:
        assert said in error.problem and "\n" not in str(error)


async def test_a_prompt_that_was_too_long_tells_the_window() -> None:
    refusal = failure(400, "too long", n_prompt_tokens=6030, n_ctx=4096)
    async with FakeOpenAI([refusal]) as server:
        bench = Bench(server)
        with pytest.raises(PromptTooLong):
            await bench.pieces()
        assert (await bench.model.describe()).context_window == 4096
        await bench.model.close()


async def test_a_model_that_is_not_there_is_said_with_the_nearest_names() -> None:
    listed = [{"id": name} for name in ("qwen3-8b", "qwen3-4b", "gemma-27b")]
    async with FakeOpenAI(listed=listed) as server:
        with pytest.raises(
            ModelNotFound, match=r"no model 'openai:qwen3-9b' here\. Nearest: openai:qwen3-8b, openai:qwen3-4b"
        ):
            await Bench(server, name="qwen3-9b").pieces()


async def test_a_model_that_vanishes_in_mid_chat_is_said_with_those_that_are_left() -> None:
    gone = failure(404, "The model `fake` does not exist.", code="model_not_found")
    async with FakeOpenAI([Said("7"), gone]) as server:
        bench = Bench(server)
        await bench.pieces()
        server.listed = [{"id": "fake-2"}]
        with pytest.raises(ModelNotFound, match=r"no model 'openai:fake' here\. Nearest: openai:fake-2\."):
            await bench.pieces()


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 529])
async def test_a_server_that_is_busy_is_asked_again_and_each_wait_is_told(status: int) -> None:
    busy = failure(status, "busy", "\r\nRetry-After: 0")
    async with FakeOpenAI([busy, busy, Said("7")]) as server:
        bench = Bench(server)
        assert (await bench.pieces())[0] == Text("7")
    assert len(server.chats) == 3 and len(bench.told) == 2
    assert f"(status {status}): it is asked again in a moment (try 2 of 5)" in bench.told[0]


async def test_a_connection_that_is_cut_before_the_first_piece_is_made_again_and_later_it_is_not() -> None:
    cut = stream_of(b": hello\n\n", cut=True)
    async with FakeOpenAI([cut, Said("7")]) as server:
        bench = Bench(server)
        assert (await bench.pieces())[0] == Text("7")
        assert len(bench.told) == 1 and "broke: it is asked again" in bench.told[0]
    async with FakeOpenAI([stream_of(chunk({"content": "7"}), cut=True), Said("8")]) as server:
        with pytest.raises(ReplyBroken, match="broke in the middle"):
            await Bench(server).pieces()
        assert len(server.chats) == 1


async def test_after_five_times_the_server_s_own_words_are_said() -> None:
    async with FakeOpenAI([failure(429, "Slow down.", "\r\nRetry-After-Ms: 1")] * 6) as server:
        bench = Bench(server)
        with pytest.raises(ModelUnavailable, match=r"says \(status 429\): Slow down\. Wait a minute and ask again"):
            await bench.pieces()
        assert len(server.chats) == 5 and len(bench.told) == 4


async def test_a_server_that_asks_for_an_hour_is_not_waited_for() -> None:
    async with FakeOpenAI([failure(429, "Slow down.", "\r\nRetry-After: 3600")]) as server:
        bench = Bench(server)
        with pytest.raises(ModelUnavailable, match="Slow down"):
            await bench.pieces()
        assert bench.told == []


@pytest.mark.parametrize("answer", [stream_of(chunk({"content": "7"}), hang=True), stream_of(hang=True)])
async def test_a_server_that_falls_silent_is_given_up(answer: Raw) -> None:
    async with FakeOpenAI([answer]) as server:
        with pytest.raises(ModelUnavailable, match="No sign from 127"):
            await Bench(server, request_timeout=0.3).pieces()


async def test_comments_alone_are_no_sign_of_the_model() -> None:
    slow = stream_of(*([b": still here\n\n"] * 5000))
    async with FakeOpenAI([slow] * 5) as server:
        with pytest.raises(ModelError):
            await Bench(server, request_timeout=0.05).pieces()


async def test_closing_a_reply_cancels_it_at_the_server() -> None:
    async with FakeOpenAI([stream_of(*([chunk({"content": "word "})] * 200_000))]) as server:
        bench = Bench(server)
        async with aclosing(bench.model.reply(ASK)) as pieces:
            async for _ in pieces:
                break
        await wait_for(lambda: server.cancelled > 0)
        await bench.model.close()


async def test_a_stream_without_end_is_cut_off() -> None:
    endless = stream_of(*([chunk({"content": "word " * 100})] * 800))
    error = await failure_of(endless)
    assert "sends more than it was asked for" in error.problem
    for nothing in (
        {},
        {"content": ""},
        {"tool_calls": [{"index": 0, "function": {"name": "f", "arguments": " " * 500}}]},
    ):
        assert "more than it was asked for" in (await failure_of(stream_of(*([chunk(nothing)] * 6_000)))).problem


async def test_the_key_goes_to_the_server_and_into_no_sentence(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    async with FakeOpenAI([Said("7")], key=KEY) as server:
        assert (await Bench(server, key=KEY).pieces())[0] == Text("7")
        assert server.headers[-1]["authorization"] == f"Bearer {KEY}"
        for key, said in (("", "wants a key"), ("sk-another-magpie-2342", "does not accept the key")):
            bench = Bench(server, key=key)
            with pytest.raises(ModelUnavailable, match=said) as refused:
                await bench.pieces()
            assert (
                KEY[:4] not in str(refused.value) and "another" not in f"{refused.value!r}{bench.model._server.where}"
            )
    assert KEY not in caplog.text and "another-magpie" not in caplog.text


async def test_a_key_that_a_server_repeats_is_hidden(tmp_path: Path) -> None:
    async with FakeOpenAI([failure(400, f"What is {KEY} to me? {'x' * 290}{KEY}")]) as server:
        with pytest.raises(ModelError) as said:
            await Bench(server, key=KEY).pieces()
    assert "What is … to me?" in str(said.value) and "sk-" not in str(said.value)


async def test_nothing_of_the_environment_goes_out_but_what_is_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in (
        "OPENAI_ORG_ID",
        "OPENAI_PROJECT_ID",
        "OPENAI_ADMIN_KEY",
        "OPENAI_API_KEY",
        "OPENAI_WEBHOOK_SECRET",
    ):
        monkeypatch.setenv(variable, f"canary-{variable.lower()}")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Canary: canary\nAuthorization: Bearer canary")
    async with FakeOpenAI([Said("7")]) as server:
        await Bench(server).pieces()
    assert "canary" not in json.dumps([server.headers, server.requests])
    assert set(server.headers[-1]) <= {
        "host",
        "accept",
        "accept-encoding",
        "connection",
        "content-type",
        "content-length",
        "user-agent",
    }


async def test_a_server_on_this_machine_reads_the_beginning_ahead_tools_included() -> None:
    async with FakeOpenAI([Said("x")]) as server:
        bench = Bench(server)
        await bench.model.warm_up(ASK[:1], [SEARCH])
        await bench.model.close()
        [body] = server.chats
    assert (body["max_tokens"], [message["role"] for message in body["messages"]]) == (1, ["system"])
    assert body["tools"][0]["function"]["name"] == "web_search"


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("http://box:8000/v1", "http://box:8000/v1"),
        ("http://box:8000/v1/", "http://box:8000/v1"),
        ("http://box:8000", "http://box:8000/v1"),
        ("http://box:8000/", "http://box:8000/v1"),
        ("box:8000", "http://box:8000/v1"),
        ("https://api.perplexity.ai", "https://api.perplexity.ai"),
        ("https://host/openai/v1", "https://host/openai/v1"),
    ],
)
def test_what_people_leave_out_of_a_base_url_is_added(given: str, url: str) -> None:
    assert complete_url(given) == url


async def test_pictures_are_parts_of_their_message_that_hold_all_their_bytes() -> None:
    words = "What is this? " * 100
    ask = (*ASK[:1], Message("user", words, pictures=(attached(),)), Message("user", "And its colour?"))
    async with FakeOpenAI([Said("A cat.", usage={"prompt_tokens": 900})]) as server:
        bench = Bench(server)
        before = await bench.model.count_tokens("A few words.")
        await bench.pieces(ask=ask)
        assert await bench.model.count_tokens("A few words.") == before
        _, shown, after = server.chats[0]["messages"]
    assert shown["content"][0] == {"type": "text", "text": words}
    kind, _, data = shown["content"][1]["image_url"]["url"].partition(";base64,")
    assert (kind, base64.b64decode(data)) == ("data:image/png", attached().data)
    assert after == {"role": "user", "content": "And its colour?"}


@pytest.mark.parametrize(
    ("entry", "sees"),
    [
        ({"id": "qwen2.5-vl-7b"}, True),
        ({"id": "google/gemma-3-4b-it"}, True),
        ({"id": "gemma-3-1b-it"}, False),
        ({"id": "gpt-4o-mini"}, True),
        ({"id": "gpt-4.1"}, True),
        ({"id": "o3-mini"}, False),
        ({"id": "o3"}, True),
        ({"id": "gpt-3.5-turbo"}, False),
        ({"id": "qwen3-8b"}, False),
        ({"id": "any", "architecture": {"input_modalities": ["text", "image"]}}, True),
        ({"id": "vision", "architecture": {"input_modalities": ["text"]}}, False),
        ({"id": "any", "capabilities": {"vision": True}}, True),
        ({"id": "any", "architecture": {"input_modalities": 7}, "capabilities": {"vision": "yes"}}, False),
    ],
)
async def test_what_sees_is_known_by_the_list_or_by_the_name(entry: dict[str, Any], sees: bool) -> None:
    async with FakeOpenAI(listed=[{"object": "model", **entry}]) as server:
        bench = Bench(server, name=entry["id"])
        assert (await bench.model.describe()).can_see is sees
        await bench.model.close()


@pytest.mark.parametrize(("modalities", "sees"), [({"vision": True}, True), ({"vision": False}, False), (7, False)])
async def test_llama_server_says_whether_its_model_sees(modalities: Any, sees: bool) -> None:
    props = as_json({**json.loads(PROPS.pieces[0]), "modalities": modalities})
    async with FakeOpenAI(listed=[LLAMA], paths={"/props": props}) as server:
        bench = Bench(server)
        assert (await bench.model.describe()).can_see is sees
        await bench.model.close()

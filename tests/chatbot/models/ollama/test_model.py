"""The real Ollama code against a scripted server: what is asked, what comes out, and every failure in words."""

import asyncio
import base64
import json
from collections.abc import Sequence
from contextlib import aclosing
from typing import Any

import httpx
import pytest

from chatbot.conversation.messages import Message, ToolCall
from chatbot.conversation.usage import Usage
from chatbot.models.base import Call, Done, ModelInfo, Piece, Text, Thinking
from chatbot.models.ollama.errors import server_address
from chatbot.models.ollama.model import OllamaModel
from chatbot.models.ollama.settings import OllamaSettings
from chatbot.models.ollama.wire import Server, keep_key_private
from chatbot.models.settings import Generation
from tests.fakes.ollama import FakeOllama, Raw, Turn, as_json, line, rechunked, shown
from tests.fakes.pictures import attached
from tools.base import ToolSchema
from utils.errors import (
    ConfigError,
    ModelError,
    ModelNotFound,
    ModelUnavailable,
    PromptTooLong,
    ReplyBroken,
    ToolsUnsupported,
)
from utils.fence import fence_text

ASK = (Message("system", "Be brief."), Message("user", "What is the weather in Oslo?"))
SEARCH = ToolSchema(
    "web_search",
    "Search the web.",
    {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
)
SECOND = Usage(prompt_tokens=7, reply_tokens=1, prompt_seconds=2.0, reply_seconds=1.0)


def model_at(server: FakeOllama, name: str = "qwen3:8b", **generation: Any) -> OllamaModel:
    return OllamaModel(name, OllamaSettings(host=server.url), Generation(**{"request_timeout": 5} | generation))


async def pieces_of(model: OllamaModel, tools: Sequence[ToolSchema] = (), ask: Sequence[Message] = ASK) -> list[Piece]:
    async with aclosing(model.reply(ask, tools)) as pieces:
        got = [piece async for piece in pieces]
    await model.close()
    return got


async def failure_of(answer: Raw | Turn, **models: Any) -> ModelError:
    async with FakeOllama([answer], **models) as server:
        model = model_at(server, request_timeout=0.5)
        with pytest.raises(ModelError) as caught:
            await pieces_of(model, [SEARCH])
        await model.close()
    return caught.value


async def test_a_reply_is_asked_for_with_one_fixed_window_and_nothing_is_cut_silently() -> None:
    async with FakeOllama([Turn("It rains.", prompt_tokens=7)]) as server:
        pieces = await pieces_of(model_at(server, seed=1, temperature=0, context_window=65536), [SEARCH])
        body = server.chats[0]
    usage = Usage(prompt_tokens=7, reply_tokens=2, prompt_seconds=2.0, reply_seconds=1.0)
    assert pieces == [Text("It"), Text(" rains."), Done(usage)]
    assert body == {
        "model": "qwen3:8b",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "What is the weather in Oslo?"},
        ],
        "stream": True,
        "truncate": False,
        "shift": False,
        "think": False,
        "keep_alive": "10m",
        "options": {"num_ctx": 40960, "num_predict": 1024, "temperature": 0.0, "seed": 1},
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "web_search",
                    "description": "Search the web.",
                    "parameters": {
                        "type": "object",
                        "properties": {"query": {"type": "string"}},
                        "required": ["query"],
                    },
                },
            }
        ],
    }


async def test_calls_and_results_go_back_as_the_server_wants_them() -> None:
    ask = (
        Message("user", "Weather?", note="Today is Sunday."),
        Message("assistant", "", thinking="hm", tool_calls=(ToolCall("web_search", {"query": "x"}, "c1"),)),
        Message("tool", "7 degrees", tool_name="web_search", call_id="c1"),
    )
    async with FakeOllama([Turn("7")]) as server:
        await pieces_of(model_at(server), ask=ask)
        sent = server.chats[0]["messages"]
    assert sent == [
        {"role": "user", "content": "Weather?\n\nToday is Sunday."},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"function": {"name": "web_search", "arguments": {"query": "x"}}}],
            "thinking": "hm",
        },
        {"role": "tool", "content": fence_text("7 degrees", "web_search"), "tool_name": "web_search"},
    ]


@pytest.mark.parametrize("late", [False, True])
async def test_calls_are_taken_from_early_and_late_chunks(late: bool) -> None:
    turn = Turn("Let", calls=(("web_search", {"query": "a"}), ("web_search", {"query": "b"})), late=late, ids=False)
    async with FakeOllama([turn]) as server:
        pieces = await pieces_of(model_at(server), [SEARCH])
    calls = [Call(ToolCall("web_search", {"query": query})) for query in "ab"]
    assert pieces[:-1] == [Text("Let"), *calls]


async def test_a_model_that_can_think_is_always_told_whether_to() -> None:
    models = {"qwen3:8b": shown(["completion", "tools", "thinking"])}
    async with FakeOllama([Turn("7", thinking="hm hm"), Turn("7")], models) as server:
        model = model_at(server)
        thought = await pieces_of(model)
        model.generation = Generation(thinking_enabled=False)
        await pieces_of(model)
        told = [body["think"] for body in server.chats]
    assert thought[:-1] == [Thinking("hm"), Thinking(" hm"), Text("7")]
    assert told == [True, False]


@pytest.mark.parametrize(("architecture", "think"), [("gptoss", "high"), ("gpt-oss", "high"), ("qwen3", True)])
async def test_the_effort_goes_to_models_whose_thinking_has_levels(architecture: str, think: object) -> None:
    told = {"general.architecture": architecture, f"{architecture}.context_length": 40960}
    models = {"qwen3:8b": shown(["completion", "thinking"], model_info=told)}
    async with FakeOllama([Turn("7"), Turn("7")], models) as server:
        model = model_at(server)
        model.generation = Generation(thinking_effort="high")
        await pieces_of(model)
        model.generation = Generation(thinking_effort="high", thinking_enabled=False)
        await pieces_of(model)
        assert [body["think"] for body in server.chats] == [think, False]


async def test_a_model_that_refuses_to_think_is_asked_again_without() -> None:
    models = {"qwen3:8b": shown(["completion", "thinking"])}
    refusal = as_json({"error": '"qwen3:8b" does not support thinking'}, 400)
    async with FakeOllama([refusal, Turn("7")], models) as server:
        pieces = await pieces_of(model_at(server))
        told = [body["think"] for body in server.chats]
    assert pieces[0] == Text("7")
    assert told == [True, False]


async def test_the_window_is_what_the_server_really_allocated_and_always_asked_for_alike() -> None:
    ps = as_json({"models": [{"name": "qwen3:8b", "context_length": 4096}]})
    async with FakeOllama([Turn("a"), Turn("a")], paths={"/api/ps": ps}) as server:
        model = model_at(server)
        before = (await model.describe()).context_window
        await pieces_of(model)
        after = (await model.describe()).context_window
        await pieces_of(model)
        await model.close()
    assert (before, after) == (8192, 4096)
    assert [body["options"]["num_ctx"] for body in server.chats] == [8192, 8192]


@pytest.mark.parametrize(
    ("show", "info"),
    [
        (shown(None), {"can_call_tools": True, "cites": True}),
        (shown(["completion"]), {}),
        (shown(["completion", "thinking"]), {"can_think": True}),
        (shown(remote_host="https://ollama.com"), {"can_call_tools": True, "cites": True, "host": "ollama.com"}),
        (shown(model_info={}, details={"parameter_size": "134.52M"}), {"can_call_tools": True}),
        ({"capabilities": ["tools"]}, {"can_call_tools": True}),
    ],
)
async def test_abilities_are_read_from_what_the_server_tells(show: dict[str, Any], info: dict[str, Any]) -> None:
    async with FakeOllama(models={"m": show}) as server:
        model = model_at(server, "m")
        described = await model.describe()
        await model.close()
    assert described == ModelInfo("m", "ollama", 8192, **info)


async def test_a_word_is_chosen_by_the_first_token_s_distribution() -> None:
    turn = Turn(
        "s", logprobs={"search": -0.5108256, " Answer": -1.6094379, "fe": -2.3025851, "xyz": -3.0}, reason="length"
    )
    async with FakeOllama([turn]) as server:
        model = model_at(server)
        chosen = await model.weigh_words(ASK, ["search", "fetch", "answer"])
        await model.close()
        body = server.chats[0]
    assert {word: round(share, 3) for word, share in chosen.shares.items()} == {
        "search": 0.667,
        "fetch": 0.111,
        "answer": 0.222,
    }
    assert (chosen.usage.prompt_tokens, chosen.usage.reply_tokens) == (28, 1)
    assert (body["logprobs"], body["top_logprobs"], body["options"]["num_predict"]) == (True, 20, 1)
    assert "format" not in body


async def test_a_server_without_probabilities_is_asked_for_the_word_itself() -> None:
    async with FakeOllama([Turn("x"), Turn('"fetch"'), Turn('"answer"')]) as server:
        model = model_at(server)
        first = await model.weigh_words(ASK, ["search", "fetch", "answer"])
        second = await model.weigh_words(ASK, ["search", "fetch", "answer"])
        await model.close()
        formats = [body.get("format") for body in server.chats]
    assert first.shares == {"search": 0.0, "fetch": 1.0, "answer": 0.0}
    assert second.shares == {"search": 0.0, "fetch": 0.0, "answer": 1.0}
    assert (first.usage.prompt_tokens, second.usage.prompt_tokens) == (56, 28), "two requests, then one"
    enum = {"type": "string", "enum": ["search", "fetch", "answer"]}
    assert formats == [None, enum, enum]


async def test_a_first_token_that_begins_several_words_decides_nothing() -> None:
    turn = Turn("w", logprobs={"web": -0.01, "answer": -5.0})
    async with FakeOllama([turn, Turn('"web_search"')]) as server:
        model = model_at(server)
        chosen = await model.weigh_words(ASK, ["web_search", "web_fetch", "answer"])
        await model.close()
    assert chosen.shares == {"web_search": 1.0, "web_fetch": 0.0, "answer": 0.0}


async def test_a_schema_is_filled_in() -> None:
    async with FakeOllama([Turn('{"query": "weather Oslo"}')]) as server:
        model = model_at(server)
        filled = await model.fill_schema(ASK, SEARCH.parameters)
        await model.close()
        body = server.chats[0]
    assert filled.values == {"query": "weather Oslo"}
    assert (filled.usage.prompt_tokens, filled.usage.reply_tokens) == (28, 3)
    assert (body["format"], body["think"]) == (SEARCH.parameters, False)


@pytest.mark.parametrize("text", ['{"query": "wea', "[1]", ""])
async def test_a_form_that_is_not_filled_in_is_a_broken_reply(text: str) -> None:
    async with FakeOllama([Turn(text, reason="length")]) as server:
        model = model_at(server)
        with pytest.raises(ReplyBroken):
            await model.fill_schema(ASK, SEARCH.parameters)
        await model.close()


async def test_the_estimate_of_tokens_follows_what_the_server_counts() -> None:
    ask = (Message("user", "word " * 200),)
    async with FakeOllama(
        [Turn("a", prompt_tokens=260), Turn("a", prompt_tokens=3), Turn("a", counts=False)]
    ) as server:
        model = model_at(server)
        counts = [await model.count_tokens("word " * 100)]
        for _ in range(3):
            await pieces_of(model, ask=ask)
            counts.append(await model.count_tokens("word " * 100))
    assert counts == [100, 127, 127, 127]


async def test_warming_up_makes_one_token() -> None:
    async with FakeOllama([Turn("a", reason="length")]) as server:
        model = model_at(server)
        await model.warm_up(ASK[:1])
        await model.close()
        body = server.chats[0]
    assert (body["options"]["num_predict"], body["messages"]) == (1, [{"role": "system", "content": "Be brief."}])


async def test_a_warm_up_reads_what_the_first_question_begins_with_and_its_tools() -> None:
    async with FakeOllama([Turn("a", reason="length"), Turn("7 degrees")]) as server:
        model = model_at(server)
        await model.warm_up(ASK[:1], [SEARCH])
        await pieces_of(model, [SEARCH])
        warmed, asked = server.chats
    assert warmed["tools"] == asked["tools"]
    assert asked["messages"][:1] == warmed["messages"]
    assert {key for key in warmed if warmed[key] != asked[key]} == {"messages", "options"}


async def test_an_abandoned_reply_is_cancelled_at_the_server() -> None:
    async with FakeOllama([Raw(tuple(line({"content": "on "}) for _ in range(20_000)))]) as server:
        model = model_at(server, max_tokens=100_000)
        async with aclosing(model.reply(ASK)) as pieces:
            assert await anext(pieces) == Text("on ")
        await model.close()
        for _ in range(1000):
            if server.cancelled:
                break
            await asyncio.sleep(0.005)
    assert server.cancelled == 1


async def test_lines_may_be_split_anywhere() -> None:
    whole = Raw((line({"content": "hé🌍"}), b"\n\n", line({"content": "llo"}), line({}, done=True, done_reason="stop")))
    async with FakeOllama([rechunked(whole, 1)]) as server:
        pieces = await pieces_of(model_at(server))
    assert pieces == [Text("hé🌍"), Text("llo"), Done(Usage())]


async def test_nothing_after_the_last_chunk_is_read() -> None:
    last = line({}, done=True, done_reason="length")
    async with FakeOllama([Raw((line({"content": "a"}), last, last, line({"content": "b"})))]) as server:
        pieces = await pieces_of(model_at(server))
    assert pieces == [Text("a"), Done(Usage(), "length")]


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (Turn("a", done=False), ReplyBroken, "ended before"),
        (Turn("a", error="CUDA out of memory"), ModelError, "out of memory: CUDA out of memory"),
        (Raw((line({"content": "a"}),), cut=True), ReplyBroken, "broke in the middle"),
        (Raw((line({"content": "a"}),), hang=True), ModelUnavailable, "No sign from Ollama"),
        (Raw((), before=3), ModelUnavailable, "No sign from Ollama"),
        (Raw((b'{"message": {"content": "a",,}\n',)), ReplyBroken, "no JSON object"),
        (Raw((b"<html>hello</html>",), content_type="text/html"), ModelUnavailable, "is not Ollama"),
        (Raw((b"<html>Bad gateway</html>",), 502, "text/html"), ModelUnavailable, "status 502"),
        (Raw((b"",), 403), ModelUnavailable, "refuses us (status 403)"),
        (Raw((b"404 page not found",), 404, "text/plain"), ModelUnavailable, "is not Ollama (status 404)"),
        (as_json({"error": ["a"]}, 500), ModelUnavailable, "status 500"),
        (as_json({"error": "server busy, please try again"}, 503), ModelUnavailable, "busy"),
        (as_json({"error": "unauthorized"}, 401), ModelUnavailable, "sign in"),
        (as_json({"error": 'option "temperature" must be of type float32'}, 500), ModelError, "temperature"),
        (as_json({"error": "x does not support tools"}, 400), ToolsUnsupported, "no way to call tools"),
        (as_json({"error": "model requires more system memory (8 GiB)"}, 500), ModelError, "smaller model"),
        (Raw((b"x" * 5_000_000,)), ReplyBroken, "more than 4 MB"),
        (Raw((line({"content": "x" * 3_000_000}),)), ReplyBroken, "more than it was asked for"),
        (Turn(calls=(("", {}),)), ReplyBroken, "without saying which"),
        (Turn(calls=(("web_search", {}),) * 40), ReplyBroken, "more than 32"),
    ],
)
async def test_every_failure_of_a_reply_is_one_sentence_and_a_remedy(
    answer: Raw | Turn, kind: type[ModelError], words: str
) -> None:
    failure = await failure_of(answer)
    assert type(failure) is kind
    assert words in str(failure)
    assert failure.remedy


async def test_a_prompt_that_is_too_long_is_refused_with_the_exact_counts() -> None:
    inner = {"code": 400, "message": "too long", "n_prompt_tokens": 9378, "n_ctx": 1024}
    native = await failure_of(as_json({"error": json.dumps({"error": inner})}, 400))
    worded = await failure_of(
        as_json({"error": "request (9378 tokens) exceeds the available context size (1024 tokens)"}, 400)
    )
    counted = [
        (failure.prompt_tokens, failure.window) for failure in (native, worded) if isinstance(failure, PromptTooLong)
    ]
    assert counted == [(9378, 1024), (9378, 1024)]
    uncounted = await failure_of(
        as_json({"error": "the prompt is longer than the context length currently available"}, 400)
    )
    assert isinstance(uncounted, PromptTooLong)


@pytest.mark.parametrize(
    ("sent", "got"),
    [('{"query": "x"}', {"query": "x"}), ('{"query": x', {}), (["x"], {}), (None, {})],
)
async def test_arguments_of_a_wrong_shape_are_left_to_the_tool_s_validation(sent: Any, got: dict[str, Any]) -> None:
    async with FakeOllama([Turn(calls=(("web_search", sent),), ids=False)]) as server:
        pieces = await pieces_of(model_at(server), [SEARCH])
    assert pieces[0] == Call(ToolCall("web_search", got))


async def test_an_unknown_model_is_answered_with_the_nearest_names() -> None:
    async with FakeOllama(models={"qwen3:8b": shown(), "llama3.2:3b": shown()}) as server:
        model = model_at(server, "qwen3:7b")
        with pytest.raises(ModelNotFound) as caught:
            await model.describe()
        await model.close()
    assert str(caught.value) == (
        "There is no model 'qwen3:7b' here. Nearest: qwen3:8b. Fetch it with `ollama pull qwen3:7b`."
    )


async def test_no_server_is_said_with_its_address() -> None:
    model = OllamaModel("qwen3:8b", OllamaSettings(host="127.0.0.1:9"), Generation(request_timeout=5))
    with pytest.raises(ModelUnavailable, match=r"does not answer at http://127\.0\.0\.1:9"):
        await pieces_of(model)
    await model.close()


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Raw((b"<html>",), 200, "text/html"), "is not Ollama"),
        (Raw((b"404 page not found",), 404, "text/plain"), "is not Ollama (status 404)"),
        (Raw((b"<html>Bad gateway</html>",), 502, "text/html"), "status 502 and no word from Ollama"),
        (as_json([1]), "is not Ollama"),
        (as_json({"error": [1]}, 500), "status 500 and no word"),
        (as_json(["a"], 500), "is not Ollama"),
        (Raw((b"x" * 1_000_000,) * 21), "its answer has no end"),
    ],
)
async def test_a_port_that_answers_but_is_not_ollama_is_said(answer: Raw, words: str) -> None:
    async with FakeOllama(paths={"/api/show": answer}) as server:
        model = model_at(server)
        with pytest.raises(ModelUnavailable) as caught:
            await model.describe()
        await model.close()
    assert words in str(caught.value)
    assert caught.value.remedy


async def test_the_key_for_ollama_s_cloud_goes_to_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_API_KEY", "secret")
    async with FakeOllama([Turn("a")]) as server:
        await pieces_of(model_at(server))
        sent = {headers.get("authorization") for headers in server.headers}
    assert sent == {"Bearer secret"}


@pytest.mark.parametrize(
    ("url", "kept"), [("http://box:11434/api/chat", False), ("https://box/", True), ("http://[::1]:1/", True)]
)
async def test_the_key_never_crosses_a_network_in_the_clear(url: str, kept: bool) -> None:
    request = httpx.Request("POST", url, headers={"authorization": "Bearer secret"})
    await keep_key_private(request)
    assert ("authorization" in request.headers) is kept


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("", "http://127.0.0.1:11434"),
        ("1.2.3.4", "http://1.2.3.4:11434"),
        (":56789", "http://127.0.0.1:56789"),
        ("http://1.2.3.4", "http://1.2.3.4:80"),
        ("https://example.com", "https://example.com:443"),
        ("example.com/path/", "http://example.com:11434/path"),
        ("[::1]:56789", "http://[::1]:56789"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        (' "box:1" ', "http://box:1"),
    ],
)
def test_a_host_is_read_as_the_client_reads_it(host: str, address: str) -> None:
    assert server_address(host) == address


@pytest.mark.parametrize("host", ["box:port", "box:99999", "ftp://box", "http://[::1"])
def test_a_host_that_cannot_be_is_a_wrong_setting(host: str) -> None:
    with pytest.raises(ConfigError):
        server_address(host)


@pytest.mark.parametrize(
    "host",
    [
        "http://me:hushed-word@box:99999",
        "me:hushed-word@box:port",
        "ftp://me:hushed-word@box",
        "http://me:hushed-word/x@box:1",
        "http://me:1/hushed-word@box",
        "http://me:hushed-word#x@box",
        "http://box:99999/?key=hushed-word",
        "http://me:hushed-word@[::1",
    ],
)
def test_of_a_host_that_cannot_be_no_password_is_repeated(host: str) -> None:
    with pytest.raises(ConfigError) as refused:
        server_address(host)
    assert "hushed" not in str(refused.value) and refused.value.__cause__ is None


def test_a_name_and_a_password_are_no_part_of_an_address_that_can_be() -> None:
    assert server_address("http://me:hushed-word@box:1") == "http://box:1"


async def test_two_first_requests_at_once_share_one_pair_of_clients() -> None:
    async with FakeOllama() as fake:
        server = Server(fake.url, 5)
        one, other = await asyncio.gather(server.open_clients(), server.open_clients())
        assert one is other
        await server.close()


async def test_pictures_go_with_their_message_and_their_tokens_spoil_no_estimate() -> None:
    seeing = shown(("completion", "vision"))
    ask = (*ASK[:1], Message("user", "What is this? " * 100, pictures=(attached(), attached("b.png"))))
    async with FakeOllama([Turn("A cat.", prompt_tokens=900)], {"qwen3:8b": seeing}) as server:
        model = model_at(server)
        assert (await model.describe()).can_see
        before = await model.count_tokens("A few words.")
        await pieces_of(model, ask=ask)
        assert await model.count_tokens("A few words.") == before
        system, question = server.chats[0]["messages"]
    assert "images" not in system
    assert [base64.b64decode(image) for image in question["images"]] == [attached().data] * 2


async def test_a_model_without_vision_takes_no_pictures() -> None:
    async with FakeOllama() as server:
        model = model_at(server)
        assert not (await model.describe()).can_see
        await model.close()

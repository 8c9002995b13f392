"""What a hostile server of OpenAI's protocol answers, and how a reply must end then."""

import json
from typing import Any

from tests.fakes.endings import SENT_KEY
from tests.fakes.ollama import Raw, as_json
from tests.fakes.openai import END, EVENTS, Answering, Said, call_pieces, chunk, event, failure, stream_of

HELLO = chunk({"content": "Hello"})
STOP = chunk({}, "stop")
DEEP = b'{"choices": ' + b"[" * 50_000 + b"]" * 50_000 + b"}"


def call(index: Any, function: Any, **more: Any) -> bytes:
    """A piece of a call."""
    return chunk({"tool_calls": [{"index": index, "function": function, **more}]})


def wrong(value: Any) -> Raw:
    """A stream with one event of another shape between sound ones."""
    return stream_of(event(value), HELLO, STOP, END)


WRITTEN = {"name": "web_search", "arguments": '{"query": "x"}'}

MODES: dict[str, tuple[Answering, str]] = {
    "sound": (Said("Hello"), "Hello"),
    "html": (Raw((b"<html>Log in</html>",), 200, "text/html"), "ModelUnavailable"),
    "html-as-events": (Raw((b"<html>\nLog in</html>\n",), 200, EVENTS), "ReplyBroken"),
    "html-in-an-event": (stream_of(HELLO, event(b"<html>")), "ModelUnavailable"),
    "html-404": (Raw((b"<html>",), 404, "text/html"), "ModelUnavailable"),
    "redirect": (
        Raw((b"",), 307, "text/plain\r\nLocation: http://192.168.0.1/v1/chat/completions"),
        "ModelUnavailable",
    ),
    "redirect-to-itself": (Raw((b"",), 308, "text/plain\r\nLocation: /v1/chat/completions"), "ModelUnavailable"),
    "packed": (Raw((b"\x1f\x8b",), 200, f"{EVENTS}\r\nContent-Encoding: gzip"), "ReplyBroken"),
    "empty": (Raw((b"",), 200, EVENTS), "ReplyBroken"),
    "empty-json": (as_json({}), "ModelUnavailable"),
    "status-without-words": (Raw((b"",), 418, "text/plain"), "ModelUnavailable"),
    "error-is-a-list": (as_json({"error": ["a", "b"]}, 400), "ModelError"),
    "error-is-a-number": (as_json({"error": 7}, 400), "ModelError"),
    "error-is-deep": (Raw((DEEP,), 400, "application/json"), "ModelUnavailable"),
    "error-of-a-megabyte": (failure(400, "x" * 1_000_000), "ModelError"),
    "error-with-escapes": (failure(400, "\x1b]52;c;cm0=\x07\r\nSet-Cookie: a"), "ModelError"),
    "error-repeats-the-key": (failure(400, f"Bearer {SENT_KEY}"), "ModelError"),
    "error-repeats-the-key-at-the-edge": (failure(400, f"{'x' * 290}{SENT_KEY}"), "ModelError"),
    "key-refused": (failure(401, f"Incorrect API key: {SENT_KEY}"), "ModelUnavailable"),
    "quota": (failure(429, "No money.", code="insufficient_quota"), "ModelError"),
    "retry-after-a-year": (failure(429, "Later.", "\r\nRetry-After: 31536000"), "ModelUnavailable"),
    "retry-after-nonsense": (failure(503, "Later.", "\r\nRetry-After: -1\r\nRetry-After-Ms: 0"), "ModelUnavailable"),
    "parameters-refused-for-ever": (failure(400, "seed temperature", param="temperature"), "ParameterRefused"),
    "hang-before-first": (stream_of(hang=True), "ModelUnavailable"),
    "hang-in-the-middle": (stream_of(HELLO, hang=True), "ModelUnavailable"),
    "comments-alone": (stream_of(*[b": ping\n\n"] * 50, hang=True), "ModelUnavailable"),
    "cut-in-the-middle": (stream_of(HELLO, cut=True), "ReplyBroken"),
    "cut-in-an-event": (stream_of(HELLO, b'data: {"choices": [{"de', cut=True), "ReplyBroken"),
    "stops-in-the-middle": (stream_of(HELLO), "ReplyBroken"),
    "half-an-event": (stream_of(HELLO, b'data: {"choices": [{"de'), "ReplyBroken"),
    "broken-json": (stream_of(HELLO, event(b"{no json}")), "ReplyBroken"),
    "deep-json": (stream_of(event(DEEP)), "ReplyBroken"),
    "error-in-the-middle": (stream_of(HELLO, event({"error": {"message": "crashed"}})), "ModelUnavailable"),
    "error-code-is-nonsense": (
        stream_of(HELLO, event({"error": {"message": "bad", "code": 10**400}})),
        "ModelUnavailable",
    ),
    "events-that-are-lists": (stream_of(event([1, 2])), "ReplyBroken"),
    "choices-are-a-number": (wrong({"choices": 7}), "Hello"),
    "choices-hold-nothing": (wrong({"choices": [None, 7, "x"]}), "Hello"),
    "delta-is-a-list": (wrong({"choices": [{"delta": []}]}), "Hello"),
    "content-is-a-list": (wrong({"choices": [{"delta": {"content": [{"text": "x"}]}}]}), "Hello"),
    "finish-reason-is-an-object": (stream_of(HELLO, chunk({}, {"a": 1}), END), "Hello"),  # type: ignore[arg-type]
    "finish-reason-unknown": (stream_of(HELLO, chunk({}, "tired"), END), "Hello"),
    "finish-reason-missing": (stream_of(HELLO, END), "Hello"),
    "usage-is-nonsense": (
        stream_of(HELLO, STOP, event({"choices": [], "usage": {"prompt_tokens": 10**400}}), END),
        "Hello",
    ),
    "usage-is-a-list": (stream_of(HELLO, STOP, event({"choices": [], "usage": [1]}), END), "Hello"),
    "nothing-after-the-end": (stream_of(HELLO, STOP, hang=True), "Hello"),
    "much-after-the-end": (stream_of(HELLO, STOP, END, *[HELLO] * 2000), "Hello"),
    "two-ends": (stream_of(HELLO, STOP, END, END), "Hello"),
    "not-utf-8": (stream_of(b'data: {"choices": [{"delta": {"content": "caf\xe9"}}]}\n\n', STOP, END), "caf\ufffd"),
    "half-a-surrogate": (stream_of(event(b'{"choices": [{"delta": {"content": "\\ud800"}}]}'), STOP, END), "\ud800"),
    "escapes": (stream_of(chunk({"content": "\x1b[2J"}), STOP, END), "\x1b[2J"),
    "endless-text": (stream_of(*[chunk({"content": "a " * 5000})] * 200), "ReplyBroken"),
    "endless-thinking": (stream_of(*[chunk({"reasoning_content": "a " * 5000})] * 200), "ReplyBroken"),
    "endless-thinking-in-text": (
        stream_of(chunk({"content": "<think>"}), *[chunk({"content": "a" * 9000})] * 200),
        "ReplyBroken",
    ),
    "endless-empty-chunks": (stream_of(*[chunk({})] * 9000), "ReplyBroken"),
    "endless-arguments": (stream_of(call(0, WRITTEN), *[call(0, {"arguments": "1" * 9000})] * 200), "ReplyBroken"),
    "a-thousand-calls": (stream_of(*(call(index, WRITTEN) for index in range(1000)), STOP), "ReplyBroken"),
    "call-without-a-name": (stream_of(call(0, {"arguments": "{}"}), STOP, END), "ReplyBroken"),
    "call-name-is-a-number": (stream_of(call(0, {"name": 7, "arguments": "{}"}), STOP, END), "ReplyBroken"),
    "call-of-an-unknown-tool": (stream_of(*call_pieces([("rm_rf", {"path": "/"})]), STOP, END), "rm_rf"),
    "call-with-broken-json": (stream_of(*call_pieces([("web_search", '{"query": ')]), STOP, END), "web_search"),
    "call-with-deep-json": (
        stream_of(call(0, {"name": "web_search", "arguments": "[" * 900}), STOP, END),
        "web_search",
    ),
    "call-index-is-nonsense": (
        stream_of(call("x", WRITTEN, id="a"), call(-1, WRITTEN), STOP, END),
        "web_search web_search",
    ),
    "call-ids-are-repeated": (
        stream_of(call(0, WRITTEN, id="a"), call(1, WRITTEN, id="a"), STOP, END),
        "web_search web_search",
    ),
    "call-ids-are-missing": (stream_of(*call_pieces([("web_search", {})], ids=False), STOP, END), "web_search"),
    "function-is-null": (stream_of(call(0, None), HELLO, STOP, END), "Hello"),
    "event-of-five-megabytes": (stream_of(b"data: " + b"x" * 5_000_000), "ReplyBroken"),
    "lines-without-an-event": (stream_of(*[b"data: x\n" * 10_000] * 60), "ReplyBroken"),
    "filtered": (stream_of(HELLO, chunk({}, "content_filter"), END), "ReplyBroken"),
    "stream-of-a-gigabyte": (stream_of(*[b": " + b"x" * 999_996 + b"\n\n"] * 1000), "ReplyBroken"),
    "event-of-a-gigabyte": (stream_of(*[b"x" * 1_000_000] * 1000), "ReplyBroken"),
    "answer-of-a-gigabyte": (Raw((b" " * 1_000_000,) * 1000, 200, "application/json"), "ReplyBroken"),
}
"""What is answered to a chat, and how the reply ends: by a failure's kind, by the names of calls, by a text."""

LISTS: dict[str, Raw] = {
    "html": Raw((b"<html>",), 200, "text/html"),
    "html-as-json": Raw((b"<html>",), 200, "application/json"),
    "cut": Raw((b'{"data": [',), 200, "application/json", cut=True),
    "hang": Raw((b'{"data": [',), 200, "application/json", hang=True),
    "half": Raw((b'{"data": [',), 200, "application/json"),
    "deep": Raw((b"[" * 100_000,), 200, "application/json"),
    "number": as_json(7),
    "no-list": as_json({"data": {"id": "fake"}}),
    "others": as_json({"data": [{"id": "other"}]}),
    "no-names": as_json({"data": [None, {}, {"id": 7}, {"id": ""}]}),
    "redirect": Raw((b"",), 301, "text/plain\r\nLocation: http://10.0.0.1/"),
    "forbidden": failure(403, "No."),
    "packed": Raw((b"\x1f\x8b",), 200, "application/json\r\nContent-Encoding: gzip"),
}
"""Lists of models that are none."""

ENTRIES: list[dict[str, Any]] = [
    {"max_model_len": "many", "meta": [], "owned_by": ["llamacpp"]},
    {"max_model_len": -1},
    {"max_model_len": 10**400},
    {"max_model_len": True, "context_length": 1.5},
    {"owned_by": "llamacpp", "meta": {"n_ctx_train": None, "n_params": "x"}},
    {"owned_by": "organization_owner", "object": {}},
    {"owned_by": "vllm", "max_model_len": 0},
]
"""What a list says of a model."""

PAGES: dict[str, Any] = {
    "/props": as_json({"default_generation_settings": [], "chat_template_caps": "x", "chat_template": 7}),
    "/tokenize": as_json({"tokens": "three"}),
    "/api/v0/models/fake": as_json(json.loads('["x"]')),
}
"""What servers say beside the protocol."""

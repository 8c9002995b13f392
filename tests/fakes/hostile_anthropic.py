"""What a hostile server of the Messages API answers, and how a reply must end then."""

from typing import Any

from tests.fakes.anthropic import Spoken, begun, call_events, ended, events_of, grown, refused, sent, started
from tests.fakes.endings import SENT_KEY
from tests.fakes.ollama import Raw, as_json
from tests.fakes.openai import EVENTS, event

HELLO = begun(0, "text", text="Hello")
STOP = ended()
DEEP = b'{"content": ' + b"[" * 50_000 + b"]" * 50_000 + b"}"


def between(value: Any) -> Raw:
    """A stream with one event of another shape between sound ones."""
    return events_of(started(), event(value), HELLO, STOP)


def saying(text: str) -> bytes:
    """A piece of the text."""
    return grown(0, "text_delta", text=text)


MODES: dict[str, tuple[Any, str]] = {
    "sound": (Spoken("Hello"), "Hello"),
    "html": (Raw((b"<html>Log in</html>",), 200, "text/html"), "ModelUnavailable"),
    "html-as-events": (Raw((b"<html>\nLog in</html>\n",), 200, EVENTS), "ReplyBroken"),
    "html-in-an-event": (events_of(HELLO, event(b"<html>")), "ModelUnavailable"),
    "html-404": (Raw((b"<html>",), 404, "text/html"), "ModelUnavailable"),
    "redirect": (Raw((b"",), 307, "text/plain\r\nLocation: http://192.168.0.1/v1/messages"), "ModelUnavailable"),
    "redirect-to-itself": (Raw((b"",), 308, "text/plain\r\nLocation: /v1/messages"), "ModelUnavailable"),
    "packed": (Raw((b"\x1f\x8b",), 200, f"{EVENTS}\r\nContent-Encoding: gzip"), "ReplyBroken"),
    "empty": (Raw((b"",), 200, EVENTS), "ReplyBroken"),
    "empty-json": (as_json({}), "ModelUnavailable"),
    "status-without-words": (Raw((b"",), 418, "text/plain"), "ModelUnavailable"),
    "error-is-a-list": (as_json({"error": ["a", "b"]}, 400), "ModelError"),
    "error-is-a-number": (as_json({"type": "error", "error": 7}, 400), "ModelError"),
    "error-type-is-an-object": (as_json({"error": {"type": {}, "message": [], "details": 7}}, 400), "ModelError"),
    "error-is-deep": (Raw((DEEP,), 400, "application/json"), "ModelUnavailable"),
    "error-of-a-megabyte": (refused(400, "x" * 1_000_000), "ModelError"),
    "error-with-escapes": (refused(400, "\x1b]52;c;cm0=\x07\r\nSet-Cookie: a"), "ModelError"),
    "error-repeats-the-key": (refused(400, f"Bearer {SENT_KEY}"), "ModelError"),
    "error-repeats-the-key-at-the-edge": (refused(400, f"{'x' * 290}{SENT_KEY}"), "ModelError"),
    "error-counts-are-huge": (refused(400, f"prompt is too long: {9**99} tokens > {7**99}"), "PromptTooLong"),
    "key-refused": (refused(401, f"invalid x-api-key {SENT_KEY}"), "ModelUnavailable"),
    "no-credit": (refused(400, "Your credit balance is too low."), "ModelError"),
    "retry-after-a-year": (refused(429, "Later.", headers="\r\nRetry-After: 31536000"), "ModelUnavailable"),
    "retry-after-nonsense": (
        refused(529, "Later.", headers="\r\nRetry-After: -1\r\nRetry-After-Ms: 0"),
        "ModelUnavailable",
    ),
    "fields-refused-for-ever": (refused(400, "cache_control thinking"), "FieldRefused"),
    "hang-before-first": (events_of(hang=True), "ModelUnavailable"),
    "hang-behind-the-beginning": (events_of(started(), hang=True), "ModelUnavailable"),
    "hang-in-the-middle": (events_of(HELLO, hang=True), "ModelUnavailable"),
    "comments-alone": (events_of(*[b": ping\n\n"] * 50, hang=True), "ModelUnavailable"),
    "pings-alone": (events_of(*[sent("ping")] * 50, hang=True), "ModelUnavailable"),
    "cut-in-the-middle": (events_of(HELLO, cut=True), "ReplyBroken"),
    "cut-in-an-event": (events_of(HELLO, b'data: {"type": "content_bl', cut=True), "ReplyBroken"),
    "stops-in-the-middle": (events_of(HELLO), "ReplyBroken"),
    "half-an-event": (events_of(HELLO, b'data: {"type": "content_bl'), "ReplyBroken"),
    "broken-json": (events_of(HELLO, event(b"{no json}")), "ReplyBroken"),
    "deep-json": (events_of(event(DEEP)), "ReplyBroken"),
    "events-that-are-lists": (events_of(event([1, 2])), "ReplyBroken"),
    "error-in-the-middle": (events_of(HELLO, sent("error", error={"message": "crashed"})), "ModelUnavailable"),
    "error-without-a-word": (events_of(HELLO, sent("error")), "ModelUnavailable"),
    "event-without-a-type": (between({"delta": {"text": "x"}}), "Hello"),
    "event-type-is-a-list": (between({"type": []}), "Hello"),
    "event-of-an-unknown-type": (between({"type": "weather", "text": "x"}), "Hello"),
    "message-is-a-number": (between({"type": "message_start", "message": 7}), "Hello"),
    "message-never-began": (events_of(HELLO, STOP), "Hello"),
    "block-is-null": (between({"type": "content_block_start", "index": 0, "content_block": None}), "Hello"),
    "block-of-an-unknown-type": (events_of(begun(0, "hologram", text=[1]), HELLO, STOP), "Hello"),
    "block-text-is-a-list": (events_of(begun(3, "text", text=["x"]), HELLO, STOP), "Hello"),
    "delta-is-a-list": (between({"type": "content_block_delta", "index": 0, "delta": []}), "Hello"),
    "delta-of-an-unknown-type": (events_of(HELLO, grown(0, "smell_delta", smell="x"), STOP), "Hello"),
    "delta-text-is-a-number": (events_of(HELLO, grown(0, "text_delta", text=7), STOP), "Hello"),
    "delta-of-a-block-that-never-began": (events_of(grown(9, "text_delta", text="Hello"), STOP), "Hello"),
    "index-is-an-object": (events_of(begun({}, "text", text="Hel"), grown({}, "text_delta", text="lo"), STOP), "Hello"),
    "stop-reason-is-an-object": (events_of(HELLO, ended({"a": 1})), "Hello"),
    "stop-reason-unknown": (events_of(HELLO, ended("tired")), "Hello"),
    "stop-reason-missing": (events_of(HELLO, sent("message_stop")), "Hello"),
    "end-is-a-number": (events_of(HELLO, sent("message_delta", delta=7, usage=7), sent("message_stop")), "Hello"),
    "usage-is-nonsense": (
        events_of(started(input_tokens=10**400), HELLO, ended(usage={"output_tokens": "x"})),
        "Hello",
    ),
    "usage-is-a-list": (events_of(HELLO, ended(usage=[1])), "Hello"),
    "nothing-after-the-end": (
        events_of(HELLO, sent("message_delta", delta={"stop_reason": "end_turn"}), hang=True),
        "Hello",
    ),
    "much-after-the-end": (events_of(HELLO, STOP, *[HELLO] * 2000), "Hello"),
    "two-ends": (events_of(HELLO, STOP, STOP), "Hello"),
    "not-utf-8": (
        events_of(
            b'data: {"type": "content_block_start", "content_block": {"type": "text", "text": "caf\xe9"}}\n\n', STOP
        ),
        "caf\ufffd",
    ),
    "half-a-surrogate": (events_of(begun(0, "text", text="\ud800"), STOP), "\ud800"),
    "escapes": (events_of(begun(0, "text", text="\x1b[2J"), STOP), "\x1b[2J"),
    "endless-text": (events_of(HELLO, *[saying("a " * 5000)] * 200), "ReplyBroken"),
    "endless-thinking": (events_of(*[grown(0, "thinking_delta", thinking="a " * 5000)] * 200), "ReplyBroken"),
    "endless-signature": (events_of(*[grown(0, "signature_delta", signature="a" * 9000)] * 200), "ReplyBroken"),
    "endless-empty-pieces": (events_of(*[saying("")] * 9000), "ReplyBroken"),
    "endless-unknown-events": (events_of(HELLO, *[sent("weather")] * 9000), "ReplyBroken"),
    "endless-pings": (events_of(*[sent("ping")] * 2000), "ReplyBroken"),
    "endless-blocks": (events_of(*[begun(0, "hologram", data="a" * 9000)] * 200), "ReplyBroken"),
    "endless-arguments": (
        events_of(*[grown(0, "input_json_delta", partial_json="1" * 9000)] * 200),
        "ReplyBroken",
    ),
    "a-thousand-calls": (
        events_of(*(begun(index, "tool_use", id="a", name="web_search") for index in range(1000)), STOP),
        "ReplyBroken",
    ),
    "call-without-a-name": (events_of(begun(0, "tool_use", id="a"), STOP), "ReplyBroken"),
    "call-name-is-a-number": (events_of(*call_events(0, 7, {}), STOP), "ReplyBroken"),
    "call-of-an-unknown-tool": (events_of(*call_events(0, "rm_rf", {"path": "/"}), STOP), "rm_rf"),
    "call-with-broken-json": (events_of(*call_events(0, "web_search", '{"query": '), STOP), "web_search"),
    "call-with-deep-json": (events_of(*call_events(0, "web_search", "[" * 900), STOP), "web_search"),
    "call-ids-are-repeated": (
        events_of(*call_events(0, "web_search", {}, id="a"), *call_events(1, "web_search", {}, id="a"), STOP),
        "web_search web_search",
    ),
    "call-ids-are-missing": (events_of(*call_events(0, "web_search", {}, id=None), STOP), "web_search"),
    "refused": (events_of(HELLO, ended("refusal", stop_details=[7])), "ReplyBroken"),
    "event-of-five-megabytes": (events_of(b"data: " + b"x" * 5_000_000), "ReplyBroken"),
    "lines-without-an-event": (events_of(*[b"data: x\n" * 10_000] * 60), "ReplyBroken"),
}
"""What is answered to a message, and how the reply ends: by a failure's kind, by the names of calls, by a text."""

ENTRIES: list[Any] = [
    {"max_input_tokens": "many", "max_tokens": [], "capabilities": 7},
    {"max_input_tokens": -1, "capabilities": {"thinking": [], "structured_outputs": None}},
    {"max_input_tokens": 10**400, "max_tokens": True},
    {"capabilities": {"thinking": {"supported": True, "types": ["adaptive"]}}},
    {"capabilities": {"thinking": {"supported": True, "types": {"enabled": {"supported": True}}}}, "max_tokens": 1},
]
"""What a list says of a model."""

"""A server of the Messages API with scripted replies over real HTTP on loopback, in the shapes of the SDK's types."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.fakes.ollama import Raw, as_json
from tests.fakes.openai import EVENTS, FakeOpenAI

SIGNATURE = "EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pk"


@dataclass(frozen=True)
class Spoken:
    """A scripted reply. `calls` are (name, arguments as JSON's text or as values); arguments come in two pieces."""

    text: str = ""
    calls: tuple[tuple[str, Any], ...] = ()
    thinking: str = ""
    reason: str = ""
    """Unset: `tool_use` with calls, else `end_turn`."""
    usage: dict[str, Any] = field(default_factory=dict)
    """Beside counts that are made up."""


def sent(kind: str, **fields: Any) -> bytes:
    """One event."""
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()


def begun(index: Any, kind: str, **fields: Any) -> bytes:
    """The beginning of a block."""
    return sent("content_block_start", index=index, content_block={"type": kind, **fields})


def grown(index: Any, kind: str, **fields: Any) -> bytes:
    """A piece of a block: `text_delta`, `input_json_delta`, `thinking_delta`, `signature_delta`."""
    return sent("content_block_delta", index=index, delta={"type": kind, **fields})


def ended(reason: Any = "end_turn", usage: Any = None, **delta: Any) -> bytes:
    """Why the message ended, and that it did."""
    stopped = {"stop_reason": reason, "stop_sequence": None, **delta}
    return sent("message_delta", delta=stopped, usage=usage or {"output_tokens": 1}) + sent("message_stop")


def started(**usage: Any) -> bytes:
    """The beginning of a message."""
    message = {"id": "msg_01", "type": "message", "role": "assistant", "model": "fake", "content": []}
    usage = {"input_tokens": 9, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0} | usage
    return sent("message_start", message={**message, "stop_reason": None, "usage": {"output_tokens": 1} | usage})


def call_events(index: int, name: Any, arguments: Any, **fields: Any) -> list[bytes]:
    """A call as it is streamed: id and name first, then the arguments in two pieces."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    head = begun(index, "tool_use", **({"id": f"toolu_{index}", "name": name, "input": {}} | fields))
    halves = (text[: len(text) // 2], text[len(text) // 2 :])
    pieces = [grown(index, "input_json_delta", partial_json=part) for part in halves]
    return [head, *pieces, sent("content_block_stop", index=index)]


def spoken_pieces(said: Spoken, body: dict[str, Any]) -> tuple[bytes, ...]:
    """The events of a scripted reply, a word each."""
    index, pieces, words = 0, list[bytes](), re.findall(r"\s*\S+|\s+$", said.text)
    if said.thinking:
        pieces.append(begun(0, "thinking", thinking="", signature=""))
        pieces += [grown(0, "thinking_delta", thinking=word) for word in re.findall(r"\s*\S+", said.thinking)]
        pieces += [grown(0, "signature_delta", signature=SIGNATURE), sent("content_block_stop", index=0)]
        index += 1
    if words:
        pieces += [begun(index, "text", text=""), sent("ping")]
        pieces += [grown(index, "text_delta", text=word) for word in words]
        pieces.append(sent("content_block_stop", index=index))
        index += 1
    for place, (name, arguments) in enumerate(said.calls):
        pieces += call_events(index + place, name, arguments)
    tokens = max(1, len(json.dumps([body["messages"], body.get("system"), body.get("tools")])) // 4)
    first = started(**({"input_tokens": tokens} | said.usage))
    usage = {"output_tokens": len(words) or 1} | said.usage
    return (first, *pieces, ended(said.reason or ("tool_use" if said.calls else "end_turn"), usage))


def refused(status: int, message: str, kind: str = "invalid_request_error", headers: str = "", **more: Any) -> Raw:
    """An error as the API tells it; `headers` stand behind that of the content's type."""
    body = {"type": "error", "error": {"type": kind, "message": message, **more}, "request_id": "req_1"}
    return Raw((json.dumps(body).encode(),), status, f"application/json{headers}")


def events_of(*events: bytes, **raw: Any) -> Raw:
    """An answer of these events."""
    return Raw(events, 200, EVENTS, **raw)


def listed_model(
    name: str, *, thinks: str = "", efforts: str = "", schemas: bool = False, sees: bool = False, **more: Any
) -> dict[str, Any]:
    """A model as the list has it; `thinks` are the ways, as `adaptive disabled`, `efforts` its words for how hard."""
    ways = ("adaptive", "between_tools", "disabled", "enabled")
    types = {way: {"supported": way in thinks.split()} for way in ways}
    capabilities = {
        "structured_outputs": {"supported": schemas},
        "image_input": {"supported": sees},
        "thinking": {"supported": bool(thinks), "types": types},
        "effort": {"supported": bool(efforts)}
        | {word: {"supported": word in efforts.split()} for word in ("low", "medium", "high", "xhigh", "max")},
    }
    return {"id": name, "type": "model", "display_name": name, "capabilities": capabilities, **more}


class FakeAnthropic(FakeOpenAI):
    """The server. `async with FakeAnthropic([Spoken("Hello")]) as server:` gives its base URL as `server.base_url`.

    `replies` are used up by /v1/messages; `listed` are the entries of /v1/models, given in pages of `page` at most.
    """

    def __init__(
        self,
        replies: Sequence[Any] = (),
        listed: Sequence[dict[str, Any]] | Raw | None = None,
        paths: dict[str, Any] | None = None,
        key: str = "",
        page: int = 1000,
    ) -> None:
        super().__init__(replies, [listed_model("fake")] if listed is None else listed, paths, key)
        self.page = page

    @property
    def base_url(self) -> str:
        """What `anthropic.base_url` is for this server."""
        return self.url

    @property
    def chats(self) -> list[dict[str, Any]]:
        """The bodies of the messages."""
        return [body for path, body in self.requests if path == "/v1/messages"]

    def _answer(self, path: str, body: dict[str, Any]) -> Raw:
        if self.key and self.headers[-1].get("authorization") != f"Bearer {self.key}":
            return refused(401, "invalid x-api-key", "authentication_error")
        return super()._answer(path, body)

    def _known(self, path: str, body: dict[str, Any]) -> Raw:
        parts = urlsplit(path)
        if parts.path == "/v1/models":
            return self.listed if isinstance(self.listed, Raw) else self._list_page(parse_qs(parts.query))
        if path == "/v1/messages":
            return self._reply(body)
        return refused(404, f"not found: {path}", "not_found_error")

    def _list_page(self, query: dict[str, list[str]]) -> Raw:
        assert not isinstance(self.listed, Raw)
        names = [str(entry.get("id")) for entry in self.listed]
        begin = names.index(query["after_id"][0]) + 1 if "after_id" in query else 0
        size = min(self.page, int(query["limit"][0]))
        entries = list(self.listed[begin : begin + size])
        ends = {"first_id": entries[0].get("id"), "last_id": entries[-1].get("id")} if entries else {}
        return as_json({"data": entries, "has_more": begin + size < len(names), **ends})

    def _reply(self, body: dict[str, Any]) -> Raw:
        if self.warming and body["messages"][-1]["content"][0].get("text") == "Go on.":
            return events_of(*spoken_pieces(Spoken("ok"), body))
        if not self.script:
            raise AssertionError(f"no reply left for {body}")
        answer: Any = self.script.pop(0)
        answer = answer(body) if callable(answer) else answer
        return events_of(*spoken_pieces(answer, body)) if isinstance(answer, Spoken) else answer

"""A server of OpenAI's protocol with scripted replies over real HTTP on loopback, in the shapes of the SDK's types.

What is only llama-server's, LM Studio's or vLLM's is in the lists and pages that `models` and `paths` give.
"""

import asyncio
import itertools
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.ollama import FakeOllama, Raw, as_json

EVENTS = "text/event-stream; charset=utf-8"
END = b"data: [DONE]\n\n"
HEAD = {"id": "chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG", "object": "chat.completion.chunk", "created": 1741570283}


@dataclass(frozen=True)
class Said:
    """A scripted reply. `calls` are (name, arguments as JSON's text or as values); arguments come in two pieces."""

    text: str = ""
    calls: tuple[tuple[str, Any], ...] = ()
    thinking: str = ""
    thinking_field: str = "reasoning_content"
    reason: str | None = None
    """Unset: `tool_calls` with calls, else `stop`."""
    usage: dict[str, Any] | None = field(default_factory=dict)
    """Beside counts that are made up; None: not told."""
    done: bool = True
    """Whether the stream says that it is at its end."""
    ids: bool = True
    logprobs: dict[str, float] = field(default_factory=dict)
    """The first token's alternatives and their natural logarithms."""


def event(value: Any) -> bytes:
    """One event of a stream."""
    return b"data: " + (value if isinstance(value, bytes) else json.dumps(value).encode()) + b"\n\n"


def chunk(delta: dict[str, Any], reason: str | None = None, **choice: Any) -> bytes:
    """One chunk of a reply."""
    choices = [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason, **choice}]
    return event({**HEAD, "model": "fake", "system_fingerprint": "fp_1", "choices": choices, "usage": None})


def call_pieces(calls: Sequence[tuple[str, Any]], *, ids: bool = True) -> list[bytes]:
    """Calls as they are streamed: id and name first, then the arguments in two pieces."""
    pieces = []
    for index, (name, arguments) in enumerate(calls):
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        first = {"index": index, "type": "function", "function": {"name": name, "arguments": ""}}
        pieces.append(chunk({"tool_calls": [{**first, "id": f"call_{index}"} if ids else first]}))
        for part in (text[: len(text) // 2], text[len(text) // 2 :]):
            pieces.append(chunk({"tool_calls": [{"index": index, "function": {"arguments": part}}]}))
    return pieces


def said_pieces(said: Said, body: dict[str, Any]) -> tuple[bytes, ...]:
    """The events of a scripted reply, a word each."""
    words = re.findall(r"\s*\S+|\s+$", said.text)
    pieces = [chunk({"role": "assistant", "content": "", "refusal": None})]
    pieces += [chunk({said.thinking_field: word}) for word in re.findall(r"\s*\S+", said.thinking)]
    for place, word in enumerate(words):
        logs = {"logprobs": logprobs_of(said.logprobs)} if place == 0 and said.logprobs and body.get("logprobs") else {}
        pieces.append(chunk({"content": word}, **logs))
    pieces += call_pieces(said.calls, ids=said.ids)
    reason = said.reason or ("tool_calls" if said.calls else "stop")
    pieces.append(chunk({}, reason))
    if said.usage is not None and (body.get("stream_options") or {}).get("include_usage"):
        tokens = max(1, len(json.dumps([body["messages"], body.get("tools")])) // 4)
        told = {"prompt_tokens": tokens, "completion_tokens": len(words) or 1, "total_tokens": tokens + len(words)}
        pieces.append(event({**HEAD, "model": "fake", "choices": [], "usage": told | said.usage}))
    return (*pieces, END) if said.done else tuple(pieces)


def logprobs_of(logs: dict[str, float]) -> dict[str, Any]:
    """The first token's alternatives as a choice tells them."""
    top = [{"token": token, "logprob": log, "bytes": list(token.encode())} for token, log in logs.items()]
    return {"content": [{**top[0], "top_logprobs": top}], "refusal": None}


def failure(status: int, message: str, headers: str = "", **more: Any) -> Raw:
    """An error as OpenAI tells it; `headers` stand behind that of the content's type."""
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": None} | more
    return Raw((json.dumps({"error": error}).encode(),), status, f"application/json{headers}")


def stream_of(*events: bytes, **raw: Any) -> Raw:
    """An answer of these events."""
    return Raw(events, 200, EVENTS, **raw)


Answering = Said | Raw | Callable[[dict[str, Any]], "Said | Raw"]


class FakeOpenAI(FakeOllama):
    """The server. `async with FakeOpenAI([Said("Hello")]) as server:` gives its base URL as `server.base_url`.

    `replies` are used up by /v1/chat/completions, one a request; `listed` are the entries of /v1/models, or a whole
    answer of it. With `key` the server wants that one.
    """

    def __init__(
        self,
        replies: Sequence[Answering] = (),
        listed: Sequence[dict[str, Any]] | Raw | None = None,
        paths: dict[str, Any] | None = None,
        key: str = "",
    ) -> None:
        super().__init__((), {}, paths)
        self.script = list(replies)
        self.listed = [{"id": "fake", "object": "model", "created": 1, "owned_by": "me"}] if listed is None else listed
        self.key = key
        self._ids = itertools.count()

    @property
    def base_url(self) -> str:
        """What `openai.base_url` is for this server."""
        return f"{self.url}/v1"

    @property
    def chats(self) -> list[dict[str, Any]]:
        """The bodies of the chats."""
        return [body for path, body in self.requests if path == "/v1/chat/completions"]

    def _answer(self, path: str, body: dict[str, Any]) -> Raw:
        if self.key and self.headers[-1].get("authorization") != f"Bearer {self.key}":
            told = f"Incorrect API key provided: {self.key[:4]}*****{self.key[-4:]}."
            return failure(401, told, code="invalid_api_key")
        return super()._answer(path, body)

    def _known(self, path: str, body: dict[str, Any]) -> Raw:
        if path == "/v1/models":
            return self.listed if isinstance(self.listed, Raw) else as_json({"object": "list", "data": self.listed})
        if path == "/v1/chat/completions":
            return self._reply(body)
        return failure(404, f"Invalid URL ({path})")

    def _reply(self, body: dict[str, Any]) -> Raw:
        if self.warming and [message["role"] for message in body["messages"]] == ["system"]:
            return stream_of(*said_pieces(Said("ok"), body))
        if not self.script:
            raise AssertionError(f"no reply left for {body}")
        answer = self.script.pop(0)
        answer = answer(body) if callable(answer) else answer
        return stream_of(*said_pieces(answer, body)) if isinstance(answer, Said) else answer


async def wait_for(condition: Callable[[], bool]) -> None:
    """Until it holds, for at most five seconds."""
    async with asyncio.timeout(5):
        while not condition():
            await asyncio.sleep(0.01)

"""An Ollama server of scripted replies over real HTTP on loopback; its shapes are those of `../shared/ollama/`."""

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from tests.fakes.places import SHARED

RECORDINGS = SHARED / "ollama" / "exchanges"
CREATED = "2026-11-21T22:44:22.946139961Z"


@dataclass(frozen=True)
class Raw:
    """An answer as bytes: the pieces are sent one by one; `cut` drops the connection instead of ending the body."""

    pieces: tuple[bytes, ...]
    status: int = 200
    content_type: str = "application/x-ndjson"
    cut: bool = False
    before: float = 0.0
    """Seconds before the first byte."""
    hang: bool = False
    """Whether to keep the connection open after the last piece, saying nothing."""


@dataclass(frozen=True)
class Turn:
    """A scripted reply of /api/chat. `calls` are (name, arguments).

    `late` puts the first call on the last chunk (models served by their GGUF's template); else each call has a
    chunk of its own (models with a template of Ollama's).
    """

    text: str = ""
    calls: tuple[tuple[str, Any], ...] = ()
    thinking: str = ""
    late: bool = False
    ids: bool = True
    reason: str = "stop"
    done: bool = True
    counts: bool = True
    error: str = ""
    """An error line in the middle of the stream, after the text."""
    logprobs: dict[str, float] = field(default_factory=dict)
    """The first token's alternatives and their natural logarithms."""
    prompt_tokens: int = 0
    """0: one for every four characters sent."""


def line(message: dict[str, Any], **rest: Any) -> bytes:
    """One chunk of a reply."""
    chunk = {"model": "fake", "created_at": CREATED, "message": {"role": "assistant", "content": "", **message}}
    return json.dumps({**chunk, "done": False, **rest}).encode() + b"\n"


def call_of(index: int, name: str, arguments: Any, ids: bool) -> dict[str, Any]:
    """A call as it stands in a chunk."""
    call: dict[str, Any] = {"function": {"index": index, "name": name, "arguments": arguments}}
    return {"id": f"call_{index}", **call} if ids else call


def turn_pieces(turn: Turn, body: dict[str, Any]) -> tuple[bytes, ...]:
    """The chunks of a scripted reply, a word each."""
    words = re.findall(r"\s*\S+|\s+$", turn.text)
    pieces = [line({"thinking": word}) for word in re.findall(r"\s*\S+", turn.thinking)]
    extra = {}
    if turn.logprobs and body.get("logprobs"):
        top = [{"token": token, "logprob": value} for token, value in turn.logprobs.items()]
        extra = {"logprobs": [{**top[0], "top_logprobs": top}]}
    for place, word in enumerate(words):
        pieces.append(line({"content": word}, **(extra if place == 0 else {})))
    calls = [call_of(index, name, arguments, turn.ids) for index, (name, arguments) in enumerate(turn.calls)]
    if not turn.late:
        pieces += [line({"tool_calls": [call]}) for call in calls]
    if turn.error:
        return (*pieces, json.dumps({"error": turn.error}).encode() + b"\n")
    if not turn.done:
        return tuple(pieces)
    counts: dict[str, Any] = {}
    if turn.counts:
        tokens = turn.prompt_tokens or max(1, len(json.dumps([body["messages"], body.get("tools")])) // 4)
        counts = {"prompt_eval_count": tokens, "prompt_eval_duration": 2_000_000_000}
        counts |= {"eval_count": len(words) or 1, "eval_duration": 1_000_000_000}
    last = {"tool_calls": calls} if turn.late and calls else {}
    return (*pieces, line(last, done=True, done_reason=turn.reason, **counts))


def shown(capabilities: Sequence[str] | None = ("completion", "tools"), **more: Any) -> dict[str, Any]:
    """What /api/show tells of a model; without capabilities as an old server."""
    facts = {"general.architecture": "qwen3", "general.parameter_count": 8_190_735_360, "qwen3.context_length": 40960}
    answer: dict[str, Any] = {
        "modelfile": "",
        "template": "",
        "details": {"format": "gguf", "family": "qwen3", "parameter_size": "8.2B", "quantization_level": "Q4_K_M"},
        "model_info": facts,
        "modified_at": CREATED,
    }
    return answer | ({} if capabilities is None else {"capabilities": list(capabilities)}) | more


def recording(name: str) -> dict[str, Any]:
    """A recorded exchange by its name."""
    exchange: dict[str, Any] = json.loads((RECORDINGS / f"{name}.json").read_text(encoding="utf-8"))
    return exchange


def replay(exchange: dict[str, Any]) -> Raw:
    """The recorded answer, piece by piece as it arrived."""
    response = exchange["response"]
    pieces = tuple(text.encode() for _, text in response["pieces"])
    return Raw(pieces, response["status"], response["headers"].get("content-type", "application/json"))


def as_json(value: Any, status: int = 200) -> Raw:
    """An answer in one piece."""
    return Raw((json.dumps(value).encode(),), status, "application/json; charset=utf-8")


Answer = Turn | Raw | Callable[[dict[str, Any]], "Turn | Raw"]


class FakeOllama:
    """The server. `async with FakeOllama([Turn("Hello")]) as server:` gives its address as `server.url`.

    `replies` are used up by /api/chat, one a request. `models` maps a name to what /api/show tells; `paths` gives a
    path an answer of its own. `requests` holds (path, body) of every request that came.
    """

    def __init__(
        self,
        replies: Sequence[Answer] = (),
        models: dict[str, dict[str, Any]] | None = None,
        paths: dict[str, Answer] | None = None,
    ) -> None:
        self.replies = list(replies)
        self.models = {"qwen3:8b": shown()} if models is None else models
        self.paths = paths or {}
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.headers: list[dict[str, str]] = []
        self.warming = False
        """Answer warm-ups by itself, so that they use up no reply."""
        self.cancelled = 0
        self.url = ""
        self._loaded: dict[str, int] = {}
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def chats(self) -> list[dict[str, Any]]:
        """The bodies of the /api/chat requests."""
        return [body for path, body in self.requests if path == "/api/chat"]

    @property
    def questions(self) -> list[dict[str, Any]]:
        """Those of them that ask something: a warm-up sends the system message alone, and uses up no reply."""
        return [body for body in self.chats if [message["role"] for message in body["messages"]] != ["system"]]

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                await self._exchange(head.decode("latin-1"), reader, writer)
        except (asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        except ConnectionError:
            self.cancelled += 1
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _exchange(self, head: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first, *lines = head.split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (item.partition(":") for item in lines) if name}
        raw = await reader.readexactly(int(headers.get("content-length", 0)))
        path = first.split()[1]
        body = json.loads(raw) if raw else {}
        self.requests.append((path, body))
        self.headers.append(headers)
        answer = self._answer(path, body)
        await self._send(answer, writer)

    def _answer(self, path: str, body: dict[str, Any]) -> Raw:
        answer: Answer | None = self.paths.get(path)
        if answer is None and path == "/api/chat":
            answer = self._chat(body)
        if answer is None:
            return self._known(path, body)
        if callable(answer):
            answer = answer(body)
        return Raw(turn_pieces(answer, body)) if isinstance(answer, Turn) else answer

    def _chat(self, body: dict[str, Any]) -> Answer:
        name = body["model"]
        if name not in self.models:
            return as_json({"error": f"model '{name}' not found"}, 404)
        self._loaded[name] = body.get("options", {}).get("num_ctx", 4096)
        if self.warming and [message["role"] for message in body.get("messages", ())] == ["system"]:
            return Turn("")
        if not self.replies:
            raise AssertionError(f"no reply left for {body}")
        return self.replies.pop(0)

    def _known(self, path: str, body: dict[str, Any]) -> Raw:
        match path:
            case "/api/version":
                return as_json({"version": "0.33.0"})
            case "/api/tags":
                return as_json({"models": [self._tag(name, show) for name, show in self.models.items()]})
            case "/api/ps":
                loaded = [{"name": name, "model": name, "context_length": n} for name, n in self._loaded.items()]
                return as_json({"models": loaded})
            case "/api/show" if body["model"] in self.models:
                return as_json(self.models[body["model"]])
            case "/api/show":
                return as_json({"error": f"model '{body['model']}' not found"}, 404)
            case "/api/pull":
                return self._pull(body["model"])
        return Raw((b"404 page not found",), 404, "text/plain")

    def _tag(self, name: str, show: dict[str, Any]) -> dict[str, Any]:
        kept = {key: show[key] for key in ("details", "capabilities", "remote_host") if key in show}
        return {"name": name, "model": name, "modified_at": CREATED, "size": 5_225_388_164, "digest": "x", **kept}

    def _pull(self, name: str) -> Raw:
        self.models[name] = shown()
        steps: list[dict[str, Any]] = [{"status": "pulling manifest"}]
        steps += [{"status": "pulling a3d", "digest": "a3d", "total": 200, "completed": n} for n in (0, 100, 200)]
        return Raw(tuple(json.dumps(step).encode() + b"\n" for step in [*steps, {"status": "success"}]))

    async def _send(self, answer: Raw, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(answer.before)
        head = (
            f"HTTP/1.1 {answer.status} X\r\nContent-Type: {answer.content_type}\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        writer.write(head.encode())
        for piece in answer.pieces:
            if piece:
                writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            await writer.drain()
            await asyncio.sleep(0)
        if answer.hang:
            await asyncio.sleep(3600)
        if answer.cut:
            raise ConnectionResetError
        writer.write(b"0\r\n\r\n")
        await writer.drain()


def rechunked(raw: Raw, size: int) -> Raw:
    """The same bytes in pieces of another size, so that lines are split anywhere."""
    whole = b"".join(raw.pieces)
    return replace(raw, pieces=tuple(whole[at : at + size] for at in range(0, len(whole), size)))

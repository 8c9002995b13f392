"""The embedded engine without weights: llama-server's wire with scripted replies, and the leases on it.

Its shapes are those of the engine that the tests with a real model run.
"""

import asyncio
import json
import re
import secrets
from collections.abc import Sequence
from typing import Any, Self
from urllib.parse import urlsplit

from chatbot.models.embedded.engine import EngineShare
from chatbot.models.embedded.engine_process import WELCOME
from tests.fakes.ollama import Raw, as_json
from tests.fakes.openai import END, Answering, FakeOpenAI, Said, event, failure, stream_of
from utils.paths import private_dir, write_private

TEMPLATE = "{% if enable_thinking %}{% if tools %}{{ tools | tojson }}"
"""What of a chat template is looked at."""
CALLING = {"supports_system_role": True, "supports_tool_calls": True, "supports_tools": True}


def chunk(delta: dict[str, Any], reason: str | None = None, **more: Any) -> bytes:
    """One chunk of a reply."""
    choice = {"finish_reason": reason, "index": 0, "delta": delta}
    return event({"choices": [choice], "object": "chat.completion.chunk", **more})


def call_pieces(calls: Sequence[tuple[str, Any]], *, ids: bool = True) -> list[bytes]:
    """Calls as they are streamed: id, name and the arguments' beginning first, then the rest of them."""
    pieces = []
    for index, (name, arguments) in enumerate(calls):
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        identity = {"id": secrets.token_hex(16)} if ids else {}
        first = {"index": index, **identity, "type": "function", "function": {"name": name, "arguments": text[:1]}}
        pieces.append(chunk({"tool_calls": [first]}))
        for part in re.findall(r".{1,9}", text[1:], re.DOTALL):
            pieces.append(chunk({"tool_calls": [{"index": index, "function": {"arguments": part}}]}))
    return pieces


def reply_pieces(said: Said, body: dict[str, Any]) -> tuple[bytes, ...]:
    """The events of a scripted reply, a word each; the last of them tells its tokens."""
    words = re.findall(r"\s*\S+|\s+$", said.text)
    tokens = (said.usage or {}).get("prompt_tokens", 1)
    begun = {"role": "assistant", "content": None}
    progress = {"total": tokens, "cache": 0, "processed": tokens, "time_ms": 1}
    pieces = [chunk(begun, prompt_progress=progress), chunk(begun)]
    pieces += [chunk({"reasoning_content": word}) for word in re.findall(r"\s*\S+", said.thinking)]
    pieces += [chunk({"content": word}) for word in words]
    pieces += call_pieces(said.calls, ids=said.ids)
    timings = {"cache_n": 0, "prompt_n": tokens, "prompt_ms": 2000.0}
    timings |= {"predicted_n": len(words) or 1, "predicted_ms": 1000.0}
    if said.done:
        pieces += [chunk({}, said.reason or ("tool_calls" if said.calls else "stop"), timings=timings), END]
    return tuple(pieces)


class FakeEngine(FakeOpenAI):
    """The engine that a share finds running. `async with FakeEngine(share, [Said("Hello")]):` has it joined.

    `caps` is what /props tells of the model's template, `parameters` how large the model is.
    """

    def __init__(
        self,
        share: EngineShare,
        replies: Sequence[Answering] = (),
        caps: dict[str, bool] | None = None,
        parameters: int = 8_200_000_000,
    ) -> None:
        meta = {"n_ctx": share.spec.window, "n_ctx_train": 32768, "n_params": parameters}
        entry = {"id": str(share.spec.model), "object": "model", "owned_by": "llamacpp", "meta": meta}
        super().__init__(replies, [entry], key=secrets.token_hex(32))
        self._share = share
        self._caps = CALLING if caps is None else caps

    async def __aenter__(self) -> Self:
        await super().__aenter__()
        folder = private_dir(self._share.folder)
        private_dir(self._share.states_folder)
        self._leases = await asyncio.start_server(self._grant_lease, "127.0.0.1", 0)
        state = {"port": self._leases.sockets[0].getsockname()[1], "key": self.key}
        write_private(folder / f"{self._share.spec.name}.json", json.dumps(state))
        return self

    async def __aexit__(self, *details: object) -> None:
        self._leases.close()
        await super().__aexit__(*details)

    async def _grant_lease(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Keep a client's lease until it lets go of it, or the engine ends."""
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            if await reader.readline() == self.key.encode() + b"\n":
                writer.write(WELCOME + json.dumps({"port": urlsplit(self.url).port}).encode() + b"\n")
                await reader.read()
        except (asyncio.CancelledError, ConnectionError):
            pass
        finally:
            self._tasks.discard(task)
            writer.close()

    def prompts(self) -> list[dict[str, Any]]:
        """The bodies by which prompts were rendered."""
        return [body for path, body in self.requests if path == "/apply-template"]

    def _known(self, path: str, body: dict[str, Any]) -> Raw:
        place, _, action = path.partition("?action=")
        match place.split("/")[1:]:
            case ["props"]:
                window = {"n_ctx": self._share.spec.window}
                told = {"chat_template": TEMPLATE, "chat_template_caps": self._caps, "modalities": {"vision": False}}
                return as_json({"default_generation_settings": window, **told})
            case ["tokenize"]:
                return as_json({"tokens": list(range(len(body["content"]) // 4))})
            case ["apply-template"]:
                return as_json({"prompt": json.dumps([body["messages"], body.get("tools")])})
            case ["slots"]:
                return as_json([{"id": slot, "is_processing": False} for slot in (0, 1)])
            case ["slots", _] if action == "save":
                (self._share.states_folder / body["filename"]).write_bytes(b"a state")
                return as_json({})
            case ["slots", _]:
                return as_json({})
            case ["completion"]:
                return stream_of(event({"content": "", "stop": True}), END)
        return super()._known(path, body)

    def _reply(self, body: dict[str, Any]) -> Raw:
        if body.get("tools") and body.get("logprobs"):
            return failure(400, "logprobs is not supported with tools + stream")
        if not self.script:
            raise AssertionError(f"no reply left for {body}")
        answer = self.script.pop(0)
        answer = answer(body) if callable(answer) else answer
        return stream_of(*reply_pieces(answer, body)) if isinstance(answer, Said) else answer

"""The language model that Magpie runs itself: a GGUF file in llama.cpp, spoken to over loopback HTTP."""

import asyncio
import json
import math
import os
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from chatbot.conversation.messages import Message
from chatbot.conversation.usage import Usage
from chatbot.models.base import BY_SETTINGS, Done, ModelInfo, Piece, ReplyOptions, Text, Thinking
from chatbot.models.counting.remembered import RememberedCounts
from chatbot.models.embedded.engine import EngineAddress, EngineShare, EngineSpec
from chatbot.models.embedded.engine_client import EngineClient
from chatbot.models.embedded.gguf_files import locate_model, weights_identity
from chatbot.models.embedded.held_prompts import HeldPrompts
from chatbot.models.embedded.prompt_cache import PromptStates
from chatbot.models.embedded.settings import EmbeddedSettings
from chatbot.models.embedded.slot_lock import SlotUse
from chatbot.models.settings import Generation
from chatbot.models.wire_values import can_think, takes_effort, thinking_arguments
from tools.base import ToolSchema
from utils.errors import ReplyBroken
from utils.network.access import NetworkAccess
from utils.network.model_hub import Hub

CHOICES = 20
"""Likeliest first tokens that `choose` looks at; the router's weights were fitted on as many."""
PREFIX_LETTERS = 3
READING = "Reading instructions"
"""Said while the beginning of a prompt is read that no run has read before."""


async def engine_for(
    settings: EmbeddedSettings,
    generation: Generation,
    data_dir: Path,
    progress: Callable[[str, int, int], None],
    reach: NetworkAccess | None = None,
) -> EngineShare:
    """The engine that the settings ask for, not started yet; its weights are located. Raises `ModelUnavailable`."""
    model = (await locate_model(settings, data_dir, progress, Hub(reach or NetworkAccess()))).resolve()
    cores = os.cpu_count() or 1
    threads = settings.threads or max(min(cores, 2), cores - 1)
    digest = await asyncio.to_thread(weights_identity, model)
    return EngineShare((data_dir / "engine").resolve(), EngineSpec(model, digest, generation.context_window, threads))


class EmbeddedModel:
    """A `LanguageModel` on the machine's own processor; weights are located and the engine is started when needed.

    `generation` may be replaced at any time; the next request follows it, its window the next engine.
    """

    def __init__(
        self,
        settings: EmbeddedSettings,
        generation: Generation,
        data_dir: Path,
        progress: Callable[[str, int, int], None] = lambda label, done, total: None,
        reach: NetworkAccess | None = None,
    ) -> None:
        self._settings = settings
        self.generation = generation
        self._data_dir = data_dir
        self._progress = progress
        self._reach = reach
        self._client: EngineClient | None = None
        self._states: PromptStates | None = None
        self._opening = asyncio.Lock()
        self._address: EngineAddress | None = None
        self._warm: list[str] = []
        self._counts = RememberedCounts(self._ask_count)
        self._slots = SlotUse()

    async def describe(self) -> ModelInfo:
        """Name and window, as the engine really allocated it."""
        client = await self._open_client()
        properties = await client.get("/props")
        window = int(properties["default_generation_settings"]["n_ctx"])
        spec = client.engine.spec
        template = str(properties.get("chat_template"))
        info = ModelInfo(spec.model.stem, "embedded", window, digest=spec.digest, keeps_beginnings=True)
        return replace(info, can_think=can_think(template), takes_effort=takes_effort(template))

    async def reply(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema] = (),
        options: ReplyOptions = BY_SETTINGS,
    ) -> AsyncGenerator[Piece, None]:
        """Stream a reply. `tools` are left out: with them in its prompt this model calls when it should not."""
        client = await self._open_client()
        body = self._request_body(messages, options.max_tokens) | {"logprobs": True, "top_logprobs": 1}
        if options.temperature is not None:
            body["temperature"] = options.temperature
        reason: Literal["stop", "length"] = "stop"
        async with self._stream_chunks(client, body) as chunks:
            async for chunk in chunks:
                for choice in chunk["choices"]:
                    for piece in _chunk_pieces(choice):
                        yield piece
                    if choice["finish_reason"] == "length":
                        reason = "length"
                if "timings" in chunk:
                    yield Done(_read_usage(chunk["timings"]), reason)
                    return
        raise ReplyBroken("The reply of the language model ended before it was complete.", "Ask again.")

    async def weigh_words(self, messages: Sequence[Message], words: Sequence[str]) -> dict[str, float]:
        """Probabilities of the words from one token's distribution, that nothing constrained."""
        client = await self._open_client()
        sampling = {"max_tokens": 1, "temperature": 0, "logprobs": True, "top_logprobs": CHOICES}
        tokens = []
        async with self._stream_chunks(client, self._request_body(messages) | sampling) as chunks:
            async for chunk in chunks:
                for choice in chunk["choices"]:
                    tokens += [token for first in _token_logprobs(choice) for token in first["top_logprobs"]]
        if not tokens:
            raise ReplyBroken("The language model gave no word to choose by.", "Ask again.")
        return word_probabilities({item["token"]: item["logprob"] for item in tokens}, words)

    async def fill_schema(self, messages: Sequence[Message], schema: dict[str, Any]) -> dict[str, Any]:
        """The likeliest JSON object that the schema's grammar admits; raises `ReplyBroken` when it has no end."""
        client = await self._open_client()
        form = {"type": "json_schema", "json_schema": {"schema": schema}}
        body = self._request_body(messages) | {"temperature": 0, "response_format": form}
        text = ""
        async with self._stream_chunks(client, body) as chunks:
            async for chunk in chunks:
                text += "".join(choice["delta"].get("content") or "" for choice in chunk["choices"])
        try:
            return dict(json.loads(text))
        except (ValueError, TypeError) as error:
            raise ReplyBroken("The language model did not finish what it was to fill in.", "Ask again.") from error

    async def count_tokens(self, text: str) -> int:
        """Exactly as the engine splits a message's text."""
        counted = await self._counts.count_tokens(text)
        assert counted is not None
        return counted

    async def warm_up(self, messages: Sequence[Message], tools: Sequence[ToolSchema] = ()) -> None:
        """Have the beginning of a prompt evaluated: restored from disk, or read and saved there for the next time.

        `tools` are left out, as in a reply.
        """
        client = await self._open_client()
        assert self._states
        asked = {"messages": _wire_messages(messages), "add_generation_prompt": False}
        rendered = await client.post("/apply-template", asked | thinking_arguments(self.generation))
        prompt = str(rendered["prompt"])
        engine = client.engine
        held, key = HeldPrompts(engine.folder / f"{engine.spec.name}.held"), (await engine.connect_engine()).key
        if not await asyncio.to_thread(held.has_prompt, key, prompt):
            async with self._slots.while_changing():
                await self._states.ensure_held(client, prompt, partial(self._progress, READING))
            await asyncio.to_thread(held.note_prompt, key, prompt)
        if prompt not in self._warm:
            self._warm.append(prompt)

    async def close(self) -> None:
        """Let the engine go; it ends when nobody else uses it."""
        if self._client:
            await self._client.close()
        self._client = None

    async def _ask_count(self, text: str) -> int:
        client = await self._open_client()
        answer = await client.post("/tokenize", {"content": _defuse_tokens(text), "parse_special": False})
        return len(answer["tokens"])

    async def _open_client(self) -> EngineClient:
        async with self._opening:
            if not self._client:
                engine = await engine_for(self._settings, self.generation, self._data_dir, self._progress, self._reach)
                self._states = PromptStates(engine.states_folder, engine.spec.name)
                self._client = EngineClient(engine, self.generation.request_timeout)
            await self._restore_after_restart(self._client)
            return self._client

    async def _restore_after_restart(self, client: EngineClient) -> None:
        address = await client.engine.connect_engine()
        if address != self._address and self._states:
            self._address = address
            for prompt in self._warm:
                await self._states.restore_prompt(client, prompt)

    @asynccontextmanager
    async def _stream_chunks(
        self, client: EngineClient, body: dict[str, Any]
    ) -> AsyncIterator[AsyncGenerator[dict[str, Any], None]]:
        async with self._slots.while_replying(), aclosing(client.stream("/v1/chat/completions", body)) as chunks:
            yield chunks

    def _request_body(self, messages: Sequence[Message], max_tokens: int = 0) -> dict[str, Any]:
        body: dict[str, Any] = {
            "messages": _wire_messages(messages),
            "max_tokens": max_tokens or self.generation.max_tokens,
            "temperature": self.generation.temperature,
            "cache_prompt": True,
            **thinking_arguments(self.generation),
        }
        return body if self.generation.seed is None else body | {"seed": self.generation.seed}


def word_probabilities(tokens: dict[str, float], words: Sequence[str]) -> dict[str, float]:
    """The share of each word, from the log-probabilities of a reply's first tokens.

    A word has the tokens that it begins with, if they have three letters or are the whole word; a word without any
    gets the lowest log-probability minus 1. The shares sum to 1.
    """
    lowest = min(tokens.values()) - 1
    logs = {}
    for word in words:
        own = [math.exp(log) for token, log in tokens.items() if _begins_word(word, token.strip().lower())]
        logs[word] = math.log(sum(own)) if sum(own) > 0 else lowest
    top = max(logs.values())
    shares = {word: math.exp(log - top) for word, log in logs.items()}
    total = sum(shares.values())
    return {word: share / total for word, share in shares.items()}


def _begins_word(word: str, token: str) -> bool:
    return word.lower().startswith(token) and (len(token) >= PREFIX_LETTERS or token == word.lower())


def _wire_messages(messages: Sequence[Message]) -> list[dict[str, str]]:
    """Messages as llama.cpp takes them: a tool's result is the user's, and two of one role in a row become one."""
    wire: list[dict[str, str]] = []
    for message in messages:
        role = "user" if message.is_result else message.role
        text = _defuse_tokens(message.prompt_text)
        if wire and wire[-1]["role"] == role:
            wire[-1]["content"] += f"\n\n{text}"
        else:
            wire.append({"role": role, "content": text})
    return wire


def _defuse_tokens(text: str) -> str:
    """Text in which nothing is a control token: a page that holds `<|im_end|>` cannot end its message."""
    return re.sub(r"<\|(\w+)\|>", r"<| \1 |>", text)


def _token_logprobs(choice: dict[str, Any]) -> list[dict[str, Any]]:
    return list((choice.get("logprobs") or {}).get("content") or [])


def _chunk_pieces(choice: dict[str, Any]) -> list[Piece]:
    pieces: list[Piece] = []
    delta = choice["delta"]
    if delta.get("reasoning_content"):
        pieces.append(Thinking(delta["reasoning_content"]))
    if delta.get("content"):
        pieces.append(Text(delta["content"], tuple(token["logprob"] for token in _token_logprobs(choice))))
    return pieces


def _read_usage(timings: dict[str, Any]) -> Usage:
    return Usage(
        prompt_tokens=timings["cache_n"] + timings["prompt_n"],
        cached_tokens=timings["cache_n"],
        reply_tokens=timings["predicted_n"],
        prompt_seconds=timings["prompt_ms"] / 1000,
        reply_seconds=timings["predicted_ms"] / 1000,
    )

"""The language model that Magpie runs itself: a GGUF file in llama.cpp, spoken to over loopback HTTP."""

import asyncio
import json
import math
import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from chatbot.conversation.messages import Message
from chatbot.conversation.usage import Usage
from chatbot.models.base import BY_SETTINGS, FilledForm, ModelInfo, Piece, ReplyOptions, WordShares
from chatbot.models.chat_completions.abilities import read_entry, read_props
from chatbot.models.counting.remembered import RememberedCounts
from chatbot.models.embedded.catalogue import KNOWN
from chatbot.models.embedded.engine import EngineAddress, EngineShare, EngineSpec
from chatbot.models.embedded.engine_client import EngineClient
from chatbot.models.embedded.gguf_files import locate_model, weights_identity
from chatbot.models.embedded.held_prompts import HeldPrompts
from chatbot.models.embedded.prompt_cache import PromptStates
from chatbot.models.embedded.settings import EmbeddedSettings
from chatbot.models.embedded.slot_lock import SlotUse
from chatbot.models.embedded.wire.reply import EngineReply, read_usage, token_logprobs
from chatbot.models.embedded.wire.requests import (
    calling_messages,
    defuse_tokens,
    offered_tools,
    plain_messages,
    write_body,
)
from chatbot.models.settings import Generation
from chatbot.models.wire_values import CITING_PARAMETERS, thinking_arguments
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
        self._may_call = bool(settings.model_path) or KNOWN[settings.size].calls_tools
        self._calls: bool | None = None if self._may_call else False

    async def describe(self) -> ModelInfo:
        """Name and window, as the engine really allocated it; of a model that may call tools, whether it can."""
        client = await self._open_client()
        properties = await client.get("/props")
        spec = client.engine.spec
        [entry] = (await client.get("/v1/models"))["data"] if self._may_call else [{}]
        told = read_props(read_entry(entry), properties)
        self._calls = self._may_call and bool(told.tools)
        return ModelInfo(
            spec.model.stem,
            "embedded",
            told.window,
            can_call_tools=self._calls,
            can_think=told.thinks,
            takes_effort=told.effort,
            cites=self._calls and told.parameters >= CITING_PARAMETERS,
            digest=spec.digest,
            keeps_beginnings=True,
        )

    async def reply(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema] = (),
        options: ReplyOptions = BY_SETTINGS,
    ) -> AsyncGenerator[Piece, None]:
        """Stream a reply; calls come when it is complete.

        `tools` are left out for a model that calls none by its template, and for the two small ones, which would call
        when they should not.
        """
        client = await self._open_client()
        body = write_body(await self._write_messages(messages), self.generation, options.max_tokens)
        # With tools the engine tells no likelihoods.
        body |= await self._offer_tools(tools) or {"logprobs": True, "top_logprobs": 1}
        if options.temperature is not None:
            body["temperature"] = options.temperature
        reply = EngineReply()
        async with self._stream_chunks(client, body) as chunks:
            async for chunk in chunks:
                for piece in reply.take_chunk(chunk):
                    yield piece
                if reply.is_over:
                    return
        raise ReplyBroken("The reply of the language model ended before it was complete.", "Ask again.")

    async def weigh_words(self, messages: Sequence[Message], words: Sequence[str]) -> WordShares:
        """Probabilities of the words from one token's distribution, that nothing constrained."""
        client = await self._open_client()
        sampling = {"temperature": 0, "logprobs": True, "top_logprobs": CHOICES}
        tokens, usage = [], Usage()
        body = write_body(await self._write_messages(messages), self._thoughtless, 1)
        async with self._stream_chunks(client, body | sampling) as chunks:
            async for chunk in chunks:
                for choice in chunk["choices"]:
                    tokens += [token for first in token_logprobs(choice) for token in first["top_logprobs"]]
                usage = read_usage(chunk["timings"]) if "timings" in chunk else usage
        if not tokens:
            raise ReplyBroken("The language model gave no word to choose by.", "Ask again.")
        return WordShares(word_probabilities({item["token"]: item["logprob"] for item in tokens}, words), usage)

    async def fill_schema(self, messages: Sequence[Message], schema: dict[str, Any]) -> FilledForm:
        """The likeliest JSON object that the schema's grammar admits; raises `ReplyBroken` when it has no end."""
        client = await self._open_client()
        form = {"type": "json_schema", "json_schema": {"schema": schema}}
        body = write_body(await self._write_messages(messages), self._thoughtless)
        body |= {"temperature": 0, "response_format": form}
        text, usage = "", Usage()
        async with self._stream_chunks(client, body) as chunks:
            async for chunk in chunks:
                text += "".join(choice["delta"].get("content") or "" for choice in chunk["choices"])
                usage = read_usage(chunk["timings"]) if "timings" in chunk else usage
        try:
            return FilledForm(dict(json.loads(text)), usage)
        except (ValueError, TypeError) as error:
            raise ReplyBroken("The language model did not finish what it was to fill in.", "Ask again.") from error

    async def count_tokens(self, text: str) -> int:
        """Exactly as the engine splits a message's text."""
        counted = await self._counts.count_tokens(text)
        assert counted is not None
        return counted

    async def warm_up(self, messages: Sequence[Message], tools: Sequence[ToolSchema] = ()) -> None:
        """Have the beginning of a prompt evaluated: restored from disk, or read and saved there for the next time.

        `tools` stand in it as in that of a reply.
        """
        client = await self._open_client()
        assert self._states
        asked = {"messages": await self._write_messages(messages), "add_generation_prompt": False}
        asked |= await self._offer_tools(tools) | thinking_arguments(self.generation)
        rendered = await client.post("/apply-template", asked)
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
        answer = await client.post("/tokenize", {"content": defuse_tokens(text), "parse_special": False})
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

    @property
    def _thoughtless(self) -> Generation:
        """How a reply is made in which there is no room for thoughts."""
        return replace(self.generation, thinking_enabled=False)

    async def _calls_tools(self) -> bool:
        """Whether the model calls tools by its template; the engine is asked once."""
        if self._calls is None:
            await self.describe()
        return bool(self._calls)

    async def _offer_tools(self, tools: Sequence[ToolSchema]) -> dict[str, Any]:
        return offered_tools(tools) if tools and await self._calls_tools() else {}

    async def _write_messages(self, messages: Sequence[Message]) -> list[dict[str, Any]]:
        return calling_messages(messages) if await self._calls_tools() else plain_messages(messages)


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

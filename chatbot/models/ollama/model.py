"""A model served by Ollama, spoken to by its native API."""

import json
import logging
import math
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from chatbot.conversation.messages import Message
from chatbot.conversation.usage import Usage
from chatbot.models.base import BY_SETTINGS, Call, Done, FilledForm, ModelInfo, Piece, ReplyOptions, WordShares
from chatbot.models.counting.token_estimate import estimate_tokens
from chatbot.models.ollama.errors import ThinkingUnsupported, is_this_machine
from chatbot.models.ollama.reply_bound import ReplyBound
from chatbot.models.ollama.settings import OllamaSettings
from chatbot.models.ollama.truncation import Counted, Sent, estimate_messages, find_cut
from chatbot.models.ollama.values import (
    is_cloud,
    keep_alive,
    message_pieces,
    read_info,
    read_logprobs,
    read_usage,
    same_name,
    tell_fetching,
    wire_message,
    wire_tool,
)
from chatbot.models.ollama.wire import Server
from chatbot.models.provider import not_found
from chatbot.models.remote.forms import read_held
from chatbot.models.settings import Effort, Generation
from chatbot.models.wire_values import MAX_CALLS_IN_REPLY, read_count, share_out
from tools.base import ToolSchema
from utils.errors import ModelError, ModelNotFound, PromptTooLong, ReplyBroken
from utils.network.access import NetworkAccess

log = logging.getLogger(__name__)

CALIBRATION_TOKENS = 150
"""Shorter prompts say more of the template than of the text."""
MOST_OFF = 2.5
"""How far the estimate may be off, in either direction, before a count is taken to be of something else."""
TOP_LOGPROBS = 20
"""The most that the server tells."""


class OllamaModel:
    """A `LanguageModel` on an Ollama server; nothing is asked of the server before the first method is awaited.

    `generation` may be replaced at any time; the next request follows it.
    """

    def __init__(
        self, name: str, settings: OllamaSettings, generation: Generation, reach: NetworkAccess | None = None
    ) -> None:
        self.name = name
        self.generation = generation
        self._keep_alive = keep_alive(settings.keep_alive)
        self._server = Server(settings.host, generation.request_timeout, reach)
        self._info: ModelInfo | None = None
        self._num_ctx = 0
        """Asked for from the first request on: another value would load the model anew."""
        self._allocated = False
        self._correction = 1.0
        self._before: Counted | None = None

    async def describe(self) -> ModelInfo:
        """What /api/show says of the model; raises `ModelNotFound` with the nearest names that are installed."""
        self._stay_here()
        if self._info is None:
            try:
                shown = await self._server.show_model(self.name)
            except ModelNotFound as error:
                raise await self._not_found() from error
            self._info = read_info(self.name, shown, self.generation.context_window)
            self._num_ctx = self._info.context_window
            if not self._info.host and not is_this_machine(self._server.address):
                self._info = replace(self._info, host=urlsplit(self._server.address).netloc)
        return self._info

    def reply(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema] = (),
        options: ReplyOptions = BY_SETTINGS,
    ) -> AsyncGenerator[Piece, None]:
        """Stream a reply; calls are collected from every chunk, for some models bring them early and some late."""

        async def make_body() -> dict[str, Any]:
            info = await self.describe()
            limit = options.max_tokens or self.generation.max_tokens
            body = self._request_body(messages, limit, think=self._thinking_of(info))
            if options.temperature is not None:
                body["options"]["temperature"] = options.temperature
            if tools:
                body["tools"] = [wire_tool(schema) for schema in tools]
            return body

        return self._reply_pieces(make_body)

    async def weigh_words(self, messages: Sequence[Message], words: Sequence[str]) -> WordShares:
        """The words' shares of the first token's distribution; where that tells none, a constrained choice."""
        tells = (await self.describe()).tells_probabilities
        tokens, usage = await self._first_token(messages) if tells else ({}, Usage())
        if shares := share_out(tokens, words):
            return WordShares(shares, usage)
        schema = {"type": "string", "enum": list(words)}
        chosen, took = await self._constrained_reply(messages, schema)
        if chosen not in words:
            raise ReplyBroken(f"The model {self.name} chose none of the words that it was given.", "Ask again.")
        return WordShares({word: float(word == chosen) for word in words}, usage + took)

    async def fill_schema(self, messages: Sequence[Message], schema: dict[str, Any]) -> FilledForm:
        """A JSON object generated under the schema; a reply that was cut raises `ReplyBroken`."""
        value, usage = await self._constrained_reply(messages, schema)
        if not isinstance(value, dict):
            raise ReplyBroken(f"The model {self.name} did not fill in the form that it was given.", "Ask again.")
        return FilledForm(value, usage)

    async def count_tokens(self, text: str) -> int:
        """An estimate from the text's characters, corrected by what the server reported of earlier prompts."""
        return math.ceil(estimate_tokens(text) * self._correction)

    async def warm_up(self, messages: Sequence[Message], tools: Sequence[ToolSchema] = ()) -> None:
        """Load the model and let it read the prompt's beginning: one token is the least that can be asked."""
        async with aclosing(self.reply(messages, tools, ReplyOptions(max_tokens=1))) as pieces:
            async for _ in pieces:
                pass

    async def close(self) -> None:
        """Close the connections; the server keeps the model for `keep_alive`."""
        await self._server.close()

    def _stay_here(self) -> None:
        """Raise `ModelUnavailable` for a model that runs elsewhere, where nothing may leave this machine."""
        if is_cloud(self.name, {}) or (self._info is not None and self._info.remote):
            self._server.require_online(f"The model {self.name} does not run on this machine")

    def _thinking_of(self, info: ModelInfo) -> bool | Effort:
        """Whether it is to think, or how hard where that is chosen and it lets it be."""
        thinks = info.can_think and self.generation.thinking_enabled
        return self.generation.effort or True if thinks and info.takes_effort else thinks

    def _request_body(self, messages: Sequence[Message], limit: int, *, think: bool | Effort) -> dict[str, Any]:
        options: dict[str, Any] = {
            "num_ctx": self._num_ctx,
            "num_predict": limit,
            "temperature": self.generation.temperature,
        }
        if self.generation.seed is not None:
            options["seed"] = self.generation.seed
        return {
            "model": self.name,
            "messages": [wire_message(message) for message in messages],
            "stream": True,
            "truncate": False,
            "shift": False,
            "think": think,
            "keep_alive": self._keep_alive,
            "options": options,
        }

    async def _reply_pieces(self, make_body: Callable[[], Awaitable[dict[str, Any]]]) -> AsyncGenerator[Piece, None]:
        calls = 0
        async with aclosing(self._stream_chunks(await make_body())) as chunks:
            async for chunk in chunks:
                for piece in message_pieces(chunk):
                    calls += isinstance(piece, Call)
                    if calls > MAX_CALLS_IN_REPLY:
                        raise ReplyBroken(
                            f"The model asked for more than {MAX_CALLS_IN_REPLY} tools at once.", "Ask again."
                        )
                    yield piece
                if chunk.get("done") is True:
                    await self._learn_window()
                    yield Done(read_usage(chunk), "length" if chunk.get("done_reason") == "length" else "stop")

    async def _stream_chunks(self, body: dict[str, Any]) -> AsyncGenerator[dict[str, Any], None]:
        """The checked chunks of a reply, asked for without thinking where the server refuses that."""
        self._stay_here()
        bound = ReplyBound(body["options"]["num_predict"])
        try:
            async with aclosing(self._server.stream_chat(body)) as chunks:
                async for chunk in chunks:
                    bound.take(chunk)
                    self._check_count(body, chunk)
                    yield chunk
            return
        except ModelNotFound as error:
            raise await self._not_found() from error
        except PromptTooLong as error:
            self._take_refusal(body, error)
            raise
        except ThinkingUnsupported:
            if not body["think"] or self._info is None:
                raise
            self._info = replace(self._info, can_think=False)
        async with aclosing(self._stream_chunks({**body, "think": False})) as chunks:
            async for chunk in chunks:
                yield chunk

    def _take_refusal(self, body: dict[str, Any], error: PromptTooLong) -> None:
        """Learn from a prompt that the server did not take."""
        if error.prompt_tokens > error.window:
            self._calibrate_estimate(body, error.prompt_tokens)
        self._narrow_window(error.window)

    async def _learn_window(self) -> None:
        """Correct the window once a model by what was really allocated."""
        if self._allocated or self._info is None:
            return
        self._allocated = True
        try:
            running = await self._server.running_models()
        except ModelError as error:
            log.info("the window that Ollama allocated is not known: %s", error)
            return
        for entry in running:
            window = read_count(entry, "context_length")
            if window and same_name(self.name, str(entry.get("name") or entry.get("model"))):
                self._narrow_window(window)

    def _narrow_window(self, window: int) -> None:
        if self._info is not None and 0 < window < self._info.context_window:
            self._info = replace(self._info, context_window=window)

    def _check_count(self, body: dict[str, Any], chunk: dict[str, Any]) -> None:
        """At the end correct the estimate of tokens; raises `PromptCut` where only a part of the prompt was read."""
        if chunk.get("done") is not True:
            return
        if any(message.get("images") for message in body["messages"]):
            # What a picture has of tokens is each model's own: the count says nothing of the text.
            self._before = None
            return
        count = read_count(chunk, "prompt_eval_count")
        sent = Sent(body["messages"], body.get("tools"), self._correction)
        before, self._before = self._before, None
        cut = find_cut(sent, before, count, self._num_ctx)
        if cut:
            self._narrow_window(cut.window)
            raise cut
        self._before = Counted(sent, count) if count else None
        self._calibrate_estimate(body, count)

    def _calibrate_estimate(self, body: dict[str, Any], tokens: int) -> None:
        tools = sum(estimate_tokens(json.dumps(tool)) for tool in body.get("tools") or ())
        estimate = tools + estimate_messages(body["messages"])
        # A count far from what was sent is missing, or of a part only: it says nothing of the text.
        if estimate >= CALIBRATION_TOKENS and 1 / MOST_OFF < tokens / estimate < MOST_OFF:
            self._correction = tokens / estimate

    async def _first_token(self, messages: Sequence[Message]) -> tuple[dict[str, float], Usage]:
        """The likeliest first tokens and their probabilities, none from a server that does not tell; what that took."""
        info = await self.describe()
        body = self._request_body(messages, 1, think=False)
        body["options"]["temperature"] = 0.0
        body |= {"logprobs": True, "top_logprobs": TOP_LOGPROBS}
        tokens, usage = dict[str, float](), Usage()
        async with aclosing(self._stream_chunks(body)) as chunks:
            async for chunk in chunks:
                tokens = tokens or read_logprobs(chunk)
                usage += read_usage(chunk)
        self._info = replace(self._info or info, tells_probabilities=bool(tokens))
        return tokens, usage

    async def _constrained_reply(self, messages: Sequence[Message], schema: dict[str, Any]) -> tuple[Any, Usage]:
        """The value that the model writes under a schema, and what that took; thinking would take its place."""

        async def make_body() -> dict[str, Any]:
            await self.describe()
            body = self._request_body(messages, self.generation.max_tokens, think=False)
            body["options"]["temperature"] = 0.0
            return {**body, "format": schema}

        held = await read_held(self._reply_pieces(make_body))
        try:
            return json.loads(held.text), held.usage
        except (ValueError, RecursionError) as error:
            raise ReplyBroken(f"The model {self.name} wrote JSON that is not complete.", "Ask again.") from error

    async def _not_found(self) -> ModelNotFound:
        names = [str(entry.get("name") or entry.get("model")) for entry in await self._server.installed_models()]
        return not_found(self.name, names, tell_fetching(self.name))

"""What models behind every API have in common: forms, estimated counts, what is known of a window."""

import math
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from chatbot.conversation.messages import Message
from chatbot.models.base import BY_SETTINGS, FilledForm, ModelInfo, Piece, ReplyOptions, WordShares
from chatbot.models.counting.token_estimate import estimate_tokens
from chatbot.models.provider import not_found
from chatbot.models.remote.forms import HeldReply, read_form, read_word, word_schema
from chatbot.models.remote.server import ModelServer
from chatbot.models.settings import Generation
from tools.base import ToolSchema
from utils.errors import ModelError, ModelNotFound, ModelUnavailable

CORRECTED_FROM = 150
"""Tokens of a prompt from which on its count says something of the text, and not of the template alone."""
FARTHEST_OFF = 2.5
"""How far the estimate may be off, in either direction, before a count is taken to be of something else."""


class RemoteModel(ABC):
    """A `LanguageModel` on a server; nothing is asked before the first method is awaited.

    `generation` may be replaced at any time; the next request follows it.
    """

    def __init__(self, name: str, server: ModelServer, generation: Generation) -> None:
        self.name = name
        self.generation = generation
        self._server = server
        self._info: ModelInfo | None = None
        self._correction = 1.0

    @abstractmethod
    async def describe(self) -> ModelInfo:
        """What the server tells of the model; raises `ModelNotFound` with the nearest names that it has."""

    @abstractmethod
    def reply(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema] = (), options: ReplyOptions = BY_SETTINGS
    ) -> AsyncGenerator[Piece, None]:
        """Stream a reply; calls come when it is complete."""

    @abstractmethod
    async def hold_reply(self, messages: Sequence[Message], schema: dict[str, Any]) -> HeldReply:
        """What the model writes under a schema, as strictly as the server can hold it."""

    async def weigh_words(self, messages: Sequence[Message], words: Sequence[str]) -> WordShares:
        """1 for the word that is chosen."""
        return read_word(await self.hold_reply(messages, word_schema(words)), words, self.name)

    async def fill_schema(self, messages: Sequence[Message], schema: dict[str, Any]) -> FilledForm:
        """A JSON object that the server held to the schema, or that the model was asked for where it holds to none."""
        return read_form(await self.hold_reply(messages, schema), self.name)

    async def count_tokens(self, text: str) -> int:
        """An estimate, corrected by what was reported of earlier prompts."""
        return math.ceil(estimate_tokens(text) * self._correction)

    async def warm_up(self, messages: Sequence[Message], tools: Sequence[ToolSchema] = ()) -> None:
        """Let a server on this machine read the prompt's beginning; another one is sent nothing before a question."""
        if (await self.describe()).remote:
            return
        async with aclosing(self.reply(messages, tools, ReplyOptions(max_tokens=1))) as pieces:
            async for _ in pieces:
                pass

    async def close(self) -> None:
        """Close the connections."""
        await self._server.close()

    def not_found(self, names: Iterable[str]) -> ModelNotFound:
        """That the server does not have the model, with the nearest of the names that it has."""
        begin = f"{self._server.backend}:"
        return not_found(f"{begin}{self.name}", [f"{begin}{name}" for name in names])

    async def name_nearest(self, error: ModelNotFound) -> ModelError:
        """That the model is gone, with the nearest of those that are there."""
        entries = await self._server.list_entries()
        if entries is None:
            return ModelUnavailable(error.problem, self._server.errors.check_url)
        names = [entry["id"] for entry in entries]
        return ModelError(error.problem, error.remedy) if self.name in names else self.not_found(names)

    def narrow_window(self, window: int) -> None:
        """Take over the window that a server tells when it refuses a prompt."""
        if self._info is not None and 0 < window < self._info.context_window:
            self._info = replace(self._info, context_window=window)

    def correct_estimate(self, sent: Iterable[str], counted: int) -> None:
        """Correct the estimate of tokens by what the server counted of the texts that it was sent."""
        estimate = sum(map(estimate_tokens, sent))
        # A count far from what was sent is missing, or of a part only: it says nothing of the text.
        if estimate >= CORRECTED_FROM and 1 / FARTHEST_OFF < counted / estimate < FARTHEST_OFF:
            self._correction = counted / estimate

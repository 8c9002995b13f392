"""Models around another one: what a wrapper does not do itself the wrapped model does."""

import json
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any, Generic, TypeVar

from chatbot.conversation.messages import Message
from chatbot.conversation.usage import Usage
from chatbot.models.base import (
    BY_SETTINGS,
    Done,
    FilledForm,
    LanguageModel,
    ModelInfo,
    Piece,
    ReplyOptions,
    WordShares,
)
from tools.base import ToolSchema

Value = TypeVar("Value")

MAX_REMEMBERED = 128
"""Prompts of a kind of which it is kept what a model said: a turn has some thirty."""


class ForwardingModel(ABC):
    """A `LanguageModel` that hands everything on to another one."""

    @abstractmethod
    async def wrapped(self) -> LanguageModel:
        """The model that everything is handed on to; raises a `ModelError` where there is none."""

    async def describe(self) -> ModelInfo:
        """The wrapped model's description."""
        return await (await self.wrapped()).describe()

    async def reply(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema] = (), options: ReplyOptions = BY_SETTINGS
    ) -> AsyncGenerator[Piece, None]:
        """The wrapped model's reply."""
        async with aclosing((await self.wrapped()).reply(messages, tools, options)) as pieces:
            async for piece in pieces:
                yield piece

    async def weigh_words(self, messages: Sequence[Message], words: Sequence[str]) -> WordShares:
        """As the wrapped model does."""
        return await (await self.wrapped()).weigh_words(messages, words)

    async def fill_schema(self, messages: Sequence[Message], schema: dict[str, Any]) -> FilledForm:
        """As the wrapped model does."""
        return await (await self.wrapped()).fill_schema(messages, schema)

    async def count_tokens(self, text: str) -> int:
        """As the wrapped model does."""
        return await (await self.wrapped()).count_tokens(text)

    async def warm_up(self, messages: Sequence[Message], tools: Sequence[ToolSchema] = ()) -> None:
        """As the wrapped model does."""
        await (await self.wrapped()).warm_up(messages, tools)

    async def close(self) -> None:
        """Close the wrapped model."""
        await (await self.wrapped()).close()


class WrappingModel(ForwardingModel):
    """A `LanguageModel` around one that is there from the beginning."""

    def __init__(self, model: LanguageModel) -> None:
        self.model = model

    async def wrapped(self) -> LanguageModel:
        """The model that it was made with."""
        return self.model

    def reply(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema] = (), options: ReplyOptions = BY_SETTINGS
    ) -> AsyncGenerator[Piece, None]:
        """The wrapped model's reply, itself: each piece has one way less to go."""
        return self.model.reply(messages, tools, options)


class AliasedModel(WrappingModel):
    """A `LanguageModel` that goes by the name by which the user knows it.

    `max_tokens` are those of its replies where it has a number of its own; else 0.
    """

    def __init__(self, model: LanguageModel, alias: str, max_tokens: int) -> None:
        super().__init__(model)
        self._alias = alias
        self._max_tokens = max_tokens

    async def describe(self) -> ModelInfo:
        """The wrapped model's description, under the user's name."""
        return replace(await super().describe(), alias=self._alias, max_tokens=self._max_tokens)


class RememberingModel(WrappingModel):
    """A `LanguageModel` that weighs words and fills in forms once for the same prompt, whoever asks: a second search
    brings the same pages. What it remembers took nothing.
    """

    def __init__(self, model: LanguageModel) -> None:
        super().__init__(model)
        self._shares = _Remembered[dict[str, float]]()
        self._values = _Remembered[dict[str, Any]]()

    async def weigh_words(self, messages: Sequence[Message], words: Sequence[str]) -> WordShares:
        """As the wrapped model does, or did."""
        key = (*words, *_texts_of(messages))
        if known := self._shares.recall(key):
            return WordShares(known)
        told = await super().weigh_words(messages, words)
        self._shares.keep(key, told.shares)
        return told

    async def fill_schema(self, messages: Sequence[Message], schema: dict[str, Any]) -> FilledForm:
        """As the wrapped model does, or did."""
        key = (json.dumps(schema, sort_keys=True), *_texts_of(messages))
        if known := self._values.recall(key):
            return FilledForm(dict(known))
        filled = await super().fill_schema(messages, schema)
        self._values.keep(key, filled.values)
        return filled


class _Remembered(Generic[Value]):
    """The last `MAX_REMEMBERED` answers, by what was asked."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, ...], Value] = OrderedDict()

    def recall(self, key: tuple[str, ...]) -> Value | None:
        if key in self._known:
            self._known.move_to_end(key)
        return self._known.get(key)

    def keep(self, key: tuple[str, ...], value: Value) -> None:
        self._known[key] = value
        if len(self._known) > MAX_REMEMBERED:
            self._known.popitem(last=False)


def _texts_of(messages: Sequence[Message]) -> list[str]:
    return [text for message in messages for text in (message.role, message.content)]


class MeteredModel(WrappingModel):
    """A `LanguageModel` of which is noted what each request took; `note` is awaited before the answer is handed on.

    A reply that is broken off tells nothing.
    """

    def __init__(self, model: LanguageModel, note: Callable[[Usage], Awaitable[None]]) -> None:
        super().__init__(model)
        self._note = note

    async def reply(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema] = (), options: ReplyOptions = BY_SETTINGS
    ) -> AsyncGenerator[Piece, None]:
        """The wrapped model's reply."""
        async with aclosing(super().reply(messages, tools, options)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Done):
                    await self._note(piece.usage)
                yield piece

    async def weigh_words(self, messages: Sequence[Message], words: Sequence[str]) -> WordShares:
        """As the wrapped model does."""
        told = await super().weigh_words(messages, words)
        await self._note(told.usage)
        return told

    async def fill_schema(self, messages: Sequence[Message], schema: dict[str, Any]) -> FilledForm:
        """As the wrapped model does."""
        told = await super().fill_schema(messages, schema)
        await self._note(told.usage)
        return told


class UsageMeter:
    """Adds up what requests took."""

    def __init__(self) -> None:
        self._total = Usage()

    async def add(self, usage: Usage) -> None:
        """Add what a request took."""
        self._total += usage

    def take_total(self) -> Usage:
        """What was added since the last time."""
        total, self._total = self._total, Usage()
        return total

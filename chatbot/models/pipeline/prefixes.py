"""The fixed beginnings of the steps' prompts: each is restored or read just before the first request that needs it."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Any

from chatbot.conversation.messages import Message
from chatbot.models.base import BY_SETTINGS, FilledForm, LanguageModel, Piece, ReplyOptions, WordShares
from chatbot.models.wrapping import WrappingModel
from tools.base import ToolSchema

QUIET_SECONDS = 2.0
"""How long nothing was asked before more is read ahead: between two requests of a turn there may be a search."""


class PrefixedModel(WrappingModel):
    """A `LanguageModel` that has the beginning of a prompt warmed up before it is sent for the first time.

    A beginning is known by its system text. Restoring one that is kept on disk takes a tenth of a second, reading it
    ten: so a request does not wait for those of the other steps, and never reads what is kept; and what is read ahead
    waits while a turn asks one thing after the other. Of a model that keeps only the last prompt the first beginning
    is read ahead and no other: each would take the place of the one before, and a request would wait for it in vain.
    """

    def __init__(
        self,
        model: LanguageModel,
        prefixes: Sequence[Sequence[Message]],
        first: Callable[[], Sequence[Message]] | None = None,
    ) -> None:
        """`first` gives a beginning that comes before all `prefixes` and may become another one."""
        super().__init__(model)
        self._fixed = prefixes
        self._first = first
        self._warm: set[str] = set()
        self._asking = 0
        self._asked = -QUIET_SECONDS
        """When a request ended; below 0 before the first."""
        self._several: bool | None = None

    async def warm_up(self, messages: Sequence[Message] = (), tools: Sequence[ToolSchema] = ()) -> None:
        """Have all beginnings warmed up that the model can keep, in their order; what is given is not looked at."""
        prefixes = self._find_prefixes()
        if not await self._keeps_several():
            if prefixes and not self._asking and self._asked < 0:
                await self.model.warm_up(next(iter(prefixes.values())))
            return
        for prefix in prefixes.values():
            while self._asking or time.monotonic() - self._asked < QUIET_SECONDS:
                await asyncio.sleep(QUIET_SECONDS / 10)
            await self._warm_prefix(prefix)

    @asynccontextmanager
    async def _while_requesting(self, messages: Sequence[Message]) -> AsyncIterator[None]:
        """While a request of a turn is under way, its beginning warmed up."""
        self._asking += 1
        try:
            await self._warm_prefix(messages)
            yield
        finally:
            self._asking -= 1
            self._asked = time.monotonic()

    async def _warm_prefix(self, messages: Sequence[Message]) -> None:
        system = messages[0].content if messages else ""
        prefix = self._find_prefixes().get(system)
        if prefix and system not in self._warm and await self._keeps_several():
            await self.model.warm_up(prefix)
            self._warm.add(system)

    def _find_prefixes(self) -> dict[str, Sequence[Message]]:
        """The beginnings as they are now, by their system texts."""
        prefixes = [*([self._first()] if self._first else []), *self._fixed]
        return {prefix[0].content: prefix for prefix in prefixes}

    async def _keeps_several(self) -> bool:
        if self._several is None:
            self._several = (await self.model.describe()).keeps_beginnings
        return self._several

    async def reply(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema] = (),
        options: ReplyOptions = BY_SETTINGS,
    ) -> AsyncGenerator[Piece, None]:
        """As the wrapped model does."""
        pieces = self.model.reply(messages, tools, options)
        async with self._while_requesting(messages), aclosing(pieces):
            async for piece in pieces:
                yield piece

    async def weigh_words(self, messages: Sequence[Message], words: Sequence[str]) -> WordShares:
        """As the wrapped model does."""
        async with self._while_requesting(messages):
            return await super().weigh_words(messages, words)

    async def fill_schema(self, messages: Sequence[Message], schema: dict[str, Any]) -> FilledForm:
        """As the wrapped model does."""
        async with self._while_requesting(messages):
            return await super().fill_schema(messages, schema)

"""A model that is still being chosen: whoever needs it waits for the choice."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import Any

from chatbot.conversation.messages import Message
from chatbot.models.base import LanguageModel, ModelInfo, Piece
from tools.base import ToolSchema


class LazyModel:
    """Chooses at the first use; a choice that failed is tried again at the next one."""

    def __init__(self, choose: Callable[[], Awaitable[LanguageModel]]) -> None:
        self._choose = choose
        self._model: LanguageModel | None = None
        self._lock = asyncio.Lock()

    async def chosen(self) -> LanguageModel:
        """The model; raises the `ModelError` of a choice that failed."""
        async with self._lock:
            if self._model is None:
                self._model = await self._choose()
            return self._model

    async def describe(self) -> ModelInfo:
        """What the chosen model says of itself."""
        return await (await self.chosen()).describe()

    async def reply(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema] = (),
        *,
        max_tokens: int = 0,
        temperature: float | None = None,
    ) -> AsyncGenerator[Piece, None]:
        """The chosen model's reply."""
        pieces = (await self.chosen()).reply(messages, tools, max_tokens=max_tokens, temperature=temperature)
        async with aclosing(pieces):
            async for piece in pieces:
                yield piece

    async def choose(self, messages: Sequence[Message], words: Sequence[str]) -> dict[str, float]:
        """The chosen model's probabilities."""
        return await (await self.chosen()).choose(messages, words)

    async def fill(self, messages: Sequence[Message], schema: dict[str, Any]) -> dict[str, Any]:
        """The chosen model's JSON."""
        return await (await self.chosen()).fill(messages, schema)

    async def count_tokens(self, text: str) -> int:
        """The chosen model's count."""
        return await (await self.chosen()).count_tokens(text)

    async def warm_up(self, messages: Sequence[Message]) -> None:
        """Choose, then warm up the chosen model."""
        await (await self.chosen()).warm_up(messages)

    async def close(self) -> None:
        """Close the model if one was chosen."""
        if self._model is not None:
            await self._model.close()

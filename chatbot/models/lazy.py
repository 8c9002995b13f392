"""A model that is still being chosen: whoever needs it waits for the choice."""

import asyncio
from collections.abc import Awaitable, Callable

from chatbot.models.base import LanguageModel
from chatbot.models.wrapping import ForwardingModel


class LazyModel(ForwardingModel):
    """Chooses at the first use; a choice that failed is tried again at the next one."""

    def __init__(self, choose: Callable[[], Awaitable[LanguageModel]]) -> None:
        self._choose = choose
        self._model: LanguageModel | None = None
        self._lock = asyncio.Lock()

    async def wrapped(self) -> LanguageModel:
        """The chosen model; raises the `ModelError` of a choice that failed."""
        async with self._lock:
            if self._model is None:
                self._model = await self._choose()
            return self._model

    async def close(self) -> None:
        """Close the model if one was chosen."""
        if self._model is not None:
            await self._model.close()

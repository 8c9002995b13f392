"""Who uses the engine's slots: any number of replies at once, or one who changes what the slots hold, never both."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class SlotUse:
    """A slot that is written to by its number while a reply is under way may give that reply another one's words.

    llama.cpp puts such a request off until the slot is idle; yet now and then a reply went on with the text of the
    prompt that was being restored.
    """

    def __init__(self) -> None:
        self._changed = asyncio.Condition()
        self._replies = 0
        self._changing = False

    @asynccontextmanager
    async def while_replying(self) -> AsyncIterator[None]:
        """While a request chooses its slot itself."""
        async with self._changed:
            await self._changed.wait_for(lambda: not self._changing)
            self._replies += 1
        try:
            yield
        finally:
            await self._end_use(replies=1)

    @asynccontextmanager
    async def while_changing(self) -> AsyncIterator[None]:
        """While slots are read into, saved or restored by their numbers; replies that come meanwhile wait."""
        async with self._changed:
            await self._changed.wait_for(lambda: not self._changing and not self._replies)
            self._changing = True
        try:
            yield
        finally:
            await self._end_use(changing=True)

    async def _end_use(self, replies: int = 0, *, changing: bool = False) -> None:
        # Nothing is awaited before this: who is cancelled leaves no trace.
        self._replies -= replies
        self._changing = self._changing and not changing
        async with self._changed:
            self._changed.notify_all()

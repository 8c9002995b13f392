"""News from the background on their way to whoever prints them."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from chatbot.conversation.events import Notice, Progress

News = Notice | Progress


@asynccontextmanager
async def relayed(show: Callable[[News], None]) -> AsyncIterator[Callable[[News], None]]:
    """What takes news at any time; `show` prints them one after the other, and its failures stop nobody else."""
    waiting: asyncio.Queue[News] = asyncio.Queue()

    async def relay() -> None:
        while True:
            show(await waiting.get())

    task = asyncio.create_task(relay())
    try:
        yield waiting.put_nowait
    finally:
        task.cancel()
        await asyncio.wait({task})

"""Carries out the tool calls of one round at once and reports them as they go."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import replace

from chatbot.events import ToolProgress
from chatbot.messages import ToolCall
from tools.base import Outcome, ToolContext

Carry = Callable[[ToolCall, ToolContext], Awaitable[Outcome]]


async def run_calls(
    calls: Sequence[ToolCall], context: ToolContext, carry_out: Carry
) -> AsyncGenerator[ToolProgress | tuple[ToolCall, Outcome], None]:
    """Progress as it comes, and each call with its outcome, in the order of the calls.

    Closing the generator cancels what still runs.
    """
    news: asyncio.Queue[ToolProgress | None] = asyncio.Queue()

    def told(call: ToolCall) -> ToolContext:
        return replace(context, report=lambda text: news.put_nowait(ToolProgress(call, text)))

    async def run(call: ToolCall) -> Outcome:
        try:
            return await carry_out(call, told(call))
        finally:
            news.put_nowait(None)

    tasks = [asyncio.create_task(run(call)) for call in calls]
    try:
        handed = 0
        while handed < len(tasks):
            item = await news.get()
            if item is not None:
                yield item
            while handed < len(tasks) and tasks[handed].done():
                yield calls[handed], tasks[handed].result()
                handed += 1
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

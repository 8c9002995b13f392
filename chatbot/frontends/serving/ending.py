"""How a server is told to end; light to import."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from chatbot.frontends.ending import handling_signals


@contextmanager
def ended_by_sigterm() -> Iterator[list[Any]]:
    """Let the first SIGTERM cancel this task; collects it."""
    ended: list[Any] = []
    task = asyncio.current_task()

    def end_task() -> None:
        if not ended and task is not None:
            ended.append(signal.SIGTERM)
            task.cancel()

    with handling_signals(end_task, signal.SIGTERM):
        yield ended

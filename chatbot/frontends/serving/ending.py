"""How a server is told to end; light to import."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any


@contextmanager
def ended_by_sigterm() -> Iterator[list[Any]]:
    """Let the first SIGTERM cancel this task; collects it."""
    ended: list[Any] = []
    task, loop = asyncio.current_task(), asyncio.get_running_loop()

    def end_task() -> None:
        if not ended and task is not None:
            ended.append(signal.SIGTERM)
            task.cancel()

    with suppress(NotImplementedError):
        loop.add_signal_handler(signal.SIGTERM, end_task)
    try:
        yield ended
    finally:
        with suppress(NotImplementedError):
            loop.remove_signal_handler(signal.SIGTERM)

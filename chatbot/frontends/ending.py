"""How a command that is not a chat ends, whatever it did."""

import asyncio
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from utils.errors import MagpieError


async def run_to_end(work: Coroutine[Any, Any, int], show_failure: Callable[[MagpieError], None]) -> int:
    """The exit code of `work`; 1 after a failure, which is shown, and where whoever read us has gone."""
    try:
        return await work
    except MagpieError as error:
        show_failure(error)
    except BrokenPipeError:
        # As in `magpie ... | head -1`: nothing is left to say, to nobody.
        sys.stdout = None
    return 1


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

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
def handling_signals(handle: Callable[[], None], *signals: signal.Signals) -> Iterator[None]:
    """Have signals handled in the event loop; where it cannot, they do what they do to any program."""
    loop = asyncio.get_running_loop()
    with suppress(NotImplementedError):
        for one in signals:
            loop.add_signal_handler(one, handle)
    try:
        yield
    finally:
        with suppress(NotImplementedError):
            for one in signals:
                loop.remove_signal_handler(one)

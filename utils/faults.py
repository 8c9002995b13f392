"""What nobody foresaw: its traceback goes to the log, one sentence to whoever waits, and everything else goes on."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from utils.errors import Fault, MagpieError

log = logging.getLogger("magpie.faults")

Told = Callable[[MagpieError], None]


def record_fault(error: Exception, doing: str) -> MagpieError:
    """What is said of an error: itself where the program foresaw it, else a `Fault`, its traceback in the log.

    `doing` is what failed: "The search".
    """
    if isinstance(error, MagpieError):
        return error
    log.error("fault", exc_info=error, extra={"data": {"doing": doing}})
    return Fault(f"{doing} failed: {_failure_reason(error)}.", "All else goes on; /log tells more.")


def log_failure(error: Exception, doing: str) -> MagpieError:
    """What is said of an error that ends here: in the log it stands in any case, also where it was foreseen."""
    failure = record_fault(error, doing)
    if failure is error:
        log.warning("%s failed: %s", doing, error)
    return failure


def in_background(work: Coroutine[Any, Any, object], doing: str, told: Told | None = None) -> asyncio.Task[None]:
    """A task for which nobody has to wait: what goes wrong in it is logged, and told where `told` is given.

    A plain task would keep its error to itself, or whatever draws on the terminal would print the traceback.
    """
    task = asyncio.create_task(_contain_failure(work, doing, told))
    # One that is cancelled before it begins would leave the work unawaited, which Python warns of.
    task.add_done_callback(lambda _: work.close())
    return task


async def _contain_failure(work: Coroutine[Any, Any, object], doing: str, told: Told | None) -> None:
    try:
        await work
    except Exception as error:  # noqa: BLE001 - the last that can hear of it
        failure = log_failure(error, doing)
        if told:
            told(failure)


def _failure_reason(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "there is too little memory"
    if isinstance(error, RecursionError):
        return "something is nested too deeply"
    if isinstance(error, OSError):
        return f"the system says {error.strerror or error or type(error).__name__}"
    return f"a bug of Magpie's own ({type(error).__name__})"

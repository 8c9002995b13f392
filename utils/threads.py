"""Running what blocks and may never return, without waiting for it when nobody needs it any longer."""

import asyncio
import concurrent.futures
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def run_detached(function: Callable[[], T]) -> T:
    """The function's result, from a thread of its own.

    When the caller is cancelled the thread is let go: unlike those of `asyncio.to_thread` it is not waited for when
    the program ends.
    """
    future: concurrent.futures.Future[T] = concurrent.futures.Future()
    future.set_running_or_notify_cancel()

    def work_in_thread() -> None:
        try:
            future.set_result(function())
        except Exception as error:  # noqa: BLE001 - not handled here: it goes to whoever awaits the result
            future.set_exception(error)

    threading.Thread(target=work_in_thread, name=f"detached {function}", daemon=True).start()
    return await asyncio.wrap_future(future)

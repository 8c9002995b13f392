"""The time limits of one server: they measure what it does, and stand still while it waits for a person."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager


class Clocks:
    """All limits under way for one server."""

    def __init__(self) -> None:
        self._running: dict[asyncio.Timeout, float] = {}
        """With the seconds that each has left while they stand still."""
        self._stops = 0

    @asynccontextmanager
    async def limit_time(self, seconds: float) -> AsyncGenerator[asyncio.Timeout, None]:
        """Raises `TimeoutError` once they have run for so many seconds; rescheduled to None there is no limit."""
        async with asyncio.timeout(None if self._stops else seconds) as clock:
            self._running[clock] = seconds
            try:
                yield clock
            finally:
                del self._running[clock]

    @contextmanager
    def stop_clocks(self) -> Generator[None, None, None]:
        """While a person is asked."""
        self._stops += 1
        if self._stops == 1:
            self._stop_all()
        try:
            yield
        finally:
            self._stops -= 1
            if not self._stops:
                self._go_on()

    def _stop_all(self) -> None:
        now = asyncio.get_running_loop().time()
        for clock in self._running:
            end = clock.when()
            self._running[clock] = float("inf") if end is None else end - now
            if not clock.expired():
                clock.reschedule(None)

    def _go_on(self) -> None:
        now = asyncio.get_running_loop().time()
        for clock, left in self._running.items():
            if not clock.expired():
                clock.reschedule(None if left == float("inf") else now + left)

"""A request is sent again after growing waits, or as long as the server asks for, and each wait is told."""

import asyncio
from datetime import UTC, datetime

import pytest

from utils.network.retries import MOST_SENDS, RetryableFailure, is_retried, read_retry_after, retry_request


class Busy(Exception):
    def __init__(self, after: float | None = None) -> None:
        super().__init__("busy")
        self.after = after


class Sending:
    """Fails by the failures given, one a call, and then brings `done`."""

    def __init__(self, *failures: Exception) -> None:
        self.failures = list(failures)
        self.sent = 0
        self.waited: list[float] = []
        self.told: list[str] = []

    async def send(self) -> str:
        self.sent += 1
        if self.failures:
            raise self.failures.pop(0)
        return "done"

    async def sleep(self, seconds: float) -> None:
        self.waited.append(seconds)

    async def run(self) -> str:
        def failure(error: Exception) -> RetryableFailure | None:
            return RetryableFailure("box.example has too much to do", error.after) if isinstance(error, Busy) else None

        return await retry_request(self.send, failure, self.told.append, self.sleep)


async def test_what_succeeds_is_sent_once_and_nothing_is_told() -> None:
    sending = Sending()
    assert (await sending.run(), sending.sent, sending.waited, sending.told) == ("done", 1, [], [])


async def test_waits_grow_and_each_is_told() -> None:
    sending = Sending(*(Busy() for _ in range(MOST_SENDS - 1)))
    assert await sending.run() == "done"
    assert sending.sent == MOST_SENDS and len(sending.waited) == MOST_SENDS - 1
    floors = [0.5 * 2**power for power in range(MOST_SENDS - 1)]
    assert all(floor <= wait <= floor + 0.5 for floor, wait in zip(floors, sending.waited, strict=True))
    assert len(sending.told) == MOST_SENDS - 1
    assert sending.told[-1].startswith("box.example has too much to do: it is asked again in 4 s (try 5 of 5).")


async def test_the_last_failure_is_raised_as_it_is() -> None:
    last = Busy()
    sending = Sending(*(Busy() for _ in range(MOST_SENDS - 1)), last, Busy())
    with pytest.raises(Busy) as raised:
        await sending.run()
    assert raised.value is last and sending.sent == MOST_SENDS


async def test_what_cannot_pass_is_raised_at_once() -> None:
    sending = Sending(ValueError("no"))
    with pytest.raises(ValueError, match="no"):
        await sending.run()
    assert (sending.sent, sending.told) == (1, [])


async def test_a_server_is_waited_for_as_long_as_it_asks() -> None:
    sending = Sending(Busy(7), Busy(0), Busy(60))
    assert await sending.run() == "done"
    assert sending.waited == [7, 0, 60]
    assert "in 7 s (try 2 of 5)" in sending.told[0] and "in a moment (try 3 of 5)" in sending.told[1]


async def test_a_server_that_asks_for_more_than_a_minute_is_not_waited_for() -> None:
    sending = Sending(Busy(61))
    with pytest.raises(Busy):
        await sending.run()
    assert (sending.sent, sending.waited) == (1, [])


async def test_whoever_stops_the_wait_is_not_asked_again() -> None:
    sending, begun = Sending(Busy(30)), asyncio.Event()

    async def sleep(seconds: float) -> None:
        begun.set()
        await asyncio.sleep(seconds)

    sending.sleep = sleep  # type: ignore[method-assign]
    task = asyncio.create_task(sending.run())
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert sending.sent == 1


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": " 0.5 "}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Wed, 01 Apr 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Wed, 01 Apr 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "9" * 400}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "²"}, None),
    ],
)
def test_what_a_server_asks_to_wait_is_read_from_its_headers(headers: dict[str, str], seconds: float | None) -> None:
    assert read_retry_after(headers, datetime(2026, 4, 1, 12, tzinfo=UTC)) == seconds


def test_statuses_that_may_pass() -> None:
    assert [status for status in (200, 400, 401, 404, 408, 413, 429, 500, 503, 529) if is_retried(status)] == [
        *(408, 429, 500, 503, 529)
    ]

"""The time of a reminder as it is read from words, and as it is told."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from chatbot.memory.reminder_time import read_time, split_time, told_time

NOON = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


async def test_a_line_is_its_time_and_the_rest() -> None:
    nine = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)
    assert await split_time("tomorrow 9:00 call mum", NOON) == (nine, "call mum")
    assert await split_time("call mum", NOON) is None
    assert await read_time("tomorrow 9:00", NOON) == nine
    assert await read_time("call mum", NOON) is None


@pytest.mark.parametrize(
    ("hours", "told"),
    [(-24, "yesterday 12:00"), (1, "today 13:00"), (21, "tomorrow 09:00"), (48, "Tuesday, 24 November 2026, 12:00")],
)
def test_a_time_is_told_as_the_clock_shows_it(hours: int, told: str) -> None:
    assert told_time(NOON.timestamp() + hours * 3600, NOON.timestamp()) == told

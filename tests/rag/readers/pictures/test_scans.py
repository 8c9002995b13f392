"""The pages of a scan are read for as long as there is time, and it is said which were not."""

import signal
from collections.abc import Iterator, Sequence

import pytest

from rag.readers.pictures import scans
from rag.readers.pictures.clock import seconds_left
from rag.readers.pictures.scans import read_scans
from tests.fakes.pictures import encoded, written

PAGE = encoded(written("A page"), "PNG")


@pytest.fixture
def clock() -> Iterator[None]:
    signal.setitimer(signal.ITIMER_PROF, 1000)
    yield
    signal.setitimer(signal.ITIMER_PROF, 0)


def read_by(monkeypatch: pytest.MonkeyPatch, seconds: Sequence[float], pages: int) -> list[str]:
    """The texts of pages, where reading takes no time and what is left of it is told."""
    left = iter(seconds)
    monkeypatch.setattr(scans, "seconds_left", lambda: next(left))
    monkeypatch.setattr(scans, "read_lines", lambda image: sum(range(1_000_000)) and ["Read"])
    return list(read_scans([lambda: [PAGE]] * pages, "scan.pdf", 500))


def test_pages_that_there_is_no_time_for_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_by(monkeypatch, (1000, 1000, 0), 5) == [
        "Read",
        "Read",
        "(Pages 3 to 5 were not read: they are pictures, and there was no time left.)",
    ]


def test_without_a_clock_all_pages_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_by(monkeypatch, [seconds_left()] * 3, 3) == ["Read"] * 3


@pytest.mark.usefixtures("clock")
def test_what_is_left_is_what_the_timer_says() -> None:
    assert 0 < seconds_left() < 1001

import pytest

from rag.watching.quiet import LONGEST_UNREST, QUIET, QuietFiles
from rag.watching.scan import FileSignature

YOUNG = 1 << 62
"""Nanoseconds of a time that has not come: what is written by a clock that goes wrong."""


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def signed(size: int) -> FileSignature:
    return FileSignature(YOUNG, YOUNG, size, 1)


def test_a_file_that_is_being_written_waits_until_it_is_quiet(clock: Clock) -> None:
    files = QuietFiles(clock)
    for size in range(5):
        files.see("/a", signed(size))
        clock.now += QUIET * 0.9
        assert files.quiet_ones() == {}
    clock.now += 2 * QUIET
    assert files.quiet_ones() == {"/a": signed(4)}


def test_a_file_that_is_never_quiet_is_read_as_it_stands_after_a_while(clock: Clock) -> None:
    files = QuietFiles(clock)
    while clock.now < LONGEST_UNREST:
        assert files.quiet_ones() == {}
        files.see("/a", signed(int(clock.now * 10)))
        clock.now += QUIET * 0.9
    assert list(files.quiet_ones()) == ["/a"]


def test_what_is_gone_for_a_moment_is_not_taken_for_gone(clock: Clock) -> None:
    files = QuietFiles(clock)
    files.see("/a", None)
    clock.now += QUIET * 0.9
    files.see("/a", signed(1))
    clock.now += QUIET * 0.9
    assert files.quiet_ones() == {}
    files.see("/a", None)
    clock.now += 2 * QUIET
    assert files.quiet_ones() == {"/a": None}


def test_what_was_last_changed_long_ago_is_read_at_once(clock: Clock) -> None:
    files = QuietFiles(clock)
    files.see("/a", FileSignature(1, 1, 1, 1))
    assert list(files.quiet_ones()) == ["/a"]

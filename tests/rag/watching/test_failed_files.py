import pytest

from rag.watching.failed_files import FIRST_PAUSE, LONGEST_PAUSE, FailedFiles
from tests.rag.watching.test_quiet import Clock, signed


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_what_could_not_be_read_is_left_for_longer_and_longer_and_told_once(clock: Clock) -> None:
    failed = FailedFiles(clock)
    assert failed.note({"/a": signed(1)}) == ["/a"]
    pause = FIRST_PAUSE
    while pause < LONGEST_PAUSE:
        clock.now += 0.9 * pause
        assert failed.is_left("/a", signed(1))
        clock.now += 0.2 * pause
        assert not failed.is_left("/a", signed(1))
        assert failed.note({"/a": signed(1)}) == []
        pause *= 2
    clock.now += LONGEST_PAUSE
    assert not failed.is_left("/a", signed(1))


def test_what_has_changed_since_is_read_at_once_and_news_again(clock: Clock) -> None:
    failed = FailedFiles(clock)
    failed.note({"/a": signed(1), "/b": signed(1)})
    assert not failed.is_left("/a", signed(2))
    assert failed.note({"/a": signed(2)}) == ["/a"]
    failed.forget("/b")
    assert (list(failed), failed.is_left("/b", signed(1))) == (["/a"], False)

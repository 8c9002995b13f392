"""Cuts streamed text into pieces that will not change any more, however the stream was chunked."""

from collections.abc import Callable

from utils.text import StreamCleaner

Cut = Callable[[str], int]

# A block longer than this many characters is looked at again only when it has grown by a tenth, a huge one by half: a
# list of 2,000 items, looked at line by line, took two minutes.
LONG_BLOCK_CHARS, HUGE = 1000, 8000


class BlockStream:
    """Collects text line by line, cleaned, and hands out each finished block once."""

    def __init__(self, cut: Cut) -> None:
        self._cut = cut
        self._cleaner = StreamCleaner()
        self._line = ""
        self._lines = ""
        self._look_at = 0

    @property
    def pending(self) -> str:
        """What is not finished yet, cleaned."""
        return self._lines + self._line + self._cleaner.pending

    def feed(self, text: str) -> str:
        """The text that is finished by this piece, empty for none."""
        text = self._cleaner.feed(text)
        complete, newline, rest = text.rpartition("\n")
        if not newline:
            self._line += rest
            return ""
        self._lines += self._line + complete + newline
        self._line = rest
        if len(self._lines) < self._look_at:
            return ""
        end = self._cut(self._lines)
        done, self._lines = self._lines[:end], self._lines[end:]
        growth = 1.5 if len(self._lines) > HUGE else 1.1 if len(self._lines) > LONG_BLOCK_CHARS else 0
        self._look_at = int(len(self._lines) * growth)
        return done

    def finish(self) -> str:
        """All that is left."""
        rest, self._line, self._lines = self.pending, "", ""
        self._cleaner = StreamCleaner()
        return rest


def cut_lines(text: str) -> int:
    """Every whole line is finished."""
    return len(text)

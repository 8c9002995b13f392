"""Cuts streamed text into pieces that will not change any more, however the stream was chunked."""

from collections.abc import Callable

from utils.text import clean

Cut = Callable[[str], int]

# A block longer than this many characters is looked at again only when it has grown by a tenth: a list of 2,000
# items, looked at line by line, took two minutes.
LONG, GROWTH = 1000, 1.1


class BlockStream:
    """Collects text line by line, cleaned, and hands out each finished block once."""

    def __init__(self, cut: Cut) -> None:
        self._cut = cut
        self._line = ""
        self._lines = ""
        self._look_at = 0

    @property
    def pending(self) -> str:
        """What is not finished yet, cleaned."""
        return self._lines + clean(self._line)

    def feed(self, text: str) -> str:
        """The text that is finished by this piece, empty for none."""
        self._line += text
        if "\n" not in text:
            return ""
        *complete, self._line = self._line.split("\n")
        # Cleaned by whole lines: a piece of the stream may end within a control sequence.
        self._lines += "".join(clean(line.removesuffix("\r")) + "\n" for line in complete)
        if len(self._lines) < self._look_at:
            return ""
        end = self._cut(self._lines)
        done, self._lines = self._lines[:end], self._lines[end:]
        self._look_at = int(len(self._lines) * GROWTH) if len(self._lines) > LONG else 0
        return done

    def finish(self) -> str:
        """All that is left."""
        rest, self._line, self._lines = self.pending, "", ""
        return rest


def cut_lines(text: str) -> int:
    """Every whole line is finished."""
    return len(text)

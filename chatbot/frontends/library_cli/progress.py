"""A line that tells how far something is, on a terminal only."""

import shutil
import time
from typing import TextIO

from chatbot.frontends.plain import print_clean
from utils.text import one_line

# Seconds between two states of the line; more often nobody can read it.
REDRAW_SECONDS = 0.1


class ProgressLine:
    """Written over itself; nothing at all where the stream is no terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._terminal = stream.isatty()
        self._last = 0.0

    def show(self, text: str) -> None:
        """Put a text in the place of the last one."""
        now = time.monotonic()
        if self._terminal and now - self._last >= REDRAW_SECONDS:
            self._last = now
            self._rewrite_line(one_line(text, shutil.get_terminal_size().columns - 1))

    def clear(self) -> None:
        """Leave the line empty for other output."""
        if self._last:
            self._last = 0.0
            self._rewrite_line("")

    def print_above(self, text: str) -> None:
        """Print a sentence that stays, in the place of the line."""
        self.clear()
        print_clean(text, self._stream)

    def _rewrite_line(self, text: str) -> None:
        self._stream.write(f"\r\x1b[K{text}")
        self._stream.flush()

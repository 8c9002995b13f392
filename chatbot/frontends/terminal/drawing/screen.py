"""What is printed for good, and below it a few live lines that are drawn over again."""

import os
import sys
from collections.abc import Sequence

from rich.console import Console, RenderableType
from rich.segment import Segment, Segments
from rich.text import Text

from chatbot.frontends.links import web_address
from chatbot.frontends.terminal.drawing.theme import THEME
from utils.text import without_controls

# Synchronized output where a terminal knows it; no cursor; no wrapping, so that a live line is one row whatever width
# the terminal gives to an emoji.
_BEGIN = "\x1b[?2026h\x1b[?25l"
_END = "\x1b[?2026l"
_ERASE_LINE, _ERASE_BELOW = "\x1b[K", "\x1b[J"
_WRAP_OFF, _WRAP_ON = "\x1b[?7l", "\x1b[?7h"
_SHOW_CURSOR = "\x1b[?25h"


class Screen:
    """The output of a terminal; each update is one write, so that nothing flickers."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._drawn: list[str] = []
        self._widths: list[int] = []

    @property
    def animated(self) -> bool:
        """Whether the cursor can be moved: not on a dumb terminal, not in a file."""
        return self.console.is_terminal and not self.console.is_dumb_terminal

    def print(self, *renderables: RenderableType) -> None:
        """Print for good, above the live lines."""
        lines = [line for renderable in renderables for line in self.render_lines(renderable)]
        if self.animated:
            self._write_lines(lines, self._drawn)
        else:
            self._send_text("".join(f"{line}\n" for line in lines))

    def draw(self, renderables: Sequence[RenderableType]) -> None:
        """Make these the live lines; of too many for half the screen the first ones are left out.

        A window that becomes narrower makes two rows of a line; what is pushed out of it at the top cannot be taken
        back, and would stand there again with all that is drawn afterwards.
        """
        if not self.animated:
            return
        room = max(1, self.console.height // 2)
        lines = [line for renderable in renderables for line in self.render_lines(renderable)][-room:]
        if lines != self._drawn:
            self._write_lines([], lines)

    def clear(self) -> None:
        """Take the live lines away and show the cursor again."""
        if self.animated:
            self._write_lines([], [])
            self._send_text(_SHOW_CURSOR)

    def wipe_screen(self) -> None:
        """Empty the visible screen; what was printed may stay above it in the terminal, the live lines do not."""
        if self.animated:
            self._write_lines([], [])
            self._send_text("\x1b[2J\x1b[H")

    def send_control(self, sequence: str) -> None:
        """Send a sequence that prints nothing, where the output is a terminal."""
        if self.animated:
            self._send_text(sequence)

    def render_lines(self, renderable: RenderableType) -> list[str]:
        """The renderable as lines of text and escape sequences, without blanks at their ends."""
        options = self.console.options.update(height=None, highlight=False)
        # A string would be read as Rich's markup.
        drawn = Text(renderable) if isinstance(renderable, str) else renderable
        rows = self.console.render_lines(drawn, options, pad=False)
        return self._encode_rows([[_guard_segment(segment) for segment in _strip_row(row)] for row in rows])

    def _encode_rows(self, rows: list[list[Segment]]) -> list[str]:
        """All rows at once: to capture each by itself takes most of the time."""
        with self.console.capture() as capture:
            joined = Segments(segment for row in rows for segment in (*row, Segment.line()))
            self.console.print(joined, end="", soft_wrap=True)
        return capture.get().split("\n")[:-1]

    def _write_lines(self, lines: list[str], live: list[str]) -> None:
        width = max(1, self.console.width)
        # A terminal that became narrower has wrapped what was drawn.
        rows = sum(max(1, -(-cells // width)) for cells in self._widths)
        parts = [_BEGIN, "\r", f"\x1b[{rows - 1}A" if rows > 1 else ""]
        parts += [_ERASE_BELOW] if len(lines) + len(live) < rows else []
        parts += [f"{_ERASE_LINE}{line}\n" for line in lines]
        if live:
            parts += [_WRAP_OFF, "\n".join(_ERASE_LINE + line for line in live), _WRAP_ON]
        parts += ["" if live else _ERASE_LINE, _END]
        self._drawn = live
        # What was laid out for a wider window is cut at its edge.
        self._widths = [min(Text.from_ansi(line).cell_len, width) for line in live]
        self._send_text("".join(parts))

    def _send_text(self, text: str) -> None:
        self.console.file.write(text)
        self.console.file.flush()


def standard_screen() -> Screen:
    """The screen on standard output; a window is as large as it is now, whatever COLUMNS said when it was opened."""
    sized = {"COLUMNS", "LINES"} if sys.stdout.isatty() else set()
    environment = {name: value for name, value in os.environ.items() if name not in sized}
    return Screen(Console(theme=THEME, highlight=False, markup=False, emoji=False, _environ=environment))


def _guard_segment(segment: Segment) -> Segment:
    """Text that no terminal obeys, whatever was given to be drawn; with a link to the web or with none."""
    text, style = without_controls(segment.text), segment.style
    if style is not None and style.link and style.link != web_address(style.link):
        style = style.update_link(None)
    # Nobody who draws has a control sequence of his own: they are all in this module.
    return Segment(text, style)


def _strip_row(row: list[Segment]) -> list[Segment]:
    row = list(row)
    while row and not row[-1].text.rstrip():
        row.pop()
    if row:
        row[-1] = Segment(row[-1].text.rstrip(), row[-1].style, row[-1].control)
    return row

import io
from copy import copy
from typing import Any

import pyte
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console, ConsoleDimensions
from rich.text import Text

from chatbot.frontends.terminal.drawing.screen import Screen
from chatbot.frontends.terminal.drawing.theme import THEME
from tests.fakes.reflowing import ReflowingScreen

ROWS = 12


class KeepingTerminal(ReflowingScreen):
    """One that, as tmux does, can be scrolled back to what stood there when all was erased."""

    def erase_in_display(self, how: int = 0, *arguments: Any, **options: Any) -> None:
        if how == 2:
            self.history.top.extend(copy(self.buffer[row]) for row in range(self.lines))
        super().erase_in_display(how, *arguments, **options)


class Emulated:
    """A screen that draws on an emulated terminal."""

    def __init__(self, columns: int = 60) -> None:
        self.terminal = KeepingTerminal(columns, ROWS)
        self._stream = pyte.Stream(self.terminal)
        self.file = io.StringIO()
        self.console = Console(
            file=self.file,
            width=columns,
            height=ROWS,
            theme=THEME,
            force_terminal=True,
            color_system="standard",
            _environ={"TERM": "xterm"},
        )
        self.screen = Screen(self.console)

    def resize(self, columns: int, rows: int) -> None:
        """What a user does who drags the window's corner."""
        self._receive()
        self.terminal.resize(rows, columns)
        self.console.size = ConsoleDimensions(columns, rows)

    def _receive(self) -> None:
        self.file.seek(0)
        self._stream.feed(self.file.read().replace("\n", "\r\n"))
        self.file.seek(0)
        self.file.truncate()

    @property
    def lines(self) -> list[str]:
        """What can be seen by scrolling back."""
        self._receive()
        above = ["".join(row[x].data for x in range(self.terminal.columns)) for row in self.terminal.history.top]
        shown = [line.rstrip() for line in [*above, *self.terminal.display]]
        while shown and not shown[-1]:
            shown.pop()
        return shown


STEPS = st.lists(
    st.one_of(
        st.integers(0, 30).map(lambda count: ("live", [f"live {line}" for line in range(count)])),
        st.integers(1, 20).map(lambda count: ("print", [f"printed {line}" for line in range(count)])),
    ),
    max_size=20,
)


@given(STEPS)
@settings(deadline=None, max_examples=60)
def test_what_was_printed_stands_there_once_whatever_was_live(steps: list[tuple[str, list[str]]]) -> None:
    emulated = Emulated()
    expected: list[str] = []
    for kind, lines in steps:
        texts = [Text(line) for line in lines]
        if kind == "live":
            emulated.screen.draw(texts)
        else:
            emulated.screen.print(*texts)
            expected += lines
    emulated.screen.clear()
    assert emulated.lines == expected


SIZES = st.one_of(
    st.integers(30, 60).map(lambda columns: (columns, ROWS)), st.integers(ROWS // 2, ROWS).map(lambda rows: (60, rows))
)


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 3), SIZES), min_size=1, max_size=20))
@settings(deadline=None, max_examples=100)
def test_nothing_stands_there_twice_when_the_window_is_resized(steps: list[tuple[int, int, tuple[int, int]]]) -> None:
    emulated = Emulated()
    expected: list[str] = []
    for live, printed, size in steps:
        emulated.screen.draw([Text("live " * 12 * live, overflow="fold"), Text("status")])
        for line in range(printed):
            emulated.screen.print(Text(f"printed {line}"))
            expected.append(f"printed {line}")
        emulated.resize(*size)
        if printed:
            emulated.screen.print(Text("printed at once"))
            expected.append("printed at once")
        emulated.resize(60, ROWS)
    emulated.screen.clear()
    assert emulated.lines == expected


def test_an_answer_that_fills_the_screen_stands_there_once_while_the_window_is_dragged() -> None:
    emulated = Emulated(60)
    emulated.screen.print(Text("question"))
    for columns in range(60, 30, -1):
        emulated.resize(columns, ROWS)
        emulated.screen.draw([Text(f"item {line} " + "x" * 60, overflow="fold") for line in range(30)])
    emulated.screen.clear()
    assert emulated.lines == ["question"]


def test_live_lines_stand_below_what_is_printed() -> None:
    emulated = Emulated()
    emulated.screen.draw([Text("live one"), Text("live two")])
    emulated.screen.print(Text("printed"))
    assert emulated.lines == ["printed", "live one", "live two"]
    emulated.screen.draw([Text("live")])
    assert emulated.lines == ["printed", "live"]


def test_of_too_many_live_lines_the_last_ones_are_shown() -> None:
    emulated = Emulated()
    emulated.screen.draw([Text(str(line)) for line in range(50)])
    assert emulated.lines == [str(line) for line in range(50 - ROWS // 2, 50)]


def test_the_same_live_lines_are_not_drawn_again() -> None:
    emulated = Emulated()
    emulated.screen.draw([Text("live")])
    written = len(emulated.file.getvalue())
    emulated.screen.draw([Text("live")])
    assert len(emulated.file.getvalue()) == written


@pytest.mark.parametrize("text", ["👩‍👩‍👧‍👦" * 40, "日本語" * 30, "x" * 200, "e\u0301" * 70, "🏳️‍🌈 " * 30])
def test_wide_characters_leave_no_live_line_behind(text: str) -> None:
    emulated = Emulated()
    emulated.screen.print(Text("before"))
    for end in range(0, len(text), 7):
        emulated.screen.draw([Text(text[:end], overflow="fold"), Text("status")])
    emulated.screen.clear()
    emulated.screen.print(Text("after"))
    assert emulated.lines == ["before", "after"]


def test_a_narrower_terminal_has_wrapped_the_live_lines() -> None:
    emulated = Emulated(60)
    emulated.screen.draw([Text("x" * 50), Text("status")])
    before = emulated.file.getvalue()
    emulated.console.width = 20
    emulated.screen.draw([Text("status")])
    assert emulated.file.getvalue()[len(before) :].startswith("\x1b[?2026h\x1b[?25l\r\x1b[3A")


def test_a_screen_that_is_emptied_leaves_no_live_line_above_it() -> None:
    emulated = Emulated()
    emulated.screen.print(Text("printed"))
    emulated.screen.draw([Text(""), Text("live")])
    emulated.screen.wipe_screen()
    emulated.screen.print(Text("after"))
    emulated.screen.draw([Text("live again")])
    emulated.screen.clear()
    assert [line for line in emulated.lines if line] == ["printed", "after"]

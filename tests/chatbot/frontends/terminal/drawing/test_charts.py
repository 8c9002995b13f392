"""A stacked bar that is aligned at any width and can be read without colour."""

import io

import pytest
from rich.console import Console

from chatbot.commands.window import window_chart
from chatbot.conversation.events import Chart, ContextUsed, Slice
from chatbot.frontends.terminal.drawing.charts import chart_lines, share_out

USED = ContextUsed(
    {"system": 412, "tools": 1105, "summary": 520, "history": 2100, "evidence": 900, "question": 31}, 8192, 1024
)


def drawn(shown: Chart, width: int) -> str:
    file = io.StringIO()
    console = Console(file=file, width=width, color_system=None, force_terminal=False, _environ={})
    for line in chart_lines(shown, width):
        console.print(line)
    return file.getvalue()


def test_the_window_at_sixty_columns_without_colour() -> None:
    assert (
        drawn(window_chart(USED.with_measured_total(5000, 4000)), 60)
        == """\
Context window: 5,000 of 8,192 tokens

███▓▓▓▓▓▓▓▓▚▚▚▚▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒░░░░░░▄················┄┄┄┄┄┄┄

██  instructions          406   5%
▓▓  tools               1,090  13%
▚▚  summary               513   6%
▒▒  earlier turns       2,071  25%
░░  what was read         887  11%
▄▄  the question           33  <1%
··  free                2,168  26%
┄┄  kept for the reply  1,024  12%

Of the last prompt's 5,000 tokens 4,000 (80%) were in the 
server's cache.
"""
    )


@pytest.mark.parametrize("width", [20, 60, 120])
def test_the_bar_fills_its_width_exactly(width: int) -> None:
    (bar,) = (
        line for line in drawn(window_chart(USED), width).split("\n") if line.endswith("┄┄┄") or line.endswith("·┄┄")
    )
    assert len(bar) == min(width, 80)


def test_what_is_not_nothing_has_a_cell() -> None:
    assert share_out([1, 0, 9999, 1], 10) == [1, 0, 8, 1]
    assert share_out([0, 0], 10) == [0, 0]


def test_control_characters_in_names_are_not_drawn() -> None:
    assert "\x1b" not in drawn(Chart("\x1b[31mred", (Slice("\x1b[2J", 1),), 1, "\x1b[H"), 40)

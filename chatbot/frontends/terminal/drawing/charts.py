"""Parts of a whole as one stacked bar with its legend, readable without colour."""

from collections.abc import Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from chatbot.conversation.events import Chart, Slice
from utils.text import clean

_WIDEST = 80
# Neighbours differ in shape as well as in colour.
_SLICE_MARKS = (("█", "blue"), ("▓", "cyan"), ("▚", "magenta"), ("▒", "green"), ("░", "yellow"), ("▄", "default"))
_FREE, _RESERVE = ("·", "dim"), ("┄", "dim")


def chart_lines(chart: Chart, width: int) -> list[RenderableType]:
    """Title, bar and legend."""
    marks = marks_of(chart.slices)
    cells = share_out([piece.tokens for piece in chart.slices], min(width, _WIDEST))
    bar = Text(no_wrap=True)
    for (mark, style), count in zip(marks, cells, strict=True):
        bar.append(mark * count, style)
    lines: list[RenderableType] = [Text(clean(chart.title), "bold", overflow="fold"), Text(""), bar, Text("")]
    lines.append(legend_table(chart, marks))
    if chart.note:
        lines += [Text(""), Text(clean(chart.note), "dim", overflow="fold")]
    return lines


def marks_of(slices: Sequence[Slice]) -> list[tuple[str, str]]:
    """The character and the colour of each slice."""
    used = iter(_SLICE_MARKS)
    return [next(used) if piece.kind == "used" else _FREE if piece.kind == "free" else _RESERVE for piece in slices]


def legend_table(chart: Chart, marks: Sequence[tuple[str, str]]) -> Table:
    """A line for each slice: its mark, its name, its tokens, its share."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    for justify in ("left", "left", "right", "right"):
        grid.add_column(justify=justify)
    for piece, (mark, style) in zip(chart.slices, marks, strict=True):
        share = piece.tokens / chart.whole if chart.whole else 0.0
        told = "<1%" if 0 < share < 0.005 else f"{share:.0%}"
        quiet = "" if piece.kind == "used" and piece.tokens else "dim"
        grid.add_row(
            Text(mark * 2, style),
            Text(clean(piece.name), quiet),
            Text(f"{piece.tokens:,}", quiet),
            Text(told, "dim"),
        )
    return grid


def share_out(counts: Sequence[int], cells: int) -> list[int]:
    """Cells for each count, one at least for what is not nothing; together exactly as many as there are."""
    total = sum(counts)
    if not total:
        return [0] * len(counts)
    exact = [count * cells / total for count in counts]
    given = [max(1, int(share)) if count else 0 for share, count in zip(exact, counts, strict=True)]
    while (left := cells - sum(given)) != 0:
        step = 1 if left > 0 else -1
        able = [i for i, count in enumerate(counts) if count and (step > 0 or given[i] > 1)]
        place = max(able, key=lambda i: step * (exact[i] - given[i]))
        given[place] += step
    return given

"""Tables and progress bars of commands."""

from rich.cells import cell_len
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from chatbot.conversation.events import Listing, Progress
from utils.text import clean, one_line

_BAR = 24
_GAP = 2
# Text in a column narrower than this cannot be read any more.
_READABLE = 24


def listing_table(listing: Listing, width: int) -> list[RenderableType]:
    """A listing under its title: as a table, or row by row where the columns would become too narrow."""
    title = Text(clean(listing.title), "bold", overflow="fold")
    if not listing.rows:
        return [title]
    return [title, *([_rows_table(listing)] if _fits_width(listing, width) else _row_records(listing))]


def _fits_width(listing: Listing, width: int) -> bool:
    """Whether the widest column keeps a readable width beside the others."""
    rows = (listing.columns, *listing.rows)
    widths = [max(cell_len(part) for row in rows for part in row[index].split("\n")) for index in range(len(rows[0]))]
    *others, widest = sorted(widths)
    return sum(others) + _GAP * len(others) + min(widest, _READABLE) <= width


def _rows_table(listing: Listing) -> Table:
    table = Table(
        box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="dim", show_header=any(listing.columns)
    )
    for index, name in enumerate(listing.columns):
        cells = [row[index] for row in listing.rows]
        longest = max(map(cell_len, cells))
        table.add_column(
            Text(clean(name)),
            justify="right" if all(map(_is_number, cells)) else "left",
            overflow="fold",
            min_width=longest if longest < _READABLE else None,
        )
    for row in listing.rows:
        table.add_row(*[Text(clean(cell)) for cell in row])
    return table


def _row_records(listing: Listing) -> list[RenderableType]:
    """Each row by itself, its cells behind the names of their columns."""
    records: list[RenderableType] = []
    for row in listing.rows:
        grid = Table.grid(padding=(0, _GAP, 0, 0))
        grid.add_column(style="dim", no_wrap=True)
        grid.add_column(overflow="fold")
        for name, cell in zip(listing.columns, row, strict=True):
            grid.add_row(Text(clean(name)), Text(clean(cell)))
        records += [Text(""), grid] if records else [grid]
    return records


def _is_number(cell: str) -> bool:
    return cell.rstrip(" %").replace(",", "").replace(".", "").isdecimal()


def progress_line(progress: Progress, mark: str) -> Text:
    """How far something is, as a bar where its end is known and it has begun to come nearer."""
    line = Text(no_wrap=True, overflow="ellipsis").append(f"{mark} ", "cyan")
    label = one_line(progress.label, 60)
    if not progress.total or not progress.done:
        return line.append(label).append(f" {progress.done:,}" if progress.done else "", "dim")
    share = min(1.0, progress.done / progress.total)
    filled = round(share * _BAR)
    line.append("━" * filled, "green").append("─" * (_BAR - filled), "dim")
    return line.append(f" {share:4.0%} ", "bold").append(label)

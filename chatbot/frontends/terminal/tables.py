"""Tables and progress bars of commands."""

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from chatbot.events import Listing, Progress
from utils.text import clean, one_line

_BAR = 24


def listing_table(listing: Listing) -> list[RenderableType]:
    """A listing as an aligned table under its title."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for index, name in enumerate(listing.columns):
        numeric = bool(listing.rows) and all(_is_number(row[index]) for row in listing.rows)
        # The first column names the rows; it is the last to be folded.
        shortest = min(20, max((len(row[0]) for row in listing.rows), default=0)) if index == 0 else None
        table.add_column(Text(clean(name)), justify="right" if numeric else "left", overflow="fold", min_width=shortest)
    for row in listing.rows:
        table.add_row(*[Text(clean(cell)) for cell in row])
    return [Text(clean(listing.title), "bold"), table] if listing.rows else [Text(clean(listing.title), "bold")]


def _is_number(cell: str) -> bool:
    return cell.rstrip(" %").replace(",", "").replace(".", "").isdecimal()


def progress_line(progress: Progress, mark: str) -> Text:
    """How far something is, as a bar where its end is known."""
    line = Text(no_wrap=True, overflow="ellipsis").append(f"{mark} ", "cyan")
    label = one_line(progress.label, 60)
    if not progress.total:
        return line.append(label).append(f" {progress.done:,}" if progress.done else "", "dim")
    share = min(1.0, progress.done / progress.total)
    filled = round(share * _BAR)
    line.append("━" * filled, "green").append("─" * (_BAR - filled), "dim")
    return line.append(f" {share:4.0%} ", "bold").append(label)

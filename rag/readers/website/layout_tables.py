"""Tables by which a page is laid out, as pages were made before there were style sheets: they are tables of nothing."""

from collections.abc import Iterator
from typing import Any

from rag.readers.website.page_text import element_text

_BEGIN_PARTS = ("h1", "h2", "h3")
_ROWS = frozenset({"tbody", "thead", "tfoot", "tr"})
MIN_PARAGRAPHS, MIN_PART_CHARS = 3, 300
"""Paragraphs and characters of a cell from which on it is a part of a page."""


def unfold_layout(tree: Any) -> None:
    """Make parts that stand one below the other of the cells of such tables of a page (lxml)."""
    for table in list(tree.iter("table")):
        parts = list(_parts_of(table))
        # Most tables name their columns; of those no cell need be read.
        if any(part.tag == "th" for part in parts):
            continue
        rows = [[cell for cell in part if element_text(cell).strip()] for part in parts if part.tag == "tr"]
        is_grid = sum(len(cells) > 1 for cells in rows) > 1
        if not is_grid and any(_is_part_of_page(cell) for cells in rows for cell in cells):
            for part in (table, *parts):
                part.tag = "div"


def _parts_of(table: Any) -> Iterator[Any]:
    """The rows and cells of a table, none of those within its cells."""
    for part in table:
        if part.tag in _ROWS:
            yield part
            yield from _parts_of(part)
        elif part.tag in ("td", "th"):
            yield part


def _is_part_of_page(cell: Any) -> bool:
    """Whether a cell holds what no cell of a table of data does: a long text with headings, tables or paragraphs."""
    if len(element_text(cell)) < MIN_PART_CHARS:
        return False
    begins_part = next(cell.iter(*_BEGIN_PARTS, "table"), None) is not None
    return begins_part or len(list(cell.iter("p"))) >= MIN_PARAGRAPHS

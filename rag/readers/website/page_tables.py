"""Tables of pages that do not say what names their columns: without names rows say little, and a first row that is
taken for them is lost."""

import re
from collections.abc import Sequence
from typing import Any

_NO_NAME = "\u200b"
"""What a name of a column is that says nothing; of a row of empty cells trafilatura makes none."""
_FIGURE_IN_CELL = re.compile(r"\d")
_YEARS_ALONE = re.compile(r"\D{0,20}(?:19|20)\d\d(?:\s?[-–/]\s?\d{2,4})?\D{0,20}")
"""A figure that a name of a column may have: "Price 2026", "2026/27"."""
MIN_TABLE_ROWS, MIN_ROW_CELLS, MAX_DATA_CHARS = 2, 2, 200
"""Rows of such a table, cells of each of its rows at least, and characters of one at most: others lay out a page."""


def name_columns(tree: Any) -> None:
    """Make the first row of each table of a page (lxml) the names of its columns, or put one without names before it
    where it is data."""
    for table in tree.iter("table"):
        rows = [_cells_of(row) for row in table.iter("tr") if next(row.iterancestors("table")) is table]
        if not _is_of_data(rows) or any(True for _ in table.iter("thead")):
            continue
        if _is_data(rows[0]):
            rows[0][0].getparent().addprevious(_unnamed_row(rows[0]))
        elif all(cell.tag == "td" for row in rows for cell in row):
            for cell in rows[0]:
                cell.tag = "th"


def _cells_of(row: Any) -> list[Any]:
    return [cell for cell in row if cell.tag in ("th", "td")]


def _text_of(cell: Any) -> str:
    return "".join(cell.itertext()).strip()


def _is_of_data(rows: Sequence[Sequence[Any]]) -> bool:
    small = all(
        len(row) >= MIN_ROW_CELLS and all(len(_text_of(cell)) <= MAX_DATA_CHARS for cell in row) for row in rows
    )
    return len(rows) >= MIN_TABLE_ROWS and small


def _is_data(cells: Sequence[Any]) -> bool:
    """Whether the first row of a table names what stands beside it, or has figures alone behind its first cell."""
    first, *others = cells
    if first.tag == "th":
        # The corner over the names of rows is empty.
        return bool(_text_of(first)) and all(cell.tag == "td" for cell in others)
    told = [_text_of(cell) for cell in others]
    return all(_FIGURE_IN_CELL.search(text) and not _YEARS_ALONE.fullmatch(text) for text in told)


def _unnamed_row(cells: Sequence[Any]) -> Any:
    unnamed = cells[0].makeelement("tr")
    for cell in cells:
        name = cell.makeelement("th", colspan=cell.get("colspan", "1"))
        name.text = _NO_NAME
        unnamed.append(name)
    return unnamed

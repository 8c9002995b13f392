"""Tables of pages that do not say what names their columns: without names rows say little, and a first row that is
taken for them is lost."""

import re
from collections.abc import Sequence
from typing import Any

_NO_NAME = "\u200b"
"""What a name of a column is that says nothing; of a row of empty cells trafilatura makes none."""
_FIGURE_IN_CELL = re.compile(r"\d")
_RUN_OF_FIGURES = re.compile(r"\d+")
_YEARS_ALONE = re.compile(r"\D{0,20}(?:19|20)\d\d(?:\s?[-–/]\s?\d{2,4})?\D{0,20}")
"""A figure that a name of a column may have: "Price 2026", "2026/27"."""
MIN_TABLE_ROWS, MIN_ROW_CELLS, MAX_DATA_CHARS = 2, 2, 200
"""Rows of such a table, cells of each of its rows at least, and characters of one at most: others lay out a page."""
MIN_NAMED_COLUMNS = 3
"""Columns from which on plain cells may name them: of two they tell next to nothing, and may be data."""


def name_columns(tree: Any) -> None:
    """Make the first row of each table of a page (lxml) the names of its columns where it is that in plain cells, or
    put one without names before it where it may be data."""
    for table in tree.iter("table"):
        rows = [_cells_of(row) for row in table.iter("tr") if next(row.iterancestors("table")) is table]
        if not _is_of_data(rows) or any(True for _ in table.iter("thead")):
            continue
        plain = all(cell.tag == "td" for row in rows for cell in row)
        if plain and _names_columns(rows):
            for cell in rows[0]:
                cell.tag = "th"
                for mark in list(cell.iter("b", "strong")):
                    mark.drop_tag()
        elif plain or _names_itself(rows):
            rows[0][0].getparent().addprevious(_unnamed_row(rows[0]))


def _cells_of(row: Any) -> list[Any]:
    return [cell for cell in row if cell.tag in ("th", "td")]


def _text_of(cell: Any) -> str:
    return "".join(cell.itertext()).strip()


def _is_of_data(rows: Sequence[Sequence[Any]]) -> bool:
    small = all(
        len(row) >= MIN_ROW_CELLS and all(len(_text_of(cell)) <= MAX_DATA_CHARS for cell in row) for row in rows
    )
    return len(rows) >= MIN_TABLE_ROWS and small


def _names_itself(rows: Sequence[Sequence[Any]]) -> bool:
    """Whether each row of a table begins with its own name, the first as well, and that one does not name columns."""
    first, *others = rows[0]
    named = all(row[0].tag == "th" and all(cell.tag == "td" for cell in row[1:]) for row in rows)
    years = all(_YEARS_ALONE.fullmatch(_text_of(cell)) for cell in others)
    return named and bool(_text_of(first)) and not years


def _names_columns(rows: Sequence[Sequence[Any]]) -> bool:
    """Whether the first row of a table of plain cells names its columns: it is marked, has an empty corner, or cells
    that are all unlike those below them, with figures there."""
    first, *others = [[_text_of(cell) for cell in row] for row in rows]
    marked = [[any(True for _ in cell.iter("b", "strong")) for cell in row] for row in rows]
    if all(marked[0]) and not any(map(all, marked[1:])):
        return True
    if len(first) < MIN_NAMED_COLUMNS or len(set(first)) < len(first) or first[0].endswith(":"):
        return False
    if not first[0]:
        return True
    below = [[row[place] for row in others if place < len(row)] for place in range(len(first))]
    figures = any(cells and all(map(_FIGURE_IN_CELL.search, cells)) for cells in below[1:])
    unlike = all(_shape_of(name) not in map(_shape_of, cells) for name, cells in zip(first[1:], below[1:], strict=True))
    return figures and unlike


def _shape_of(text: str) -> str:
    """A text with each figure alike: "9:00" and "17:30"."""
    return _RUN_OF_FIGURES.sub("0", text)


def _unnamed_row(cells: Sequence[Any]) -> Any:
    unnamed = cells[0].makeelement("tr")
    for cell in cells:
        name = cell.makeelement("th", colspan=cell.get("colspan", "1"))
        name.text = _NO_NAME
        unnamed.append(name)
    return unnamed

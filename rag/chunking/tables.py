"""Tables of Markdown as sentences: a row alone says nothing of what its columns are, nor of the heading above it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

_ROW = re.compile(r"^\s*\|.*\|\s*$")
_RULE = re.compile(r"^\s*\|(?:\s*:?-+:?\s*\|)+\s*$")
_SECTION_HEADING = re.compile(r"^#{1,6} (.+)$")

PROPERTY_CELLS = 2
"""Cells of a row that is a property and its value, where the columns have no names."""


@dataclass(frozen=True)
class TableRow:
    """A row of a table below its heading, each cell with the name of its column."""

    heading: str
    cells: tuple[tuple[str, str], ...]

    @property
    def spoken(self) -> str:
        """The row as a sentence."""
        if len(self.cells) == PROPERTY_CELLS and not any(column for column, _ in self.cells):
            row = ": ".join(cell for _, cell in self.cells)
        else:
            row = ", ".join(f"{column}: {cell}" if column else cell for column, cell in self.cells)
        return f"{self.heading} – {row}" if self.heading and row else row


def speak_tables(text: str) -> str:
    """The text with each row of a table as a line of its own: "Tickets – Age: under 16, Price: free"."""
    return "\n".join(line.spoken if isinstance(line, TableRow) else line for line in _read_rows(text.split("\n")))


def text_and_rows(text: str) -> Iterator[str | TableRow]:
    """What stands between the tables of a text, and each of their rows."""
    for is_row, lines in groupby(_read_rows(text.split("\n")), lambda line: isinstance(line, TableRow)):
        if is_row:
            yield from lines
        else:
            yield "\n".join(line for line in lines if isinstance(line, str))


def table_rows(text: str) -> list[TableRow]:
    """The rows of a text's tables."""
    return [line for line in _read_rows(text.split("\n")) if isinstance(line, TableRow)]


def without_tables(text: str) -> str:
    """The text without the rows of its tables."""
    return "\n".join(line for line in _read_rows(text.split("\n")) if isinstance(line, str))


def _read_rows(lines: Sequence[str]) -> Iterator[str | TableRow]:
    heading, columns = "", list[str]()
    for place, line in enumerate(lines):
        if found := _SECTION_HEADING.match(line):
            heading = found[1].strip()
        if not _ROW.match(line):
            columns = []
        elif place + 1 < len(lines) and _RULE.match(lines[place + 1]):
            columns = _split_cells(line)
            continue
        elif columns and _RULE.match(line):
            continue
        elif columns:
            pairs = zip(columns, _split_cells(line), strict=False)
            yield TableRow(heading, tuple((column, cell) for column, cell in pairs if cell))
            continue
        yield line


def _split_cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]

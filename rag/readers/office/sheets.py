"""Sheets of a spreadsheet as Markdown: what empty rows part are tables and lines of their own."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from rag.readers.markup import table_of


def sheet_blocks(title: str, rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A heading and what stands below it; nothing for a sheet without text."""
    headed = False
    for filled, group in groupby(rows, key=any):
        if not filled:
            continue
        if not headed:
            headed = True
            yield f"## {' '.join(title.split())}"
        yield from _block_markdown([list(row) for row in group])


def _block_markdown(rows: list[list[str]]) -> Iterator[str]:
    """Lines with one cell above a table are its title; the first with more is its header."""
    while rows and sum(map(bool, rows[0])) == 1 and (len(rows) == 1 or sum(map(bool, rows[1])) != 1):
        yield next(filter(None, rows.pop(0)))
    if rows:
        yield table_of(_without_margin(rows))


def _without_margin(rows: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """The rows without the columns left and right of them that are empty in all."""
    left = min(next(place for place, cell in enumerate(row) if cell) for row in rows)
    right = max(max(place for place, cell in enumerate(row) if cell) for row in rows)
    return [row[left : right + 1] for row in rows]

"""Timetables as a question about a day needs them: the 1.5B reads the row or the column of another day."""

from collections.abc import Sequence
from dataclasses import replace

from chatbot.models.pipeline.reading.weekdays import days_in
from rag.chunking.tables import TableRow, speak_tables, table_rows


def without_other_days(asked: str, text: str) -> str:
    """The text without what its tables say of other days than those that a question names; else the text as it is."""
    changed = _changed_rows(asked, text)
    if not changed:
        return text
    lines = [changed.get(line, line) for line in speak_tables(text).split("\n") if changed.get(line) != ""]
    return "\n".join(lines)


def rows_of_the_days(asked: str, text: str, sentences: Sequence[str]) -> dict[str, str]:
    """What each sentence that is a row of the text's tables says of the days that a question names; "" for nothing.

    Rows that are not changed are left out, and so is all that stands outside of tables. Empty where no day is named.
    """
    changed = _changed_rows(asked, text)
    return {sentence: changed[sentence] for sentence in sentences if sentence in changed}


def _changed_rows(asked: str, text: str) -> dict[str, str]:
    days = days_in(asked)
    if not days:
        return {}
    told = {row.spoken: _say_of_days(row, days) for row in table_rows(text)}
    if not any(told.values()):
        # Of the asked day it says nothing: which days it has may be the answer.
        return {}
    return {spoken: of_days for spoken, of_days in told.items() if of_days != spoken}


def _say_of_days(row: TableRow, days: frozenset[int]) -> str:
    """The row without the columns of other days, and nothing where it is itself about other days."""
    columns = [days_in(column) for column, _ in row.cells]
    if sum(map(bool, columns)) > 1:
        cells = [cell for cell, said in zip(row.cells, columns, strict=True) if not said or said & days]
        return replace(row, cells=tuple(cells)).spoken
    said = frozenset[int]().union(*(days_in(cell) for _, cell in row.cells))
    return row.spoken if not said or said & days else ""

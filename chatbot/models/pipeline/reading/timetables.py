"""Timetables as a question about a day needs them: the 1.5B reads the row or the column of another day."""

from collections.abc import Sequence
from dataclasses import replace

from chatbot.models.pipeline.reading.weekdays import days_in
from rag.chunking.tables import TableRow, table_rows


def rows_of_the_days(asked: str, text: str, sentences: Sequence[str]) -> dict[str, str]:
    """What each sentence that is a row of the text's tables says of the days that a question names; "" for nothing.

    Rows that are not changed are left out, and so is all that stands outside of tables. Empty where no day is named.
    """
    days = days_in(asked)
    if not days:
        return {}
    spoken = {row.spoken: _say_of_days(row, days) for row in table_rows(text)}
    return {sentence: spoken[sentence] for sentence in sentences if spoken.get(sentence, sentence) != sentence}


def _say_of_days(row: TableRow, days: frozenset[int]) -> str:
    """The row without the columns of other days, and nothing where it is itself about other days."""
    of_day = [days_in(column) for column, _ in row.cells]
    cells = [cell for cell, said in zip(row.cells, of_day, strict=True) if not said or said & days]
    if len(cells) < len(row.cells):
        return replace(row, cells=tuple(cells)).spoken
    said = days_in(row.spoken)
    return row.spoken if not said or said & days else ""

"""Timetables as a question about a day needs them: the 1.5B reads the row or the column of another day."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from chatbot.models.pipeline.reading.weekdays import days_in, word_of_day
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
    days, word = days_in(asked), word_of_day(asked)
    tables = [DayRow.read(row) for row in table_rows(text)] if days else []
    if not any(said & days for row in tables for said in row.days):
        # Of the asked day they say nothing: which days they have may be the answer.
        return {}
    told = {row.row.spoken: row.say_of_days(days, word) for row in tables}
    return {spoken: of_days for spoken, of_days in told.items() if of_days != spoken}


@dataclass(frozen=True)
class DayRow:
    """A row of a table with the days of its columns, or else of its cells."""

    row: TableRow
    days: tuple[frozenset[int], ...]
    by_column: bool

    @classmethod
    def read(cls, row: TableRow) -> "DayRow":
        """The row with its days; the name of a single column is none: "Weekday"."""
        columns = tuple(days_in(column) for column, _ in row.cells)
        if sum(map(bool, columns)) > 1:
            return cls(row, columns, True)
        return cls(row, tuple(days_in(cell) for _, cell in row.cells), False)

    def say_of_days(self, days: frozenset[int], word: str) -> str:
        """The row without the columns of other days, and nothing where it is itself about other days.

        What is of the days has the question's word beside its own: the 1.5B does not know "Sa, So" for a Sunday.
        """
        if not self.by_column and any(self.days) and not any(said & days for said in self.days):
            return ""
        cells = [
            self._name_day(pair, word) if said & days else pair
            for pair, said in zip(self.row.cells, self.days, strict=True)
            if said & days or not said or not self.by_column
        ]
        return replace(self.row, cells=tuple(cells)).spoken

    def _name_day(self, pair: tuple[str, str], word: str) -> tuple[str, str]:
        column, cell = pair
        return (_beside(column, word), cell) if self.by_column else (column, _beside(cell, word))


def _beside(label: str, word: str) -> str:
    return f"{label} ({word})" if word and word.casefold() not in label.casefold() else label

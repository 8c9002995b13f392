"""Tables as a question about a day, a season or a cell needs them: the 1.5B reads the row or the column beside it."""

import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import date

from chatbot.models.pipeline.reading.calendar.months import months_in, word_of_season
from chatbot.models.pipeline.reading.calendar.weekdays import days_in, word_of_day
from chatbot.models.pipeline.reading.editions import asks_of_past, has_passed
from chatbot.models.pipeline.reading.expected import Kind, expected_kind
from chatbot.models.pipeline.reading.tables.cells import WeighedRow
from chatbot.models.pipeline.reading.tables.named_rows import named_rows
from rag.chunking.tables import TableRow, speak_tables, table_rows
from utils.languages.detection import language_of

OF_TODAY = (Kind.PRICE, Kind.CLOCK, Kind.MOMENT)
"""Kinds of answers that are of today where a question does not say otherwise."""
_OF_YEARS = re.compile(
    r"\b(?:years?|seasons?|ris\w+|rose|chang\w+|differ\w+|compar\w+|increas\w+|go(?:es|ne)? up|more|less|than|both)\b",
    re.IGNORECASE,
)
"""What a question in English has that may ask about several years."""


def without_other_days(asked: str, text: str, weighed: Sequence[WeighedRow] = ()) -> str:
    """The text without what its tables say of other days and seasons than a question names, and of years that are over
    where it asks how something is; of a row that it names what may answer, by the `weighed` ones."""
    changed = _changed_rows(asked, text, weighed)
    if not changed:
        return text
    lines = [changed.get(line, line) for line in speak_tables(text).split("\n") if changed.get(line) != ""]
    return "\n".join(lines)


def rows_of_the_days(
    asked: str, text: str, sentences: Sequence[str], weighed: Sequence[WeighedRow] = ()
) -> dict[str, str]:
    """What each sentence that is a row of the text's tables says of the days and months that a question names, and of
    today where it names no year; "" for nothing. Of a row that it names what may answer, by the `weighed` ones.

    Rows that are not changed are left out, and so is all that stands outside of tables.
    """
    changed = _changed_rows(asked, text, weighed)
    return {sentence: changed[sentence] for sentence in sentences if sentence in changed}


def _changed_rows(asked: str, text: str, weighed: Sequence[WeighedRow] = ()) -> dict[str, str]:
    told: Mapping[str, TableRow | None] = {row.spoken: row for row in table_rows(text)}
    for axis in AXES:
        told = axis.narrow(asked, told) if told else told
    named = named_rows(asked, [row for row in told.values() if row])
    columns = {one.row.spoken: one.likely_columns() for one in weighed}
    told = {
        before: with_columns(row, columns[before]) if before in columns and row in named else row
        for before, row in told.items()
    }
    told = {before: row and without_past_columns(row, asked, date.today()) for before, row in told.items()}
    spoken = {before: row.spoken if row else "" for before, row in told.items()}
    return {before: after for before, after in spoken.items() if after != before}


def with_columns(row: TableRow, columns: Set[str]) -> TableRow:
    """A row with its first cell and those of some columns, which may have the word for a day beside their names."""
    named = columns - {""}
    kept = [pair for pair in row.cells[1:] if pair[0] in columns or pair[0].rpartition(" (")[0] in named]
    return replace(row, cells=(row.cells[0], *kept)) if kept else row


def without_past_columns(row: TableRow, asked: str, today: date) -> TableRow:
    """A row without the columns of years and seasons that are over, where it has one that is not and a question in
    English asks what something costs or when it is: of the prices of both years the 1.5B tells the first."""
    passed = [has_passed(column, today) for column, _ in row.cells]
    if not {True, False} <= set(passed) or language_of(asked) not in ("en", ""):
        return row
    if expected_kind(asked) not in OF_TODAY or asks_of_past(asked) or _OF_YEARS.search(asked):
        return row
    return replace(row, cells=tuple(cell for cell, over in zip(row.cells, passed, strict=True) if not over))


@dataclass(frozen=True)
class Axis:
    """What rows or columns of a table may be for: days of the week, or months."""

    read: Callable[[str], frozenset[int]]
    word: Callable[[str], str]
    """The word by which a question names it."""

    def narrow(self, asked: str, rows: Mapping[str, TableRow | None]) -> Mapping[str, TableRow | None]:
        """The rows without the columns of other ones than the question's, and None for rows of other ones.

        As they are where the question names none, or the tables say nothing of it: which ones they have may be the
        answer.
        """
        wanted, word = self.read(asked), self.word(asked)
        labelled = {spoken: LabelledRow.read(row, self.read) for spoken, row in rows.items() if row} if wanted else {}
        if not any(said & wanted for row in labelled.values() for said in row.labels):
            return rows
        return {spoken: labelled[spoken].narrowed(wanted, word) if row else None for spoken, row in rows.items()}


AXES = (Axis(days_in, word_of_day), Axis(months_in, word_of_season))


@dataclass(frozen=True)
class LabelledRow:
    """A row of a table with the days, or the months, of its columns, or else of its cells."""

    row: TableRow
    labels: tuple[frozenset[int], ...]
    by_column: bool

    @classmethod
    def read(cls, row: TableRow, read: Callable[[str], frozenset[int]]) -> "LabelledRow":
        """The row with its labels; the name of a single column is none: "Weekday"."""
        columns = tuple(read(column) for column, _ in row.cells)
        if sum(map(bool, columns)) > 1:
            return cls(row, columns, True)
        return cls(row, tuple(read(cell) for _, cell in row.cells), False)

    def narrowed(self, wanted: frozenset[int], word: str) -> TableRow | None:
        """The row without the columns of other days, and None where it is itself about other days.

        What is of the days has the question's word beside its own: the 1.5B does not know "Sa, So" for a Sunday.
        """
        if not self.by_column and any(self.labels) and not any(said & wanted for said in self.labels):
            return None
        cells = [
            self._name_label(pair, word) if said & wanted else pair
            for pair, said in zip(self.row.cells, self.labels, strict=True)
            if said & wanted or not said or not self.by_column
        ]
        return replace(self.row, cells=tuple(cells))

    def _name_label(self, pair: tuple[str, str], word: str) -> tuple[str, str]:
        column, cell = pair
        return (_beside(column, word), cell) if self.by_column else (column, _beside(cell, word))


def _beside(label: str, word: str) -> str:
    return f"{label} ({word})" if word and word.casefold() not in label.casefold() else label

"""Whether a sentence tells the cell of a table that a question means: no sentence is alike to a row."""

import re
from collections.abc import Sequence

from chatbot.models.pipeline.reading.calendar.months import months_in
from chatbot.models.pipeline.reading.calendar.weekdays import days_in
from chatbot.models.pipeline.reading.tables.cells import WeighedRow, likely_cells
from chatbot.models.pipeline.reading.tables.named_rows import named_rows
from rag.chunking.tables import table_rows, without_tables
from tools.reckoning.numerals import numbers_in

_SUBJECT_BEHIND = re.compile(r"\s\([^()]*\)\s*$")
"""What a question is about, behind it in brackets."""
_WHOLE_HOURS = re.compile(r"[^\d:.,]{0,12}\d{1,2}[^\d:.,]{1,12}\d{1,2}[^\d:.,]{0,12}")
"""A cell with hours that have no minutes: "9 - 17"."""


def told_by_row(
    text: str, sentence: str, question: str, weighed: Sequence[WeighedRow], *, whole: bool = False
) -> bool | None:
    """Whether the row of a table that a question means has the figures of a sentence that the question does not say.

    Meant are the cells that likeliest answer, by the `weighed` rows of its tables, or their `whole` rows. A sentence
    that names another month or day than the row is not told by it. None where no row is meant: those of several tables
    are, none has such a figure, or the text says them elsewhere, but for a named row; and where the row has further
    figures of the sentence beside the cell.
    """
    figures, rows = set(numbers_in(sentence)) - set(numbers_in(question)), table_rows(text)
    named, known = bool(figures and named_rows(question, rows)), set(rows)
    in_rows = any(figures & set(numbers_in(row.spoken)) for row in rows)
    meant = list(likely_cells([one for one in weighed if one.row in known], whole=whole))
    if not (in_rows or named) or len({row.heading for row, _ in meant}) != 1:
        return None
    told = [(row, cell, _numbers_of(cell)) for row, cells in meant for cell in cells]
    # The day of the minutes that a message goes on from is none of what it asks.
    asked = _SUBJECT_BEHIND.sub("", question)
    for row, cell, numbers in told:
        name = row.cells[0][1] if cell != row.cells[0][1] else ""
        new = figures - set(numbers_in(f"{row.heading} {name}"))
        if new and new <= numbers and not _tells_other_time(sentence, f"{row.heading} {row.spoken} {asked}"):
            return True
    # Who it is, with a time behind it, or both of two prices, the passage as a whole tells.
    beside = any(numbers < figures <= set(numbers_in(row.spoken)) for row, _, numbers in told)
    elsewhere = not named and figures <= set(numbers_in(without_tables(text)))
    return None if beside or elsewhere else False


def _tells_other_time(sentence: str, said: str) -> bool:
    """Whether a sentence names another month or day of the week than what is said."""
    months, days = months_in(said), days_in(said)
    return bool(months and months_in(sentence) - months) or bool(days and days_in(sentence) - days)


def _numbers_of(cell: str) -> set[str]:
    """The numbers of a cell; of hours without minutes nine o'clock may be told with them."""
    return set(numbers_in(cell)) | ({"0"} if _WHOLE_HOURS.fullmatch(cell) else set())

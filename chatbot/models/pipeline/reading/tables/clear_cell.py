"""The one cell of a table that clearly answers: beside the others of its row a small model often tells one of these."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from chatbot.models.pipeline.reading.calendar.weekdays import days_in
from chatbot.models.pipeline.reading.expected import Kind, expected_kind, is_of_kind, times_of_day
from chatbot.models.pipeline.reading.tables.cells import WeighedRow
from chatbot.models.pipeline.reading.tables.named_rows import share_form
from chatbot.models.pipeline.reading.tables.priced_lines import PricedLine
from rag.chunking.tables import TableRow
from rag.search.rare_words import telling_words, word_stems
from tools.reckoning.numerals import number_readings
from utils.languages.detection import language_of, same_language
from utils.languages.dimensions import asked_dimensions, dimensions_in

CLEARLY_AHEAD = 0.5
"""Log-odds by which the likeliest cell is ahead of all others from which on it clearly answers: .66 of 336 questions
that no weight had seen have one, and it answers .91 of these (of 204 where no vector knows the language .63, .91)."""
_HOUR_OF_DAY = re.compile(r"(?<![\d.,:])(\d{1,2})[.:]([0-5]\d)(?![\d:])")
"""Hour and minute of "14.30" and "14:30"."""
_SIGNED = (Kind.PRICE, Kind.CLOCK, Kind.MOMENT)
"""Kinds that a cell is known by itself to be of."""


@dataclass(frozen=True)
class ClearCell:
    """A cell, and its row without the cells that a question neither names nor means."""

    text: str
    row: TableRow

    def is_of_kind(self, question: str, english: str) -> bool:
        """Whether it is a price, a time or a day where one is asked for, or of what is asked how much of."""
        kind = expected_kind(english or question, question)
        measured = asked_dimensions(f"{question} {english}") & dimensions_in(self.text)
        return (kind in _SIGNED and is_of_kind(self.text, kind, english or question)) or bool(measured)

    def is_told_by(self, sentence: str, question: str) -> bool:
        """Whether a sentence tells the cell: one of its figures that the question does not say, its day, or a word of
        it where both are of one language."""
        if figures := _figures_of(self.text) - _figures_of(question):
            return bool(figures & _figures_of(sentence))
        if days := days_in(self.text):
            return days <= days_in(sentence)
        words = telling_words(self.text)
        comparable = words and same_language(sentence, language_of(self.row.spoken) or "en")
        # Whether it is so, and that it costs nothing, may be said in any words.
        in_any_words = self.text.split()[0].islower() and len(words) <= 1
        return in_any_words or not comparable or share_form(words, word_stems(sentence))


def _figures_of(text: str) -> set[str]:
    """All that the figures, times and numbers in words of a text may be."""
    times = {f"{hour}:{minute}" for hour, minute in _HOUR_OF_DAY.findall(text)}
    return times | number_readings(text)


def clear_cell(row: TableRow | None, weighed: Sequence[WeighedRow], question: str) -> ClearCell | None:
    """The cell of a row that clearly answers a question, by the `weighed` rows of all tables that were read; None where
    that is in another row, or no cell is clearly ahead."""
    of_tables = [one for one in weighed if not isinstance(one.row, PricedLine)]
    words, days = telling_words(question), days_in(question)
    # A name that has nothing but words of the question is what it asks about: "Head coach".
    cells = [
        (odds, one.row, place)
        for one in of_tables
        for place, odds in enumerate(one.odds)
        if place or not (said := telling_words(one.row.cells[place][1])) or said - words
    ]
    if not cells:
        return None
    (most, best, place), *others = sorted(cells, key=lambda cell: -cell[0])
    if best != row or (others and most - others[0][0] < CLEARLY_AHEAD):
        return None
    text = best.cells[place][1]
    if not any(map(str.isalnum, text)):
        return None
    # The first time of a timetable is no name of its row.
    name = None if times_of_day(best.cells[0][1]) and times_of_day(text) else 0
    kept = tuple(
        (column, cell)
        for at, (column, cell) in enumerate(best.cells)
        if at in (name, place) or share_form(telling_words(cell), words) or days & days_in(cell)
    )
    return ClearCell(text, replace(best, cells=kept))

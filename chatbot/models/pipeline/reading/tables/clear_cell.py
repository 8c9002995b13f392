"""The one cell of a table that clearly answers: beside the others of its row a small model often tells one of these."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from chatbot.models.pipeline.reading.calendar.weekdays import days_in
from chatbot.models.pipeline.reading.expected import times_of_day
from chatbot.models.pipeline.reading.tables.cells import WeighedRow
from chatbot.models.pipeline.reading.tables.named_rows import share_form
from rag.chunking.tables import TableRow
from rag.search.rare_words import telling_words, word_stems
from tools.reckoning.numerals import numbers_in
from utils.languages.detection import language_of, same_language

CLEARLY_AHEAD = 0.5
"""Log-odds by which the likeliest cell is ahead of all others from which on it clearly answers: .66 of 336 questions
that no weight had seen have one, and it answers .91 of these (of 204 where no vector knows the language .63, .91)."""


@dataclass(frozen=True)
class ClearCell:
    """A cell, and its row without the cells that a question neither names nor means."""

    text: str
    row: TableRow

    def is_told_by(self, sentence: str, question: str) -> bool:
        """Whether a sentence tells the cell: one of its figures that the question does not say, its day, or a word of
        it where both are of one language."""
        figures = set(numbers_in(self.text)) - set(numbers_in(question))
        if figures:
            return bool(figures & set(numbers_in(sentence)))
        if days := days_in(self.text):
            return days <= days_in(sentence)
        words = telling_words(self.text)
        comparable = words and same_language(sentence, language_of(self.row.spoken) or "en")
        return not comparable or share_form(words, word_stems(sentence))


def clear_cell(row: TableRow | None, weighed: Sequence[WeighedRow], question: str) -> ClearCell | None:
    """The cell of a row that clearly answers a question, by the `weighed` rows of all tables that were read; None where
    that is in another row, or no cell is clearly ahead."""
    cells = [(odds, one.row, place) for one in weighed for place, odds in enumerate(one.odds)]
    if not cells:
        return None
    (most, best, place), *others = sorted(cells, key=lambda cell: -cell[0])
    if best != row or (others and most - others[0][0] < CLEARLY_AHEAD):
        return None
    text = best.cells[place][1]
    if not any(map(str.isalnum, text)):
        return None
    words, days = telling_words(question), days_in(question)
    # The first time of a timetable is no name of its row.
    name = None if times_of_day(best.cells[0][1]) and times_of_day(text) else 0
    kept = tuple(
        (column, cell)
        for at, (column, cell) in enumerate(best.cells)
        if at in (name, place) or share_form(telling_words(cell), words) or days & days_in(cell)
    )
    return ClearCell(text, replace(best, cells=kept))

"""What tells which cell of some tables answers a question: words, vectors and what is asked for, of row and column."""

import math
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from chatbot.models.pipeline.reading.calendar.months import months_in
from chatbot.models.pipeline.reading.calendar.weekdays import days_in
from chatbot.models.pipeline.reading.expected import (
    UNSIGNED,
    Kind,
    expected_kind,
    is_of_kind,
    names_date,
    says_none,
)
from chatbot.models.pipeline.reading.tables.age_groups import is_column_of_ages
from chatbot.models.pipeline.reading.tables.asked_columns import asks_day, asks_who, columns_asked, measures_asked
from chatbot.models.pipeline.reading.tables.directions import fits_denial, fits_direction, fits_way
from chatbot.models.pipeline.reading.tables.named_rows import forms_among, said_name
from chatbot.models.pipeline.reading.tables.number_spans import span_of, spans_that_fit
from rag.chunking.tables import TableRow
from rag.embedding.base import Vectors
from rag.search.rare_words import telling_words, word_stems
from utils.languages.dimensions import asked_dimensions, dimensions_in

Floats = NDArray[np.float64]
Embed = Callable[[Sequence[str]], Awaitable[Vectors]]
"""One vector a text; raises `EmbedderUnavailable`."""

ROW_FEATURES = ("words", "named", "others", "days", "months", "span", "end", "likeness")
"""Of the row of a cell: the share of the question's words, rare ones counting more, that its name has, the share of its
name that the question has, the share that its other cells have; whether it is of the days and the months of the
question, of a span with its number, and the first or the last of its table where that is asked for (1), or not (-1);
and the cosine of the question and its name below the heading."""
COLUMN_FEATURES = ("named", "called", "days", "months", "span", "end", "likeness")
"""Of its column the same, and whether it is called what tables call what is asked for (1), or something else (-1). The
end is told of columns that are called alike: "Bus 1", "Bus 2"."""
CELL_FEATURES = ("kind", "dimension", "first", "first figure", "figure", "wanted", "way")
"""Of itself: whether it is of the kind that is asked for; of what is asked how much of (1) or of something else (-1);
whether it is the first of its row, with a figure; whether it has one; and whether it has where one is asked for, or
has none where somebody is (1), or not (-1); and whether its column, or else the heading of its table, is of what goes
from or to where the question says (1), or the other way (-1)."""
LEAST_RARITY = 0.1
"""What a word of the question weighs at least, though all rows have it."""
_ASKS_FIRST = re.compile(
    r"\b(?:first(?! (?:floor|aid|class|name)\b)|earliest|erste\w?|premi(?:er|ère)s?"
    r"|primer[ao]?|prim[ao]|primeir[ao]|eerste|pierwsz\w+|första"
    r"|første)\b",
    re.IGNORECASE,
)
_ASKS_LAST = re.compile(
    r"\b(?:last(?! (?:year|week|month|season|summer|winter|name)\b)|latest|letzte\w?"
    r"|derni(?:er|ère)s?|últim[ao]|ultim[ao]|laatste|ostatni\w?|sista|sidste)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class CellQuery:
    """A question as it is put to the cells of tables."""

    question: str
    english: str = ""
    """The question in English, empty where it is in it."""

    @cached_property
    def words(self) -> frozenset[str]:
        """Its telling words."""
        return telling_words(self.question)

    @cached_property
    def columns(self) -> frozenset[str]:
        """Its words, and others, that name a column of what it asks for: "until when is it open" asks for none that is
        called "Opens"."""
        return columns_asked(self.question)

    @cached_property
    def called(self) -> frozenset[str]:
        """What tables call that which it asks for, beside its own words."""
        return self.columns - self.words | measures_asked(self.question)

    @cached_property
    def days(self) -> frozenset[int]:
        """The days of the week that it names, Monday as 0."""
        return days_in(self.question)

    @cached_property
    def months(self) -> frozenset[int]:
        """The months that it names."""
        return months_in(self.question)

    @cached_property
    def asks_day(self) -> bool:
        """Whether it asks on which day something is."""
        return asks_day(self.question)

    @cached_property
    def row_words(self) -> frozenset[str]:
        """Its words, and what tables call what it asks how much of, which name a row of it."""
        return self.words | measures_asked(self.english or self.question)

    @cached_property
    def kind(self) -> Kind:
        """What it is answered by."""
        return expected_kind(self.english or self.question, self.question)

    @cached_property
    def dimensions(self) -> frozenset[str]:
        """What it asks how much of."""
        return asked_dimensions(f"{self.question} {self.english}")

    @cached_property
    def wanted(self) -> float:
        """1 where it asks for a figure, -1 where for somebody, else 0."""
        if self.kind is Kind.PERSON or asks_who(self.question):
            return -1.0
        return float(bool(self.dimensions) or self.kind not in (*UNSIGNED, Kind.NAME))

    def of_column(self, column: str) -> tuple[float, ...]:
        """`COLUMN_FEATURES` but for the last three."""
        words = word_stems(column)
        return (
            _named_share(telling_words(column), self.words & self.columns),
            float(bool(words & self.called)) - bool(words & (self.words - self.columns)),
            _of_same(self.days, days_in(column)),
            _of_same(self.months, months_in(column)),
        )

    def of_row(self, row: TableRow, rarity: Mapping[str, float]) -> tuple[float, ...]:
        """`ROW_FEATURES` but for the last three; `rarity` is what the question's words weigh."""
        name = row.cells[0][1]
        label, headed = telling_words(said_name(name)), f"{row.heading} {name}"
        return (
            _weighed_share(rarity, label),
            _named_share(label, self.row_words),
            _weighed_share(rarity, telling_words(" ".join(cell for _, cell in row.cells[1:]))),
            _of_same(self.days, days_in(headed)),
            _of_same(self.months, months_in(headed)),
        )

    def of_cell(self, row: TableRow, place: int) -> tuple[float, ...]:
        """`CELL_FEATURES` of the cell at a place of a row."""
        column, cell = row.cells[place]
        has_figure = any(map(str.isdigit, cell))
        if self.asks_day:
            fits = tells = names_date(cell)
        else:
            fits = self.kind not in UNSIGNED and is_of_kind(cell, self.kind, self.english or self.question)
            tells = has_figure or (self.kind is Kind.PRICE and says_none(cell))
        # The unit of a column's figures may stand above them.
        told = dimensions_in(cell) or dimensions_in(f"1 {column}")
        own = float(fits), _of_same(self.dimensions, told), float(not place), float(has_figure and not place)
        return *own, float(has_figure), self.wanted * (1.0 if tells else -1.0), self._way(row, column)

    def _way(self, row: TableRow, column: str) -> float:
        """Whether a cell is of the way that it asks for, or for those who it speaks of."""
        way = fits_direction(self.question, column) or fits_way(self.question, row.heading)
        name = row.cells[0][1] if column != row.cells[0][0] else ""
        return way or fits_denial(self.question, column) or fits_denial(self.question, name)


async def cell_features(embed: Embed, asked: CellQuery, rows: Sequence[TableRow], *, known: bool) -> Floats:
    """The features of all cells, row by row; shape (cells, features).

    `known` is whether the embedding model was made for the question's language.
    """
    likeness = await _likeness(embed, asked.question, rows) if known else {}
    ends, named = _column_ends(asked.question, rows), _columns_of(rows)
    spans = spans_that_fit(asked.question, named)
    columns = {
        column: (*asked.of_column(column), spans[column], ends.get(column, 0.0), likeness.get(column, 0.0))
        for column in named
    }
    spans = spans_that_fit(asked.question, {_span_of_row(row) for row in rows})
    rarity, found = _rarity(asked.words, rows), []
    for row, end in zip(rows, _ends(asked.question, rows), strict=True):
        of_row = (*asked.of_row(row, rarity), spans[_span_of_row(row)], end, likeness.get(_headed_name(row), 0.0))
        for place, (column, _) in enumerate(row.cells):
            found.append((*of_row, *columns[column], *asked.of_cell(row, place)))
    return np.array(found, np.float64)


async def _likeness(embed: Embed, question: str, rows: Sequence[TableRow]) -> Mapping[str, float]:
    """The cosines of the question and the names of rows and columns."""
    told = sorted(filter(None, {_headed_name(row) for row in rows} | _columns_of(rows)))
    asked, *vectors = await embed([question, *told])
    return {name: float(vector @ asked) for name, vector in zip(told, vectors, strict=True)}


def _columns_of(rows: Sequence[TableRow]) -> set[str]:
    return {column for row in rows for column, _ in row.cells}


def _span_of_row(row: TableRow) -> str:
    """The cell that says for which numbers of something a row is: its name, or the ages in a column of theirs."""
    name = row.cells[0][1]
    ages = (cell for column, cell in row.cells[1:] if is_column_of_ages(column))
    return name if span_of(name) else next(filter(span_of, ages), name)


def _headed_name(row: TableRow) -> str:
    return f"{row.heading} {row.cells[0][1]}".strip()


def _rarity(words: frozenset[str], rows: Sequence[TableRow]) -> dict[str, float]:
    """The telling words of a question, weighed by how few rows have them."""
    having = [word_stems(row.spoken) for row in rows]
    # In one order: sums of another one differ in their last digit, and cells that are alike change places.
    counts = {word: sum(bool(forms_among(word, stems)) for stems in having) for word in sorted(words)}
    return {word: max(math.log((len(rows) + 1) / (count + 0.5)), LEAST_RARITY) for word, count in counts.items()}


def _ends(question: str, rows: Sequence[TableRow]) -> list[float]:
    """For each row whether it is the first or the last of its table, as a question asks (1), or is not (-1)."""
    end = _asked_end(question)
    if not end:
        return [0.0] * len(rows)
    tables = [(row.heading, row.cells[0][0]) for row in rows]
    others = [None, *tables[:-1]] if end < 0 else [*tables[1:], None]
    return [1.0 if table != other else -1.0 for table, other in zip(tables, others, strict=True)]


def _column_ends(question: str, rows: Sequence[TableRow]) -> dict[str, float]:
    """The same of the columns of one row that has most, as far as these are called alike."""
    end, row = _asked_end(question), max(rows, key=lambda row: len(row.cells))
    labels = {column: _digits_apart(column) for column, _ in row.cells[1:]}
    alike = [
        column
        for column, words in labels.items()
        if any(words & other for another, other in labels.items() if another != column)
    ]
    if not end or not alike:
        return {}
    at = alike[0] if end < 0 else alike[-1]
    return {column: 1.0 if column == at else -1.0 for column in alike}


def _digits_apart(column: str) -> frozenset[str]:
    """Of "1st bus" the word for a bus, as of "Bus 1"."""
    return frozenset(word for word in word_stems(column) if not any(map(str.isdigit, word)))


def _asked_end(question: str) -> int:
    """-1 where a question asks for the first of something, 1 for the last, else 0."""
    first, last = (bool(words.search(question)) for words in (_ASKS_FIRST, _ASKS_LAST))
    return last - first


def _weighed_share(rarity: Mapping[str, float], having: frozenset[str]) -> float:
    """Of a question's words, by their weight, how many are there in some form."""
    there = sum(weight for word, weight in rarity.items() if forms_among(word, having))
    return there / (sum(rarity.values()) or 1.0)


def _named_share(label: Set[str], words: Set[str]) -> float:
    """The share of a name's words that a question has in some form."""
    return sum(bool(forms_among(word, words)) for word in label) / (len(label) or 1)


def _of_same(asked: Set[int] | Set[str], said: Set[int] | Set[str]) -> float:
    """1 where two sets have something in common, -1 where they have not, 0 where one is empty."""
    if not asked or not said:
        return 0.0
    return 1.0 if asked & said else -1.0

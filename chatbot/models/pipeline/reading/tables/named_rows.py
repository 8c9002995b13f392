"""The rows of tables that a question names: by what the row is about, or by its day, and by one of its columns."""

import re
from collections.abc import Sequence, Set
from dataclasses import replace

from chatbot.models.pipeline.comparing import compares
from chatbot.models.pipeline.reading.calendar.months import months_in
from chatbot.models.pipeline.reading.calendar.weekdays import days_in
from chatbot.models.pipeline.reading.expected import Kind, expected_kind, is_of_kind
from chatbot.models.pipeline.reading.tables.age_groups import is_row_of_age, told_age
from chatbot.models.pipeline.reading.tables.asked_columns import columns_asked, words_asked
from chatbot.models.pipeline.reading.tables.measures import MONEY_NAMES
from chatbot.models.pipeline.reading.tables.surcharges import asks_surcharge, surcharge_rows
from rag.chunking.tables import TableRow
from rag.search.rare_words import telling_words, word_stems

_ASKED_MEASURE = re.compile(
    r"\b(?:how \w+|what|which) (?:is|are|was|were|will be|would be) (?:the|my|our|your|its|their) "
    r"(?P<measure>(?:\w+ ){0,2}?\w+)(?= (?:for|of|on|in|at|from|to|with|per|if|when)\b|\W*$)",
    re.IGNORECASE,
)
"""What a question in English asks the figure of: "how high is the deposit for a van?"."""
_JOINED_THINGS = re.compile(r"[,;，、；]|\b(?:and|or|und|oder|et|ou|y|o|e|en|och|og|i|и|или|та|και|ve)\b")
_NAMES_OF_VALUES = word_stems("value values detail details data wert werte angabe valeur valor valore dato waarde")
"""Names of columns that say nothing of what stands in them."""
PAIR, SURE_LABEL = 2, 2
"""Cells of a property with its value, and words of its name from which on that says by itself what is asked."""
_LIKE = 4
"""Letters that two forms of a word begin with: what it means, a meaning."""
_BY_AGE = (Kind.PRICE, Kind.CLOCK, Kind.MOMENT)
"""What tables have for people by their age: what they pay, and when they come."""
_PAID_APART = re.compile(
    r"\b(?:park(?:ing)?|coffee|tea|food|lunch|dinner|breakfast|meals?|drinks?|cakes?|lockers?|towels?|lessons?|courses?|class(?:es)?"
    r"|part(?:y|ies)|membership|member|subscription|annual|yearly|season|monthly|hire|rent\w*|deposit|fine|shirts?|kit|camp)\b",
    re.IGNORECASE,
)
"""What has a price of its own beside that of coming in."""
_BESIDE_ONE = re.compile(r"\b(?:before|after|besides?|apart from|other than|except|without)\b", re.IGNORECASE)
_ASIDE = re.compile(r"\([^()]{0,40}\)")
"""What of the name of a row nobody says: "Child (4-15)"."""


def said_name(name: str) -> str:
    """What people say of the name of a row."""
    return _ASIDE.sub("", name)


def named_rows(question: str, rows: Sequence[TableRow]) -> list[TableRow]:
    """The rows of which a question names row and column: what is asked for stands in a cell.

    Of several those alone that are called what is asked for: of the deposit for a day's hire a table has both.
    """
    if not rows:
        return []
    words, days, months = columns_asked(question), days_in(question), months_in(question)
    kind = expected_kind(question, question)
    full = [row for row in rows if row.cells]
    named = [row for row in full if _is_named(row, words, days, months) or _is_property(row, words, kind)]
    named = named or _rows_of_age(question, rows, kind)
    if asks_surcharge(question) and (added := surcharge_rows(named or full)):
        return added if len(added) == 1 and len(full) > 1 else []
    asked = _ASKED_MEASURE.search(question)
    measure = word_stems(asked["measure"]) if asked else frozenset()
    named = [row for row in named if word_stems(row.cells[0][1]) & measure] or named
    return _said_most(named, words) if _asks_of_one(question, kind) else named


def _rows_of_age(question: str, rows: Sequence[TableRow], kind: Kind) -> list[TableRow]:
    """The one row of a table that is for people of the age which a question tells, where it has what is asked for:
    "what do they charge for a kid, he's 9", "which day do they train? My son is 11"."""
    if kind not in _BY_AGE or (age := told_age(question)) is None:
        return []
    fitting = [row for row in rows if len(row.cells) > 1 and is_row_of_age(row.cells, age)]
    if len(fitting) != 1 or not _is_about(fitting[0], question, kind):
        return []
    beside = [row for row in rows if is_of_kind(row.spoken, kind, question)]
    # Who is let in for nothing has no price.
    return fitting if fitting[0] in beside or (kind is Kind.PRICE and beside) else []


def _is_about(row: TableRow, question: str, kind: Kind) -> bool:
    """Whether a row is about what a question asks for: a price of what one pays for apart, or a time of a thing that
    the row or a column names."""
    if kind is Kind.PRICE:
        apart = word_stems(" ".join(_PAID_APART.findall(question)))
        return not apart or share_form(apart, word_stems(f"{row.heading} {row.spoken}"))
    words = words_asked(question)
    return any(share_form(telling_words(f"{column} {row.heading}"), words) for column, _ in row.cells)


def _asks_of_one(question: str, kind: Kind) -> bool:
    """Whether a question wants the hour or the price of one thing: of what is before the disco, that is no part."""
    return kind in (Kind.CLOCK, Kind.PRICE) and not _BESIDE_ONE.search(question)


def _said_most(rows: list[TableRow], words: frozenset[str]) -> list[TableRow]:
    """Of rows about the same thing those whose other cells have most words of a question: of two events on a Saturday
    the contest that it asks for."""
    if len({row.cells[0] for row in rows}) != 1:
        return rows
    counts = [len(words & word_stems(" ".join(cell for _, cell in row.cells[1:]))) for row in rows]
    return [row for count, row in zip(counts, rows, strict=True) if count == max(counts)]


def is_asked_for(name: str, words: Set[str]) -> bool:
    """Whether a question's telling words have all of the name of a row or column; what something costs, the price."""
    label = telling_words(said_name(name))
    return bool(label) and (label <= words or (label <= MONEY_NAMES and bool(words & MONEY_NAMES)))


def with_asked_columns(question: str, row: TableRow) -> TableRow:
    """A row with its first cell and those of the columns that have most words of a question; as it is if none has any.

    Of the prices for members and for guests in one row the 1.5B tells the first.
    """
    return replace(row, cells=(row.cells[0], *most_asked(columns_asked(question), row.cells[1:])))


def most_asked(words: Set[str], cells: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The cells of a row whose columns have most of some words: all where no column has any."""
    counts = [len(words & word_stems(column)) for column, _ in cells]
    most = max(counts, default=0)
    return [cell for count, cell in zip(counts, cells, strict=True) if count == most]


def _is_named(row: TableRow, words: frozenset[str], days: frozenset[int], months: frozenset[int]) -> bool:
    """Whether the first cell has no word that the question has not in some form, or is of its days, and a column has
    another one or is of its months."""
    (_, first), *others = row.cells
    label, columns = telling_words(said_name(first)), [telling_words(column) for column, _ in others if column]
    if label and label <= MONEY_NAMES:
        # "What does the Benn X5 cost?" names the price and nothing but the thing, which a column has.
        return any(column & words and words - MONEY_NAMES <= column for column in columns)
    named = [forms_among(word, words) for word in label]
    if not (all(named) or (days and days <= days_in(first))):
        return False
    in_season = bool(months) and any(months <= months_in(column) for column, _ in others)
    return in_season or any(share_form(column, words.difference(*named)) for column in columns)


def _is_property(row: TableRow, words: frozenset[str], kind: Kind) -> bool:
    """Whether a row is a property with its value, of the kind that is asked for, and all words of its name are in a
    question: of "Noise on high" no column need be named."""
    label = telling_words(said_name(row.cells[0][1]))
    if len(row.cells) != PAIR or len(label) < SURE_LABEL or kind is Kind.PERSON:
        return False
    if row.cells[1][0] and not word_stems(row.cells[1][0]) & _NAMES_OF_VALUES:
        return False
    return all(forms_among(word, words) for word in label) and is_of_kind(row.cells[1][1], kind)


def unmentioned_rows(question: str, rows: Sequence[TableRow]) -> list[TableRow]:
    """The rows whose first cell has none of a question's days, and a word that it does not have in any of its forms.

    None where it joins or compares several: "what does it cost, and how heavy is it?" has no word for the weight.
    """
    if _JOINED_THINGS.search(question) or compares(question):
        return []
    words, days = words_asked(question), days_in(question)
    return [row for row in rows if row.cells and not _is_mentioned(row.cells[0][1], words, days)]


def _is_mentioned(first: str, words: frozenset[str], days: frozenset[int]) -> bool:
    """Whether the first cell of a row has a day of a question, or no word that it does not have in any of its forms."""
    return bool(days & days_in(first)) or all(share_form({one}, words) for one in telling_words(said_name(first)))


def forms_among(word: str, words: Set[str]) -> frozenset[str]:
    """The words that are a word, with another ending or without one: to weigh, and weight. Students are no studio."""
    return frozenset(
        other
        for other in words
        if word == other or (min(len(word), len(other)) >= _LIKE and (word.startswith(other) or other.startswith(word)))
    )


def share_form(some: Set[str], others: Set[str]) -> bool:
    """Whether two sets of words have one in some of its forms in common; figures have one form."""
    return bool(some & others) or not _beginnings(some).isdisjoint(_beginnings(others))


def _beginnings(words: Set[str]) -> set[str]:
    return {word[:_LIKE] for word in words if len(word) >= _LIKE and word.isalpha()}

"""What a question asks of a whole column of an attached table: the row with the most or the least, the sum, the mean.

A small model reads a row well enough, and compares or adds up forty of them badly.
"""

import calendar
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from chatbot.models.pipeline.reading.calendar.months import months_in
from chatbot.models.pipeline.reading.expected import is_money
from chatbot.models.pipeline.reading.tables.measures import MONEY_NAMES, measures_meant, words_of_measures
from rag.chunking.tables import table_rows
from rag.search.rare_words import telling_words, word_stems
from tools.reckoning.numerals import decimal_text, numbers_in

MIN_ROWS = 3
"""Rows from which on a table is compared or added up."""
MAX_TIED = 3
"""Rows that are told where several have the most."""
MAX_UNKNOWN = 1
"""Words of a question for a row that stand nowhere in the table, at most; a sum of what was not understood is none."""
MAX_DECIMALS = 2
"""Decimals of an average."""
_WANTED = {
    "most": re.compile(
        r"(?<!at )\b(?:most(?! of\b)|highest|largest|biggest|greatest|longest|tallest|heaviest|dearest|costliest|"
        r"warmest|hottest|wettest|fastest|maximum|max"
        r"|(?<=month was )best|(?<=month was the )best|(?<=day was )best|(?<=day was the )best"
        r"|best (?=month|day|week|year))\b"
    ),
    "least": re.compile(
        r"(?<!at )\b(?:least|fewest|lowest|smallest|shortest|lightest|cheapest|coldest|coolest|driest|slowest|minimum|"
        r"min)\b"
    ),
    "sum": re.compile(r"\b(?:total|altogether|all (?:\w{1,20} ){0,2}together|in all|sum|overall|combined)\b"),
    "average": re.compile(r"\b(?:average|mean)\b"),
}
"""How questions in English ask for each."""
_FIGURE_BOUND = re.compile(r"\b(?:max|min)(?:imum)?\b\.?(?: of)? (?=[€$£¥]?\s?\d)")
_SPENT = re.compile(
    r"\bhow much (?:money |time )?(?:did|do|does|have|has|had) [^?]{0,80}"
    r"\b(?:spen[dt]|pa(?:y|id)|earn(?:ed)?|saved?|donated?)\b"
    r"|\bwhat (?:did|have|had) (?:i|we|they) (?:spen[dt]|pa(?:y|id)) (?:on|for) (?!(?:in|on|at|with)\b)\w"
)
"""Asks for a sum without the word; "per month" asks for something else."""
_EACH = re.compile(r"\b(?:per|each|every|a (?:day|week|month|year))\b")
_NO_VALUE = frozenset({"", "-", "–", "—", "?", "/", "x", "n/a", "n.a.", "na", "none", "nil", "null"})
"""What stands in a cell that has no figure."""
_SEVERAL = re.compile(
    r"(?<!\ball )\b(?:second|third|fourth|fifth|two|three|four|five|\d+(?:nd|rd|th)|(?:most|least|top) \d+)\b"
)
_ABOUT_MONEY = re.compile(r"\b(?:expensive|cheap\w*|costs?|costl\w+|pric\w+|pa(?:y|id)|spen[dt]\w*|dearest|money)\b")
_SAID_OF_ANY = word_stems(
    "item row entry line table file list csv sheet spend spent pay paid cost much many money amount value number name"
    " which what day date time expensive cheap buy bought purchase thing each every one ones according say says tell"
    " use used"
)
"""Words that a question about any table may have."""
_NAMED_FILE = re.compile(r"@\S+")
"""A file that a message names."""
_NO_MEASURE = re.compile(r"(?:id|year|jahr|année|año|zip|plz|phone)", re.IGNORECASE)
"""Names of columns of figures of which there is no most."""
_COUNT_OR_ID = re.compile(r"(?:no\.?|nr\.?|number|nummer|anzahl|numéro|nombre|número)", re.IGNORECASE)
"""Names of columns that count what the rows are, or number the rows."""
_OF_WHICH_FEWEST = re.compile(r"\bfewest\b|\bmost of\b")
_SPOKEN_ROW = re.compile(r"[^:;]{1,60}: [^;]*(?:; [^:;]{1,60}: [^;]*)+")
TOTAL_ROW = re.compile(r"\b(?:total|sum|summe|gesamt|somme|suma|totale|totaal|итого)\b", re.IGNORECASE)
_MONTHS = " ".join(name.casefold() for name in calendar.month_name)
_ISO_MONTH = re.compile(r"(?<!\d)\d{4}-(?P<month>0[1-9]|1[0-2])(?:-\d\d)?(?![\d-])")


@dataclass(frozen=True)
class SpokenRow:
    """A row of a table, as it stands in the text and by the names of its columns."""

    spoken: str
    cells: dict[str, str]


@dataclass(frozen=True)
class ColumnAnswer:
    """What a column says."""

    told: str
    stands_there: bool
    """Whether these are rows of the text, and not worked out."""
    decisive: str = ""
    """The cell by which one row was chosen, with the name of its column."""


def asks_extreme(english: str) -> bool:
    """Whether a question in English is for the most or the least of something; "max. 20 kg" is a bound."""
    asked = _FIGURE_BOUND.sub(" ", english.casefold())
    return any(_WANTED[kind].search(asked) for kind in ("most", "least"))


def answer_from_columns(question: str, english: str, texts: Sequence[str], title: str = "") -> ColumnAnswer | None:
    """What the one table of some texts says to a question about a whole column; None to any other question.

    `english` is the question in English, empty where it is in English; `title` says what all rows are of.
    """
    asked = _NAMED_FILE.sub(" ", english or question).casefold()
    wanted = {kind: found[0] for kind, pattern in _WANTED.items() if (found := pattern.search(asked))}
    is_implied = not wanted and _SPENT.search(asked) is not None and not _EACH.search(asked)
    if is_implied:
        wanted = {"sum": ""}
    # Tables are read for the few questions that ask for one of these.
    if len(wanted) != 1 or _SEVERAL.search(asked):
        return None
    tables = [table for text in texts if (table := _rows_of(text))]
    if len(tables) != 1:
        return None
    [(kind, said)] = wanted.items()
    words = word_stems(f"{question} {english}")
    column = _column_asked(asked, words, tables[0])
    rows, chosen = _rows_asked(asked, words, tables[0])
    known = word_stems(" ".join([said, title, *chosen, *words_of_measures(asked), *tables[0][0].cells])) | _SAID_OF_ANY
    unknown = telling_words(asked) - known
    by_row = kind in ("most", "least")
    figures = [(row, value) for row in rows if column and (value := _value_in(row, column)) is not None]
    # Of a single row the model reads the figure, as it may have several.
    dear = said.strip() == "best" and word_stems(column) & MONEY_NAMES  # The best month may be the cheapest.
    if dear or len(figures) <= is_implied or len(unknown) > (MAX_UNKNOWN if by_row else 0):
        return None
    if by_row and len(called := [row for row, _ in figures if _is_called(row, said)]) == 1:
        return ColumnAnswer(called[0].spoken, stands_there=True)
    if kind == "most":
        name, sums = _groups_asked(asked, figures)
        if len(sums) > 1:
            return _pick_group(name, sums, column)
    return (
        _pick_rows(figures, column, kind)
        if by_row
        else _work_out([value for _, value in figures], column, kind, chosen)
    )


def _is_called(row: SpokenRow, said: str) -> bool:
    """Whether a row says at the end of its name that it is the most: "Tenor, the biggest"."""
    name = next(iter(row.cells.values()), "").casefold()
    return re.search(rf"[,(–-]\s?(?:the )?{re.escape(said)}\)?$", name) is not None


def _rows_of(text: str) -> list[SpokenRow]:
    """The rows of a text's only table, without those of totals; empty where it has none or several."""
    rows = [SpokenRow(row.spoken, dict(row.cells)) for row in table_rows(text)]
    for line in text.splitlines():
        if _SPOKEN_ROW.fullmatch(line):
            rows.append(SpokenRow(line, dict(cell.split(": ", 1) for cell in line.split("; "))))
    names = {name for row in rows for name in row.cells}
    whole = [row for row in rows if len(row.cells) == len(names)]
    # A table of its own has all its columns in nearly every row.
    if len(rows) < MIN_ROWS or len(whole) < len(rows) - 1:
        return []
    return [row for row in rows if not any(TOTAL_ROW.search(cell) for cell in row.cells.values())]


def _number_in(cell: str) -> Fraction | None:
    """The number of a cell that has one; a date has several."""
    numbers = numbers_in(cell)
    if len(numbers) != 1:
        return None
    return -Fraction(numbers[0]) if cell.lstrip().startswith(("-", "−", "–")) else Fraction(numbers[0])


def _value_in(row: SpokenRow, column: str) -> Fraction | None:
    """The number of a row in a column; a row without one is neither the least nor part of a mean."""
    return _number_in(row.cells.get(column, ""))


def _has_no_value(row: SpokenRow, column: str) -> bool:
    return row.cells.get(column, "").strip().casefold() in _NO_VALUE


def _column_asked(asked: str, words: frozenset[str], table: Sequence[SpokenRow]) -> str:
    """The column of figures that a question names, the one of money where it speaks of money, else the only one."""
    figures = {
        name: [_value_in(row, name) is not None for row in table if not _has_no_value(row, name)]
        for name in dict.fromkeys(name for row in table for name in row.cells)
    }
    measures = [name for name, are in figures.items() if are and all(are) and _is_measure(name, table, asked)]
    named = [name for name in figures if telling_words(name) & words and any(figures[name])]
    if _ABOUT_MONEY.search(asked):
        money = [name for name in measures if word_stems(name) & MONEY_NAMES or is_money(table[0].cells.get(name, ""))]
        named = [name for name in named if name in money] or money
    chosen = named or measures_meant(asked, measures)
    # What is named and has a figure in some rows alone cannot be compared.
    return chosen[0] if len(chosen) == 1 and chosen[0] in measures else ""


def _is_measure(name: str, table: Sequence[SpokenRow], asked: str) -> bool:
    """Whether a column of figures says how much: one of numbers does so for what there is the fewest of, unless they
    rise from each row to the next."""
    if not _COUNT_OR_ID.fullmatch(name):
        return not _NO_MEASURE.fullmatch(name)
    if not _OF_WHICH_FEWEST.search(asked):
        return False
    values = [value for row in table if (value := _value_in(row, name)) is not None]
    return any(value >= following for value, following in pairwise(values))


def _rows_asked(asked: str, words: frozenset[str], table: Sequence[SpokenRow]) -> tuple[list[SpokenRow], list[str]]:
    """The rows of what a question names of them ("on food", "in October"), and these names."""
    rows, chosen = list(table), list[str]()
    months = months_in(asked)
    if months and any(_ISO_MONTH.search(cell) for row in table for cell in row.cells.values()):
        rows = [row for row in rows if months & {_month_of_date(cell) for cell in row.cells.values()}]
        chosen += [word for word in re.findall(r"[a-z]{3,}", asked) if f" {word}" in _MONTHS]
    for name in table[0].cells:
        cells = {row.cells.get(name, "") for row in table}
        named = {cell for cell in cells if _number_in(cell) is None and word_stems(cell) and word_stems(cell) <= words}
        if named and named != cells:
            rows = [row for row in rows if row.cells.get(name) in named]
            chosen += sorted(named)
    return rows, chosen


def _month_of_date(cell: str) -> int:
    """The month of a cell with a date, or with a month alone, "2026-03"; 0 for any other."""
    found = _ISO_MONTH.search(cell)
    return int(found["month"]) if found else 0


def _groups_asked(asked: str, table: Sequence[tuple[SpokenRow, Fraction]]) -> tuple[str, dict[str, Fraction]]:
    """The column of words that a question asks for ("which category"), and the sums of rows by what they have there.

    Empty where it asks for none, or where no two rows have the same there.
    """
    for name in table[0][0].cells:
        wanted = re.search(rf"\b(?:which|what) {re.escape(name.casefold())}\b", asked)
        if not wanted or any(_number_in(row.cells.get(name, "")) is not None for row, _ in table):
            continue
        sums: dict[str, Fraction] = {}
        for row, value in table:
            group = row.cells.get(name, "")
            sums[group] = sums.get(group, Fraction(0)) + value
        return (name, sums) if len(sums) < len(table) else ("", {})
    return "", {}


def _pick_group(name: str, sums: dict[str, Fraction], column: str) -> ColumnAnswer:
    """The group of rows with the most, and the others' sums."""
    ordered = sorted(sums.items(), key=lambda pair: -pair[1])
    told = [f"{group}: {decimal_text(value)}" for group, value in ordered]
    return ColumnAnswer(f"The {name} with the most {column} is {told[0]}; {', '.join(told[1:])}.", stands_there=False)


def _pick_rows(figures: Sequence[tuple[SpokenRow, Fraction]], column: str, kind: str) -> ColumnAnswer | None:
    """The row with the most or the least; several where they have as much."""
    values = [value for _, value in figures]
    best = max(values) if kind == "most" else min(values)
    rows = [row for row, value in figures if value == best]
    if len(rows) > MAX_TIED:
        return None
    decisive = f"{column}: {rows[0].cells[column]}" if len(rows) == 1 else ""
    return ColumnAnswer("\n".join(row.spoken for row in rows), stands_there=True, decisive=decisive)


def _work_out(values: Sequence[Fraction], column: str, kind: str, chosen: Sequence[str]) -> ColumnAnswer:
    value = sum(values, Fraction(0))
    if kind == "average":
        value = round(value / len(values), MAX_DECIMALS)
    of = f" ({', '.join(chosen)})" if chosen else ""
    told = f"The {kind} of {column}{of} in {len(values)} rows of the table is {decimal_text(value)}."
    return ColumnAnswer(told, stands_there=False)

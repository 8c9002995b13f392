"""Prices in lines of their own, "Children up to 12: £3", as the rows of a table: who each is for its name says."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from rag.chunking.tables import TableRow

_COSTS_NOTHING = (
    r"free|gratis|frei|kostenlos|kostenfrei|gratuite?s?|gratuit[oia]|libre|bezpłatn\w{1,2}|darmow\w{1,3}|zdarma|ingyenes"
    r"|бесплатно|безкоштовно|無料|免费"
)
_PRICED = re.compile(
    r"(?:[-*•] ?)?(?P<name>[^.!?:\n]{2,70}?)(?: ?[:–—…-]{1,3} ?| )(?P<price>(?:[€£$¥] ?\d[\d.,]{0,9}"
    r"|\d[\d.,]{0,9} ?(?:€|£|\$|zł|Kč|kr|Ft|₽|円|元|(?:eur|euros?|chf|pounds?|złotych|rub|руб\w{0,4})\b))"
    rf"|{_COSTS_NOTHING})[ .*]{{0,3}}",
    re.IGNORECASE,
)
MIN_PRICED = 2
"""Such lines one after the other, at least: one alone is a sentence like others."""


@dataclass(frozen=True)
class PricedLine(TableRow):
    """Whom or what a price is for, and the price."""

    line: str
    """As it stands in the text."""

    @property
    def spoken(self) -> str:
        """The line."""
        return self.line


def is_priced(line: str) -> bool:
    """Whether a line is a price with what it is for, and nothing else."""
    return _PRICED.fullmatch(line.strip()) is not None


def priced_lines(sentences: Sequence[str]) -> list[list[PricedLine]]:
    """Of the sentences of a text those that are prices in lines of their own: lists of them, each in its order."""
    told = [(_PRICED.fullmatch(sentence.strip()), sentence) for sentence in sentences]
    lists = [list(_rows_of(group)) for priced, group in groupby(told, lambda pair: pair[0] is not None) if priced]
    return [rows for rows in lists if len(rows) >= MIN_PRICED]


def _rows_of(lines: Iterator[tuple[re.Match[str] | None, str]]) -> Iterator[PricedLine]:
    for found, line in lines:
        if found and any(map(str.isalpha, found["name"])):
            yield PricedLine("", (("", found["name"].strip()), ("", found["price"])), line)

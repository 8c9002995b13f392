"""Prices in lines of their own, "Children up to 12: £3", as the rows of a table: who each is for its name says."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from rag.chunking.tables import TableRow

_COSTS_NOTHING = (
    r"(?:(?:admission|entry|eintritt|entrée|entrada|ingresso|wstęp|toegang) )?"
    r"(?:free|gratis|frei|kostenlos|kostenfrei|gratuite?s?|gratuit[oia]|libre|bezpłatn\w{1,2}|darmow\w{1,3}|zdarma|ingyenes"
    r"|woln[ya]|бесплатно|безкоштовно|無料|免费)"
)
_FOR_WHAT = (
    r"(?: (?:per|pro|je|par|por|al|a|an|each|od|za|for|pour|para|für) [^.!?:\n]{1,25}"
    r"| ?/ ?\w{1,12}| \([^()\n]{1,40}\))?"
)
"""What a price may be for, behind it: "30 zł od osoby", "58 € (members 46 €)"."""
_PRICED = re.compile(
    r"(?:[-*•] ?)?(?P<name>[^.!?:\n]{2,70}?)(?: ?[:–—…-]{1,3} ?| )(?P<price>(?:[€£$¥] ?\d[\d.,]{0,9}"
    r"|\d[\d.,]{0,9} ?(?:€|£|\$|zł|Kč|kr|Ft|₽|円|元|(?:eur|euros?|chf|pounds?|złotych|rub|руб\w{0,4})\b))"
    rf"|{_COSTS_NOTHING}){_FOR_WHAT}[ .*]{{0,3}}",
    re.IGNORECASE,
)
_BARE_PRICED = re.compile(
    r"(?!#)(?:[-*•] ?)?(?P<name>[^.!?:\n]{1,69}[^.!?:\d\n])(?: ?[.…]{3,60} ?| ?[:–—-] ?|,? )(?<!\d-)(?<!\d–)"
    r"(?P<price>(?:from|ab|dès|à partir de|desde|da|a partir de|vanaf|od) (?!(?:19|20)\d\d\b)\d{1,4}(?:[.,]\d\d)?"
    r"|\d{1,4}[.,]\d\d)[ *]{0,3}",
    re.IGNORECASE,
)
"""The same without a sign of money: with hundredths, or as a price from which on there is something."""
_ENDS_WITH_HOUR = re.compile(r"(?<!\d)(?:[01]?\d|2[0-3])[.,][0-5]\d[ *]{0,3}$")
MIN_PRICED, MIN_COUNTED = 2, 3
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


def priced_lines(sentences: Sequence[str], heading: str = "") -> list[list[PricedLine]]:
    """Of the sentences of a text below a heading those that are prices in lines of their own: lists of them, each in
    its order."""
    groups = [(priced, list(lines)) for priced, lines in groupby(sentences, lambda line: _priced(line) is not None)]
    return [list(_rows_of(lines, heading)) for priced, lines in groups if priced and _is_list(lines)]


def _is_list(lines: Sequence[str]) -> bool:
    """Whether lines are prices together: enough of them, and without a sign of money not all as well hours of a day."""
    if any(map(is_priced, lines)):
        return len(lines) >= MIN_PRICED
    return len(lines) >= MIN_COUNTED and not all(map(_ENDS_WITH_HOUR.search, lines))


@lru_cache(maxsize=4096)
def _priced(line: str) -> re.Match[str] | None:
    return _PRICED.fullmatch(line.strip()) or _BARE_PRICED.fullmatch(line.strip())


def _rows_of(lines: Sequence[str], heading: str) -> Iterator[PricedLine]:
    for line in lines:
        found = _priced(line)
        if found and any(map(str.isalpha, found["name"])):
            yield PricedLine(heading, (("", found["name"].strip(" ,")), ("", found["price"])), line)

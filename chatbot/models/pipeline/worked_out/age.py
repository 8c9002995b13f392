"""How old somebody or something is now, worked out of the day or the year that was read: no page keeps an age
up to date, and small models count years badly."""

import re
from datetime import date

from babel.dates import format_date
from babel.units import format_unit

from chatbot.models.pipeline.writing.written import without_number_marks
from utils.languages.quantities import Quantity, quantities_in

_ASKS_AGE = re.compile(
    r"\bhow old (?:is|are)\b(?!.*\b(?:when|must|should|allowed|minimum)\b)|\bwhat(?:'s| is) \w+ age\b", re.I
)
_ENDED = re.compile(
    r"†|\b(?:died|dead|death|demolished|closed|starb|gestorben|tod|mort|morte|décédée?|murió|fallec\w+|morì|morto|"
    r"overled\w+|dog|zmarła?|умерл?а?)\b",
    re.I,
)
_FULL_YEAR, _DAY = re.compile(r"[12]\d{3}"), re.compile(r"d(?P<month>\d+)-(?P<day>\d+)")


def tell_age(asked: str, said: str, today: date, language: str) -> str:
    """`12 March 1961 → 29 November 2026: 65 years`, where the question (in English) asks how old something is and what
    was said to it holds one day or one year and no age; else empty.

    Of a year alone the years between are told: `1887 → 2026: 139 years`. `language` is the ISO 639-1 code of the
    answer. Nothing is told of what is said to have ended.
    """
    if not _ASKS_AGE.search(asked) or _ENDED.search(said):
        return ""
    quantities = quantities_in(without_number_marks(said))
    years = {int(one) for quantity in quantities for one in quantity.required if _FULL_YEAR.fullmatch(one)}
    if len(years) != 1 or (year := years.pop()) > today.year:
        return ""
    begun = _only_day(quantities, year)
    age = today.year - year - (begun is not None and (today.month, today.day) < (begun.month, begun.day))
    if age < 1 or any(str(told) in quantity.offered for quantity in quantities for told in (age - 1, age, age + 1)):
        return ""
    since, until = (
        (format_date(day, "long", language) for day in (begun, today)) if begun else (str(year), str(today.year))
    )
    return f"{since} → {until}: {format_unit(age, 'duration-year', locale=language)}"


def _only_day(quantities: list[Quantity], year: int) -> date | None:
    """The one day and month that is said, in that year; None where there is none, or several."""
    days = {found.groups() for quantity in quantities for one in quantity.required if (found := _DAY.fullmatch(one))}
    if len(days) != 1:
        return None
    month, day = map(int, days.pop())
    try:
        return date(year, month, day)
    except ValueError:
        return None

"""How old somebody or something is now, worked out of the day or the year that was read: no page keeps an age
up to date, and small models count years badly."""

import re
from datetime import date

from babel.dates import format_date
from babel.units import format_unit

from chatbot.models.pipeline.reading.expected import BEHIND_DATE
from chatbot.models.pipeline.writing.written import without_number_marks
from utils.languages.language_names import locale_of
from utils.languages.quantities import Quantity, quantities_in

_ASKS_AGE = re.compile(
    r"\bhow old (?:is|are)\b(?!.*\b(?:when|must|should|allowed|minimum)\b)"
    r"|\bwhat(?:'s| is) (?:his|her|its|their|(?:the )?\w+['’]s) age\b",
    re.I,
)
_ENDED = re.compile(
    r"†|\b(?:died|dead|death|demolished|closed|starb|gestorben|tod|mort|morte|décédée?|murió|fallec\w+|morì|morto|"
    r"overled\w+|zmarła?|умерл?а?)\b",
    re.I,
)
_LIFE_BEGINS = re.compile(
    r"\b(?:born|built|founded|opened|established|created|geboren|gebaut|erbaut|gegründet|eröffnet|née?|construite?|fondée?"
    r"|nacid[oa]|nació|construid[oa]|fundad[oa]|nat[oa]|costruit[oa]|fondat[oa]|nascid[oa]|gebouwd|opgericht|född|byggd"
    r"|grundad|født|bygget|urodzi\w+|zbudowan\w+|założon\w+|narozen\w*|родил\w+|построен\w*|основан\w*|народи\w+)\b"
    r"|出生|建于|生まれ|태어",
    re.I,
)
"""Words with which the life of somebody, or of a house, begins."""
_FULL_YEAR, _DAY = re.compile(r"[12]\d{3}"), re.compile(r"d(?P<month>\d+)-(?P<day>\d+)")


def tell_age(asked: str, said: str, today: date, language: str) -> str:
    """`12 March 1961 → 29 November 2026: 65 years`, where the question (in English) asks how old something is and what
    was said to it holds one day or one year and no age; else empty.

    Of a year alone the years between are told: `1887 → 2026: 139 years`. `language` is the ISO 639-1 code of the
    answer. Nothing is told of what is said to have ended.
    """
    if not _ASKS_AGE.search(asked) or _ENDED.search(said) or not _LIFE_BEGINS.search(said):
        return ""
    quantities = quantities_in(without_number_marks(said))
    years = [one for one in quantities if any(map(_FULL_YEAR.fullmatch, one.required))]
    others = [one for one in quantities if one not in years and one.exact and any(map(str.isdecimal, one.required))]
    if len(years) != 1 or others or (year := int(min(years[0].required))) > today.year:
        return ""
    begun = _only_day([one for one in quantities if _stand_beside(one, years[0])], year)
    age = today.year - year - (begun is not None and (today.month, today.day) < (begun.month, begun.day))
    if age < 1:
        return ""
    locale = locale_of(language)
    since, until = (
        (format_date(day, "long", locale) for day in (begun, today)) if begun else (str(year), str(today.year))
    )
    return f"{since} → {until}: {format_unit(age, 'duration-year', locale=locale)}"


def _stand_beside(one: Quantity, year: Quantity) -> bool:
    return one.start == year.start or 0 <= year.start - one.end <= BEHIND_DATE


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

"""Names of rows and columns that stand for a span of numbers: "2-5 kg", "under 16", "more than 40 people"."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping

from chatbot.models.pipeline.reading.calendar.months import months_in
from chatbot.models.pipeline.reading.calendar.weekdays import days_in

Span = tuple[float, float]
"""The first and the last number of it."""

_PLAIN_NUMBER = r"\d{1,9}(?:,\d{3}(?!\d)|[.,]\d{1,2}(?!\d))?"
_SHORT_UNIT = r"\s?(?:[^\W\d_]{1,4}|%)?\s?"
_ONE_TO_ANOTHER = re.compile(
    rf"(?<![\d.,])({_PLAIN_NUMBER}){_SHORT_UNIT}(?:-|–|(?<! )~|～|〜|to|bis|à|a|tot|al|do|till|til|až|έως|ως|μέχρι|до"
    rf"|至|到|から|부터|إلى|עד)\s?({_PLAIN_NUMBER})(?!\d)"
    rf"|\b(?:between|zwischen|entre|tra|fra|tussen)\s({_PLAIN_NUMBER}){_SHORT_UNIT}(?:and|und|et|y|e|en)\s({_PLAIN_NUMBER})(?!\d)",
    re.IGNORECASE,
)
_TO_AT_MOST = re.compile(
    r"(?:\b(?:up to|no more than|at most|max\.?|bis(?: zu)?|höchstens|jusqu['’]à|hasta|fino a|tot(?: en met)?|até|do"
    rf"|upp till|op til|til|έως|μέχρι|до|حتى)|≤)\s*({_PLAIN_NUMBER})"
    rf"|(?<![\d.,])({_PLAIN_NUMBER})\s?[岁歲歳才세]?\s?(?:以下|以内|이하)",
    re.IGNORECASE,
)
_LESS_THAN = re.compile(
    r"(?:\b(?:under|below|less than|younger than|unter|jünger als|weniger als|moins de|menores de|menos de|sotto i"
    rf"|minori di|meno di|onder(?: de)?|minder dan|poniżej|mindre än|κάτω (?:των|από)|младше|менее"
    rf"|молодше|أقل من)|<)\s*({_PLAIN_NUMBER})|(?<![\d.,])({_PLAIN_NUMBER})\s?[岁歲歳才세]?\s?(?:未満|未满|미만)",
    re.IGNORECASE,
)
_MORE_THAN = re.compile(
    r"(?:\b(?:over|above|more than|older than|über|mehr als|älter als|plus de|más de|mayores de|oltre i?|più di"
    rf"|boven(?: de)?|meer dan|mais de|powyżej|över|mer än|άνω των|старше|более|старше за"
    rf"|أكثر من)|>)\s*({_PLAIN_NUMBER})",
    re.IGNORECASE,
)
_AT_LEAST = re.compile(
    rf"(?:\b(?:from|ab|dès|à partir de|desde|a partir de|da|vanaf|od|från|fra|από|от|від|من)|≥)\s*({_PLAIN_NUMBER})"
    rf"|(?<![\d.,])({_PLAIN_NUMBER})\s?[岁歲歳才세]?\s?(?:以上|이상)"
    rf"|(?<![\d.,])({_PLAIN_NUMBER}){_SHORT_UNIT}(?:\+|(?:and|or) (?:over|older|above|more|up)\b"
    r"|und (?:älter|mehr|darüber)\b|et plus\b|y más\b|e oltre\b|ou mais\b|en (?:ouder|meer)\b)",
    re.IGNORECASE,
)
_HOURS_OF_DAY = re.compile(r"\d[:.]\d\d(?!\d).*\d[:.]\d\d|\d\s?(?:(?:uhr|[ap]m|час\w*)\b|[時时点點시])", re.IGNORECASE)
"""Hours from one to another are no numbers of something."""
_SAID_NUMBER = re.compile(rf"(?<![\d.,:])({_PLAIN_NUMBER})(?![\d:.,]*\d)")
_DATES_IN_OTHER_LANGUAGES = re.compile(
    r"\d\s(?:янв|фев|мар|апр|ма[яй]|ию[нл]|авг|сен|окт|ноя|дек|Ιαν|Φεβ|Μαρ|Απρ|Μα[ΐϊί]|Ιου|Αυγ|Σεπ|Οκτ|Νοε|Δεκ)\w*"
    r"|\d\s?[月日号號월일]",
    re.IGNORECASE,
)
BESIDE = 6
"""Characters beside two numbers in which a month or a day makes them dates."""


_BOUNDS = (
    (_TO_AT_MOST, lambda number: (-math.inf, number)),
    (_LESS_THAN, lambda number: (-math.inf, math.nextafter(number, -math.inf))),
    (_MORE_THAN, lambda number: (math.nextafter(number, math.inf), math.inf)),
    (_AT_LEAST, lambda number: (number, math.inf)),
)


def span_of(name: str) -> Span | None:
    """The numbers that a name stands for; None where it stands for none, as dates and hours do."""
    if _HOURS_OF_DAY.search(name) or _DATES_IN_OTHER_LANGUAGES.search(name):
        return None
    if found := _ONE_TO_ANOTHER.search(name):
        around = name[max(0, found.start() - BESIDE) : found.end() + BESIDE]
        first, last = (_value(number) for number in found.groups() if number)
        return None if first > last or months_in(around) or days_in(around) else (first, last)
    bounds = ((found, bound) for pattern, bound in _BOUNDS if (found := pattern.search(name)))
    found, bound = next(bounds, (None, None))
    if not found or not bound or months_in(name):
        return None
    return bound(_value(next(filter(None, found.groups()))))


def fits_span(question: str, name: str) -> float:
    """1 where a number that a question says is of a name's span, -1 where none is; 0 where it says none, or the name
    has no span."""
    span, said = span_of(name), _numbers_said(question)
    if not span or not said:
        return 0.0
    return 1.0 if any(span[0] <= number <= span[1] for number in said) else -1.0


def spans_that_fit(question: str, names: Iterable[str]) -> dict[str, float]:
    """`fits_span` for each name; of several that fit one number and are open on one side only the narrowest does: a
    parcel of 1.5 kilos goes as "up to 2 kg", and not as "up to 5 kg"."""
    fits = {name: fits_span(question, name) for name in names}
    spans = {name: span for name in fits if (span := span_of(name))}
    narrowest = {name for number in _numbers_said(question) for name in _narrowest_of(number, spans)}
    return {name: 0.0 if fit > 0 and name not in narrowest else fit for name, fit in fits.items()}


def _narrowest_of(number: float, spans: Mapping[str, Span]) -> Iterator[str]:
    """The names whose spans have a number, and of those that are open on one side the ones that end next to it."""
    having = {name: span for name, span in spans.items() if span[0] <= number <= span[1]}
    highest = min((last for first, last in having.values() if first == -math.inf), default=math.inf)
    lowest = max((first for first, last in having.values() if last == math.inf), default=-math.inf)
    for name, (first, last) in having.items():
        if not ((first == -math.inf and last > highest) or (last == math.inf and first < lowest)):
            yield name


def _numbers_said(question: str) -> list[float]:
    return [_value(found[1]) for found in _SAID_NUMBER.finditer(question)]


def _value(number: str) -> float:
    """1,200 and 2,5 and 2.5."""
    return float(number.replace(",", "") if re.fullmatch(r"\d+,\d{3}", number) else number.replace(",", "."))

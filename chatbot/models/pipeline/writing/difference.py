"""Which of two things has more of something, and by how much: worked out of what was said of each.

Small models subtract badly, and of "heavier" and two weights they do not surely tell which one is meant.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from chatbot.models.pipeline.comparing import wants_more
from chatbot.models.pipeline.reading.editions import without_numbered_names
from rag.search.stop_words import STOP_WORDS
from tools.reckoning.numerals import decimal_text, numbers_in

_CITED = re.compile(r"\s?\[\d{1,3}(?:, ?\d{1,3})*\]")
_FIGURE = re.compile(
    r"(?<![\w.,:/–-])(?P<sign>[€$£¥]\s?)?"
    r"(?P<number>\d{1,3}(?:[.,' ]\d{3}){1,4}(?:[.,]\d+)?|\d+(?:[.,]\d+)?)(?![\w:/–-]|[.,:]\d)"
    r"(?:\s?(?P<unit>[€$£¥%°]|[^\W\d_]+))?"
)
_SIDES = 2
_BARE_YEARS = range(1000, 2200)
"""Bare figures that are taken for years: what is older has the smaller one."""
_LONGEST_NAME = 4
"""Words of what a thing is called, at most."""


@dataclass(frozen=True)
class _Figure:
    value: Fraction
    sign: str
    """What stands before it, as the sign of a currency does."""
    unit: str

    @property
    def is_year(self) -> bool:
        """Whether it is taken for a year."""
        return not (self.sign or self.unit) and self.value in _BARE_YEARS

    def write_value(self, value: Fraction) -> str:
        """Another value in its form."""
        spaced = f" {self.unit}" if self.unit[:1].isalpha() else self.unit
        return f"{self.sign}{decimal_text(value)}{spaced}"


def tell_difference(asked: str, said: Sequence[tuple[str, str]], language: str) -> str:
    """`Arlo: 120 grams − 94 grams = 26 grams`, where two answers say one figure each and in the same unit; else empty.

    `said` is each side's question with its answer, `asked` the question about both in English: the side that it asks
    for stands first, where that is clear. Figures that a question says are names (Beam 2), and what was found nowhere
    says none. `language` is the ISO 639-1 code of the answers.
    """
    asked_of = " ".join([asked, *(side for side, _ in said)])
    answers = [(side, without_numbered_names(answer, asked_of)) for side, answer in said]
    found = [(figure, side) for side, answer in answers if (figure := _only_figure(answer, language))]
    if len(found) != _SIDES or len({(figure.sign, figure.unit) for figure, _ in found}) > 1:
        return ""
    (more, asked_of_more), (less, asked_of_less) = sorted(found, key=lambda each: each[0].value, reverse=True)
    if more.value == less.value:
        return ""
    written = [more.write_value(value) for value in (more.value, less.value, more.value - less.value)]
    difference = f"{written[0]} − {written[1]} = {written[2]}"
    wanted, names = wants_more(asked, more.unit, is_year=more.is_year), _told_apart(asked_of_more, asked_of_less)
    return difference if wanted is None or not names else f"{names[0 if wanted else 1]}: {difference}"


def _told_apart(first: str, second: str) -> tuple[str, str] | None:
    """What two questions name in the same place, with the words of a name around it; None where that is not told."""
    sides = [question.rstrip(" ?？.").split() for question in (first, second)]
    begin = next((at for at, (one, other) in enumerate(zip(*sides, strict=False)) if one != other), 0)
    behind = list(zip(*(reversed(side[begin:]) for side in sides), strict=False))
    end = next((at for at, (one, other) in enumerate(behind) if one != other), len(behind))
    while begin > 1 and _is_name(sides[0][begin - 1]):
        begin -= 1
    while end and _is_name(sides[0][-end]):
        end -= 1
    one, other = (" ".join(side[begin : len(side) - end]).strip(' ,.:;"') for side in sides)
    told = begin and one and other and max(map(len, (one.split(), other.split()))) <= _LONGEST_NAME
    return (one[:1].upper() + one[1:], other[:1].upper() + other[1:]) if told else None


def _is_name(word: str) -> bool:
    return word[:1].isupper() or word[:1].isdigit()


def _only_figure(answer: str, language: str) -> _Figure | None:
    """The one figure of an answer; None where it says none or several."""
    found = []
    for figure in _FIGURE.finditer(_CITED.sub("", answer)):
        numbers = numbers_in(figure["number"])
        if len(numbers) == 1:
            # "In 1854 by Lowe" has no unit.
            unit = "" if (figure["unit"] or "").casefold() in STOP_WORDS.get(language, ()) else figure["unit"] or ""
            found.append(_Figure(Fraction(numbers[0]), (figure["sign"] or "").strip(), unit))
    return found[0] if len(found) == 1 else None

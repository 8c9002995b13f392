"""By how much two things differ: worked out of what was said of each, as small models subtract badly."""

import re
from collections.abc import Sequence
from fractions import Fraction

from rag.search.stop_words import STOP_WORDS
from tools.reckoning.numerals import decimal_text, numbers_in

_CITED = re.compile(r"\s?\[\d{1,3}(?:, ?\d{1,3})*\]")
_FIGURE = re.compile(
    r"(?<![\w.,:/–-])(?P<sign>[€$£¥]\s?)?"
    r"(?P<number>\d{1,3}(?:[.,' ]\d{3}){1,4}(?:[.,]\d+)?|\d+(?:[.,]\d+)?)(?![\w:/–-]|[.,:]\d)"
    r"(?:\s?(?P<unit>[€$£¥%°]|[^\W\d_]+))?"
)
_ASKED = re.compile(
    r"\b(?:by )?how (?:much|many)\b.{0,80}\b(?:more|less|fewer|than|\w{2,}er)\b|\bdifference\b", re.IGNORECASE
)
_COMPARED = re.compile(r"\b(?:which|who|what)\b.{0,60}\b(?:more|less|fewer|worse|\w{3,}er)\b", re.IGNORECASE)
_SIDES = 2


def asks_difference(question: str) -> bool:
    """Whether a question in English asks by how much two things differ."""
    return _ASKED.search(question) is not None


def compares(question: str) -> bool:
    """Whether a question in English asks which of two things has more of something, or by how much."""
    return asks_difference(question) or _COMPARED.search(question) is not None


def tell_difference(question: str, answers: Sequence[str], language: str) -> str:
    """`120 grams − 94 grams = 26 grams`, where two answers say one figure each and in the same unit; else empty.

    Figures that the question says itself are names (Beam 2), and what was found nowhere says none. `language` is the
    ISO 639-1 code of the answers.
    """
    named = set(numbers_in(question))
    figures = [figure for answer in answers if (figure := _only_figure(answer, named, language))]
    if len(figures) != _SIDES or figures[0][1:] != figures[1][1:]:
        return ""
    (more, sign, unit), (less, _, _) = sorted(figures, reverse=True)
    if more == less:
        return ""
    written = [f"{sign}{decimal_text(value)}{unit}" for value in (more, less, more - less)]
    return f"{written[0]} − {written[1]} = {written[2]}"


def _only_figure(answer: str, named: set[str], language: str) -> tuple[Fraction, str, str] | None:
    """The one figure of an answer, what stands before it and its unit; None where it says none or several."""
    found = []
    for figure in _FIGURE.finditer(_CITED.sub("", answer)):
        numbers = numbers_in(figure["number"])
        if len(numbers) == 1 and numbers[0] not in named:
            # "In 1854 by Lowe" has no unit.
            unit = "" if (figure["unit"] or "").casefold() in STOP_WORDS.get(language, ()) else figure["unit"] or ""
            spaced = f" {unit}" if unit[:1].isalpha() else unit
            found.append((Fraction(numbers[0]), (figure["sign"] or "").strip(), spaced))
    return found[0] if len(found) == 1 else None

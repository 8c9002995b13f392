"""Days told by how far they are from today: yesterday, today, tomorrow, in the languages that dateparser reads."""

import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module

from utils.languages.detection import language_of
from utils.languages.scripts import UNSEGMENTED

_DAYS_AWAY = {"2 day ago": -2, "1 day ago": -1, "0 day ago": 0, "in 1 day": 1, "in 2 day": 2}
"""What dateparser calls them, with the days that they are away."""
_FURTHER_DAYS = {
    "es": {"pasado mañana": 2, "anteayer": -2},
    "it": {"dopodomani": 2, "l'altro ieri": -2},
    "pt": {"depois de amanhã": 2, "anteontem": -2},
}
"""What it does not know, by the language (ISO 639-1)."""
UNREAD_DAY_AFTER_TOMORROW = tuple(name for names in _FURTHER_DAYS.values() for name, away in names.items() if away == 2)
"""The words for the day after tomorrow among these."""


def with_relative_day_of(source: str, translation: str) -> str:
    """A translation with the day, told from today, of the text that it is of, where each names one and not the same.

    Small models take "morgen" for today.
    """
    meant, said = _only_day(source), _only_day(translation)
    if not meant or not said:
        return translation
    (own, days), (wrong, names) = meant, said
    away = days[own[0].casefold()]
    right = next((name for name, distance in names.items() if distance == away), "")
    if not right or names[wrong[0].casefold()] == away:
        return translation
    return translation[: wrong.start()] + with_capital_of(wrong[0], right) + translation[wrong.end() :]


def only_relative_day(text: str, language: str) -> tuple[str, int] | None:
    """The one word for such a day in a text, as it stands there, and how many days it is away; None for several.

    `language` is ISO 639-1.
    """
    found = _sole_day(text, language)
    return (found[0], _days_by_word(language)[found[0].casefold()]) if found else None


def with_capital_of(word: str, other: str) -> str:
    """A word that takes the place of one, with a capital where that has one."""
    return f"{other[:1].upper()}{other[1:]}" if word[:1].isupper() else other


def _only_day(text: str) -> tuple[re.Match[str], Mapping[str, int]] | None:
    """The one word for such a day in a text, with all those of its language; None where it has none or several.

    With a capital inside of a sentence it is another word: German "Morgen".
    """
    language = language_of(text) or "en"
    found = _sole_day(text, language)
    if not found or (found[0][:1].isupper() and text[: found.start()].strip(" \"'“„«¿¡")):
        return None
    return found, _days_by_word(language)


def _sole_day(text: str, language: str) -> re.Match[str] | None:
    pattern = _day_words(language)
    found = list(pattern.finditer(text)) if pattern else []
    return found[0] if len(found) == 1 else None


@cache
def _days_by_word(language: str) -> Mapping[str, int]:
    """Casefolded words by language (ISO 639-1), each with how many days it is away; none for one that is not known."""
    try:
        info = import_module(f"dateparser.data.date_translation_data.{language}").info
    except ModuleNotFoundError:
        return {}
    known = info.get("relative-type", {})
    names = {name.casefold(): days for kind, days in _DAYS_AWAY.items() for name in known.get(kind, ())}
    return names | _FURTHER_DAYS.get(language, {})


@cache
def _day_words(language: str) -> re.Pattern[str] | None:
    names = sorted(_days_by_word(language), key=len, reverse=True)
    letter = rf"[^\W\d_{UNSEGMENTED}]"
    words = "|".join(map(re.escape, names))
    return re.compile(rf"(?<!{letter})(?:{words})(?!{letter})", re.IGNORECASE) if names else None

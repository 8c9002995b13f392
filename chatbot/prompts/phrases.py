"""What Magpie says by itself, not through a model, in the user's language; `prompts/phrases.json` holds the words."""

import json
from datetime import date, datetime, time
from functools import cache

from chatbot.prompts.loader import FOLDER

FALLBACK = "en"
_LOCALES = {"en": "en_GB"}
"""Where the plain language writes dates otherwise than Magpie does elsewhere: the day goes first."""
_CLOCKS = {"ko": "a h:mm"}
"""Where the CLDR's short form of a time is not how a sentence has it."""


def fill_phrase(name: str, language: str, **values: str) -> str:
    """The phrase of that name in a language (ISO 639-1), in English where it has none, with the values in its places.

    Raises `KeyError` for a name that is none, and for a place without a value.
    """
    words = _load_phrases()
    return (words.get(language) or words[FALLBACK])[name].format(**values)


def phrase_languages() -> frozenset[str]:
    """The languages in which there are phrases."""
    return frozenset(_load_phrases())


def date_in_words(moment: date, language: str) -> str:
    """A day with its weekday, as the language writes it: "Montag, 23. November 2026"."""
    from babel.dates import format_date

    return format_date(moment, "full", locale=_phrase_locale(language))


def time_in_words(moment: datetime | time, language: str) -> str:
    """The time of day that `moment` shows, in its own zone, as the language writes it: "09:05", "9:05 π.μ."."""
    from babel.dates import format_time

    clock = moment.timetz().replace(tzinfo=None) if isinstance(moment, datetime) else moment.replace(tzinfo=None)
    return format_time(clock, _CLOCKS.get(language, "short"), locale=_phrase_locale(language))


@cache
def _load_phrases() -> dict[str, dict[str, str]]:
    words: dict[str, dict[str, str]] = json.loads((FOLDER / "phrases.json").read_text(encoding="utf-8"))
    return words


def _phrase_locale(language: str) -> str:
    language = language if language in _load_phrases() else FALLBACK
    return _LOCALES.get(language, language)

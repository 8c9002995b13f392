"""Which day of the week and which date a day is that is told from today: "welchen Wochentag haben wir übermorgen?".

A small model takes the day after tomorrow for tomorrow when it puts the question into English.
"""

import re
from datetime import date, timedelta

from chatbot.prompts.phrases import date_in_words
from rag.search.rare_words import says_anything
from utils.languages.detection import language_of
from utils.languages.relative_days import only_relative_day

_ASKS_DAY = {
    "en": r"(?:what|which) (?:day(?: of the week)?|weekday|date)",
    "de": r"welche[rsnm]? (?:wochentag|tag|datum)|(?:den|der) wievielten?|was für einen (?:wochentag|tag)",
    "fr": r"quel(?:le)? (?:jour(?: de la semaine)?|date)",
    "es": r"qué (?:día(?: de la semana)?|fecha)",
    "it": r"(?:che|quale) (?:giorno(?: della settimana)?|data)",
    "pt": r"(?:que|qual) (?:dia(?: da semana)?|data)",
    "nl": r"welke (?:weekdag|dag|datum)",
    "sv": r"vilken (?:veckodag|dag)|vilket datum",
    "pl": r"jaki (?:będzie )?(?:dzień(?: tygodnia)?)|jaka data",
    "cs": r"jaký (?:bude )?(?:den)|jaké datum",
}
"""What asks for a day of the week or a date, by the language (ISO 639-1)."""

_DAY_IS = re.compile(
    r"\b(?:haben|hatten|schreiben|wird|sein|wir|serons|sommes|étions|nous|on|sera|seremos|somos|estamos|será|siamo|saremo"
    r"|sarà|estaremos|hebben|wordt|we|wij|har|vi|blir|mamy|będzie|máme|bude|budeme)\b",
    re.IGNORECASE,
)
"""How a day is said to be."""

_WORD_BESIDE_DAY = re.compile(r"[^\W\d_]+")
_BESIDE_DAY = frozenset(
    {"and", "so", "it", "is", "was", "will", "be", "s", "the", "we", "have", "had", "do", "does", "did", "on", "please"}
)
"""What else a question in English for a day may have: "what day will she be here tomorrow?" asks of her."""


def tell_relative_day(message: str, today: date) -> str:
    """`Übermorgen: Dienstag, 1. Dezember 2026`; empty where a message asks anything else."""
    language = language_of(message) or ""
    asked = re.search(_ASKS_DAY[language], message, re.IGNORECASE) if language in _ASKS_DAY else None
    named = only_relative_day(message, language) if asked else None
    if not asked or not named:
        return ""
    word, away = named
    beside = _DAY_IS.sub(" ", message.replace(asked[0], " ").replace(word, " "))
    if says_anything(beside, language) or (
        language == "en" and set(_WORD_BESIDE_DAY.findall(beside.casefold())) - _BESIDE_DAY
    ):
        return ""
    return f"{word[:1].upper()}{word[1:]}: {date_in_words(today + timedelta(days=away), language)}"

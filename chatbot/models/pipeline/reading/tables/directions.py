"""From where to where a question asks, and for whom not: of a timetable's columns "From the quay" and "From the island"
it means one, and of prices those without a card where it says so."""

import re
from collections.abc import Set
from functools import lru_cache

from chatbot.models.pipeline.decision.names import has_digit
from chatbot.models.pipeline.reading.calendar.months import months_in
from chatbot.models.pipeline.reading.tables.named_rows import forms_among, share_form
from rag.search.rare_words import telling_words, word_stems

_COMING_FROM = frozenset(
    (
        *("from", "off", "leave", "leaves", "leaving", "von", "vom", "ab", "aus", "de", "du", "des", "d", "depuis"),
        *("desde", "del", "da", "dal", "dalla", "dall", "van", "vanaf", "uit"),
    )
)
_GOING_TO = frozenset(
    (
        *("to", "for", "towards", "nach", "zum", "zur", "zu", "vers", "pour", "à", "a", "au", "hacia", "para", "per"),
        *("verso", "naar"),
    )
)
_NO_PLACE = frozenset(
    (
        *("the", "a", "der", "dem", "den", "die", "das", "la", "le", "l", "el", "il", "lo", "los", "las", "i", "gli"),
        *("het", "de"),
    )
)
_WORD_OF_PLACE = re.compile(r"\w+")
PLACE_WORDS = 3
"""Words behind "from" or "to" that may name the place."""

_DENIED_WORD = re.compile(
    r"\b(?:(?:without|ohne|sans|sin|senza|sem|zonder|utan|uden|bez)\s+"
    r"|(?:not|no|nicht|kein\w{0,2}|niet|geen|nie)\s+(?=\w)|non[- ]?|off[- ](?=peak)|nicht(?=mitgl))"
    r"(?:(?:an?|the|my|our|own|any|ein\w{0,2}|die|der|das|une?|la|le|una?|il|een) )?(\w{3,})",
    re.IGNORECASE,
)
"""What is not had, or what one is not: "without card", "not a member", "Nichtmitglieder", "off-peak"."""


def fits_direction(question: str, column: str) -> float:
    """1 where a column is of what leaves the place that a question asks from, or goes to the one that it asks for; -1
    where it is the other way round, else 0."""
    first, *label = _WORD_OF_PLACE.findall(column.casefold()) or [""]
    if not label or first not in _COMING_FROM | _GOING_TO or has_digit(column) or months_in(column):
        return 0.0
    return fits_way(question, column)


@lru_cache(maxsize=1024)
def fits_way(question: str, told: str) -> float:
    """The same of any words that name places to go from or to, as a heading does: "From Orla to the quay"."""
    (asked_from, asked_to), (told_from, told_to) = _places(question), _places(told)
    same = _share_place(asked_from, told_from) or _share_place(asked_to, told_to)
    other = _share_place(asked_from, told_to) or _share_place(asked_to, told_from)
    return float(same) - float(other)


def _share_place(some: Set[str], others: Set[str]) -> bool:
    return any(forms_among(word, others) for word in some)


def _places(question: str) -> tuple[Set[str], Set[str]]:
    """The words that stand behind "from", and those behind "to"."""
    found, behind, count, before = (set[str](), set[str]()), -1, 0, ""
    ways = _COMING_FROM | _GOING_TO
    for word in _WORD_OF_PLACE.findall(question.casefold()):
        # "From a stop" and "naar de haven" have an article that is a way elsewhere.
        if word in ways and not (word in _NO_PLACE and before in ways):
            behind, count = int(word in _GOING_TO), 0
        elif behind >= 0 and word not in _NO_PLACE and count < PLACE_WORDS:
            found[behind].update(word_stems(word))
            count += 1
        before = word
    return found


@lru_cache(maxsize=1024)
def fits_denial(question: str, name: str) -> float:
    """1 where a question and the name of a row or a column deny the same, -1 where one denies what the other says, else
    0: "without card" is not who has one."""
    not_asked, not_named = _denied_words(question), _denied_words(name)
    if share_form(not_asked, not_named):
        return 1.0
    asked, named = telling_words(question) - not_asked, telling_words(name) - not_named
    return -1.0 if share_form(not_named, asked) or share_form(not_asked, named) else 0.0


def _denied_words(text: str) -> frozenset[str]:
    return word_stems(" ".join(found[1] for found in _DENIED_WORD.finditer(text)))

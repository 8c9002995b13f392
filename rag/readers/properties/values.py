"""Authors, days and tags as documents have them, brought into one form; what is none is left out."""

import re
from collections.abc import Iterable
from datetime import date, datetime
from typing import Any

MAX_TAGS = 100
MAX_VALUE_CHARS = 200
LAST_YEAR = "2100"
# What programs write in the place of an author.
_PROGRAMS = frozenset({"python-docx", "openpyxl", "microsoft office user", "unknown", "anonymous", "admin", "user"})
_PARTED = re.compile("[,;\n]")
_ADDRESS_OF_PERSON = re.compile(r"(?i)^(https?:|//|www\.)")


def plain_word(value: Any) -> str:
    """A plain value on one line; of one with parts, an author say, its name."""
    if isinstance(value, dict):
        value = value.get("name", "")
    if isinstance(value, dict | list):
        return ""
    return " ".join(str(value if value is not None else "").split())[:MAX_VALUE_CHARS]


def plain_words(value: Any) -> list[str]:
    """The values of a list; those of a line are parted by commas."""
    items = value if isinstance(value, list) else plain_word(value).split(",")
    return [word for item in items[:MAX_TAGS] if (word := plain_word(item))]


def joined_authors(values: Iterable[Any]) -> str:
    """Names that people have, each once, parted by commas; no addresses, and no names of programs."""
    names = (plain_word(part) for value in values for part in plain_word(value).split(";"))
    people = (
        name for name in names if name and name.casefold() not in _PROGRAMS and not _ADDRESS_OF_PERSON.match(name)
    )
    return ", ".join(dict.fromkeys(people))[:MAX_VALUE_CHARS]


def parted_tags(values: Iterable[Any]) -> tuple[str, ...]:
    """Tags, each once, of values in which several may stand, parted by commas or semicolons."""
    parts = (plain_word(part) for value in values for part in _PARTED.split(str(value or ""), MAX_TAGS))
    return tuple(dict.fromkeys(part for part in parts if part))[:MAX_TAGS]


def first_date(values: Iterable[Any]) -> str:
    """The first of the values that is a day or a moment, of a year in which somebody can have written it."""
    return next((found for value in values if (found := iso_date(value)) and found[:4] <= LAST_YEAR), "")


def iso_date(value: Any) -> str:
    """A day or a moment as ISO 8601 writes it; empty for what is none."""
    if isinstance(value, date):
        return value.isoformat()
    # As the lines above a mail have it: 2026-11-25 09:30 +0100.
    words = re.sub(r" (?=[+-]\d{4}$)", "", plain_word(value))
    for kind in (date, datetime):
        try:
            return kind.fromisoformat(words).isoformat()
        except ValueError:
            continue
    return ""

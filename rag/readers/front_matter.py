"""What a text says of itself before it begins: front matter of Markdown in YAML or TOML, and the lines above a mail."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Any

from rag.documents import Properties

_FRONT_FENCES = {"---": ("---", "..."), "+++": ("+++",)}
_MAX_LINES = 500
_MAX_TAGS = 100
_VALUE_CHARS = 200
_HEAD_CHARS = 10_000
_TAG_KEYS = ("tags", "tag", "keywords", "categories")
_DATE_KEYS = ("date", "published", "created", "updated")


def properties_of(text: str, media_type: str) -> Properties:
    """What is told of the author, the day, the tags and the language of a text; empty where nothing is."""
    if media_type == "text/markdown":
        values, _ = split_front_matter(text)
        return Properties(
            author=", ".join(_words(_first(values, ("author", "authors")))),
            published=_iso_date(_first(values, _DATE_KEYS)),
            tags=tuple(dict.fromkeys(_words(_first(values, _TAG_KEYS)))),
            language=_word(_first(values, ("lang", "language"))).partition("-")[0].partition("_")[0].lower(),
        )
    if media_type == "message/rfc822":
        # As the reader of mails writes them above the text.
        said = {name: value for name, _, value in (line.partition(": ") for line in text[:_HEAD_CHARS].split("\n", 4))}
        return Properties(author=said.get("From", "")[:_VALUE_CHARS], published=_iso_date(said.get("Date", "")))
    return Properties()


def split_front_matter(text: str) -> tuple[Mapping[str, Any], str]:
    """The values of the front matter and the text below it; no values where there is none that can be read."""
    opening, _, rest = text.removeprefix("\ufeff").partition("\n")
    ends = _FRONT_FENCES.get(opening.strip())
    if not ends:
        return {}, text
    lines = rest.split("\n", _MAX_LINES)
    place = next((number for number, line in enumerate(lines[:_MAX_LINES]) if line.rstrip() in ends), -1)
    if place < 0:
        return {}, text
    values = _parse_values("\n".join(lines[:place]), toml=opening.startswith("+"))
    if not isinstance(values, dict):
        # A paragraph between two rules.
        return {}, text
    return {str(key).lower(): value for key, value in values.items()}, "\n".join(lines[place + 1 :])


def _parse_values(code: str, toml: bool) -> Any:
    import yaml

    try:
        return tomllib.loads(code) if toml else yaml.safe_load(code)
    except (tomllib.TOMLDecodeError, yaml.YAMLError, ValueError):
        return None


def _first(values: Mapping[str, Any], keys: Iterable[str]) -> Any:
    return next((values[key] for key in keys if values.get(key)), "")


def _words(value: Any) -> list[str]:
    """The values of a list; those of a line are parted by commas."""
    items = value if isinstance(value, list) else _word(value).split(",")
    return [word for item in items[:_MAX_TAGS] if (word := _word(item))]


def _word(value: Any) -> str:
    """A plain value on one line; of one with parts, an author say, its name."""
    if isinstance(value, dict):
        value = value.get("name", "")
    if isinstance(value, dict | list):
        return ""
    return " ".join(str(value if value is not None else "").split())[:_VALUE_CHARS]


def _iso_date(value: Any) -> str:
    """A day or a moment as ISO 8601 writes it; empty for what is none."""
    if isinstance(value, date):
        return value.isoformat()
    # As the lines above a mail have it: 2026-11-25 09:30 +0100.
    words = re.sub(r" (?=[+-]\d{4}$)", "", _word(value))
    for kind in (date, datetime):
        try:
            return kind.fromisoformat(words).isoformat()
        except ValueError:
            continue
    return ""

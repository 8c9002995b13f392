"""What a text says of itself before it begins: front matter of Markdown in YAML or TOML, and the lines above a mail."""

import tomllib
from collections.abc import Iterable, Mapping
from typing import Any

from rag.documents import Properties
from rag.readers.properties.values import MAX_VALUE_CHARS, iso_date, plain_word, plain_words

_FRONT_FENCES = {"---": ("---", "..."), "+++": ("+++",)}
_MAX_LINES = 500
_HEAD_CHARS = 10_000
_TAG_KEYS = ("tags", "tag", "keywords", "categories")
_DATE_KEYS = ("date", "published", "created", "updated")


def properties_of(text: str, media_type: str) -> Properties:
    """What is told of the author, the day, the tags and the language of a text; empty where nothing is."""
    if media_type == "text/markdown":
        values, _ = split_front_matter(text)
        return Properties(
            author=", ".join(plain_words(_first(values, ("author", "authors")))),
            published=iso_date(_first(values, _DATE_KEYS)),
            tags=tuple(dict.fromkeys(plain_words(_first(values, _TAG_KEYS)))),
            language=plain_word(_first(values, ("lang", "language"))).partition("-")[0].partition("_")[0].lower(),
        )
    if media_type == "message/rfc822":
        # As the reader of mails writes them above the text.
        said = {name: value for name, _, value in (line.partition(": ") for line in text[:_HEAD_CHARS].split("\n", 4))}
        return Properties(author=said.get("From", "")[:MAX_VALUE_CHARS], published=iso_date(said.get("Date", "")))
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

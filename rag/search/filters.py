"""Filters of a search as users and models write them: `author=Ann`, `type=pdf`, `date=2026-01..2026-03`."""

import calendar
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import date, datetime
from typing import cast

from rag.documents import Origin
from rag.readers import named_type
from rag.stored import Filters
from utils.errors import ConfigError

FILTER_NAMES = ("author", "date", "kind", "language", "since", "source", "tag", "type", "until")
_ORIGIN_NAMES = ("file", "web", "snippet")
_VALUE = r"""(?:"([^"]{1,200})"|([^\s"]{1,200}))(?!\S)"""
_LEADING_FILTER = re.compile(rf"\s{{0,50}}({'|'.join(FILTER_NAMES)})={_VALUE}")
_FILTER_OPTION = re.compile(rf"(?<!\S)(?:--filter[ =]({'|'.join(FILTER_NAMES)})=|--(tag)[ =]){_VALUE}")
# What people call types beside the endings of their files.
_TYPE_NAMES = {"markdown": "text/markdown", "python": "text/x-python", "mail": "message/rfc822", "text": "text/plain"}


def take_filters(text: str) -> tuple[str, Filters]:
    """A question without the filters before it, `tag=birds`, or among it, `--tag birds`, and these.

    Raises `ConfigError`.
    """
    written = [f"{one[1] or one[2]}={one[3] or one[4]}" for one in _FILTER_OPTION.finditer(text)]
    text = _FILTER_OPTION.sub(" ", text)
    # Within a question such words are what is looked for: the argument date=None of a function.
    while one := _LEADING_FILTER.match(text):
        written.append(f"{one[1]}={one[2] or one[3]}")
        text = text[one.end() :]
    return " ".join(text.split()), parse_filters(written, Filters())


def parse_filters(written: Iterable[str], filters: Filters) -> Filters:
    """Filters with those that are written, each `name=value`, added; raises `ConfigError`."""
    for one in written:
        name, sign, value = (part.strip() for part in one.partition("="))
        if not sign or not value or name not in FILTER_NAMES:
            raise ConfigError(
                f"{one!r} is no filter.", f"Write one as author=Ann; there are {', '.join(FILTER_NAMES)}."
            )
        filters = _add_filter(filters, name, value)
    return filters


def _add_filter(filters: Filters, name: str, value: str) -> Filters:
    if name == "date":
        since, until = _date_range(value)
        return replace(filters, since=since, until=until)
    if name == "since":
        return replace(filters, since=_moment(value))
    if name == "until":
        return replace(filters, until=_moment(value, end=True))
    return _ADDED[name](filters, value)


def _date_range(value: str) -> tuple[str, str]:
    """The ends of a day, a month or a year, or from one to another: `2026-01..2026-03`, `2026..`."""
    first, between, last = value.partition("..")
    since = _moment(first) if first else ""
    if not between:
        return since, _moment(first, end=True)
    return since, _moment(last, end=True) if last else ""


def _origin(value: str) -> Origin:
    if value not in _ORIGIN_NAMES:
        raise ConfigError(f"There is no kind {value!r}.", f"There are {', '.join(_ORIGIN_NAMES)}.")
    return cast(Origin, value)


def _media_type(value: str) -> str:
    """The type of files with an ending, `pdf`, or a type as it is written, `application/pdf`."""
    kind = value if "/" in value else _TYPE_NAMES.get(value.lower()) or named_type(f"a.{value.lstrip('.')}")
    if not kind:
        raise ConfigError(
            f"There is no type {value!r}.", "Write the ending of its files, such as pdf, or a media type."
        )
    return kind


def _moment(value: str, *, end: bool = False) -> str:
    """The first moment of a year, a month or a day, or its last; a moment as it is; raises `ConfigError`."""
    year, month, day = (*value.split("-"), "", "")[:3]
    try:
        if not day and year.isascii() and year.isdecimal():
            last = calendar.monthrange(int(year), int(month or 12))[1]
            value = date(int(year), int(month or (12 if end else 1)), last if end else 1).isoformat()
        moment = datetime.fromisoformat(value)
    except ValueError as error:
        raise ConfigError(f"{value!r} is no date.", "Write it as 2026-11-25, 2026-11 or 2026.") from error
    return f"{value}T23:59:59" if end and len(value) == len("2026-11-25") else moment.isoformat()


_ADDED: dict[str, Callable[[Filters, str], Filters]] = {
    "author": lambda filters, value: replace(filters, authors=(*filters.authors, value)),
    "kind": lambda filters, value: replace(filters, origins=(*filters.origins, _origin(value))),
    "language": lambda filters, value: replace(filters, languages=(*filters.languages, value.lower())),
    "source": lambda filters, value: replace(filters, sources=(*filters.sources, value)),
    "tag": lambda filters, value: replace(filters, tags=(*filters.tags, value)),
    "type": lambda filters, value: replace(filters, media_types=(*filters.media_types, _media_type(value))),
}

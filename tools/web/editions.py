"""Beside a result of a year that is over, that of the same site which is of the present is opened: last year's prices
have the words of a question as well, and come first in a search now and then."""

import re
from collections.abc import Sequence
from datetime import date

from rag.search.rare_words import telling_words
from tools.web.fallback import SearchResult

SHARE_IN_COMMON = 0.5
"""Of the words of a title, the share that another edition has."""
_YEAR_NAMED = re.compile(r"(?<![\d(])(?:19|20)\d\d(?!\d)")
"""A year; one in brackets belongs to the name of a film."""
_OF_PAST = re.compile(r"\b(?:was|were|did|had|won|wrote|last)\b", re.IGNORECASE)
_SITE = re.compile(r" [|–—-] [^|–—]{2,60}$")
"""The name of the site behind that of the page."""


def with_present_editions(
    chosen: Sequence[SearchResult], results: Sequence[SearchResult], question: str, today: date | None = None
) -> list[SearchResult]:
    """The chosen results, the first one of a past year with the one of all `results` behind it that is likest to it by
    its title and is of none; as they are where the question names a year, or asks how it was."""
    year = (today or date.today()).year
    if _YEAR_NAMED.search(question) or _OF_PAST.search(question):
        return list(chosen)
    present = [result for result in results if not _is_past(result, year)]
    old = next((result for result in chosen if _is_past(result, year)), None)
    other = _likest(old, present) if old else None
    return [*chosen, other] if other and other not in chosen else list(chosen)


def _is_past(result: SearchResult, year: int) -> bool:
    years = [int(one) for one in _YEAR_NAMED.findall(result.title)]
    return bool(years) and max(years) < year


def _likest(result: SearchResult, others: Sequence[SearchResult]) -> SearchResult | None:
    """The result of the same folder of a site whose title has most words of that of another one."""
    folder, words = result.url.rpartition("/")[0], _words_of(result)
    shared = [(len(words & _words_of(one)), one) for one in others if one.url.rpartition("/")[0] == folder]
    most, likest = max(shared, key=lambda pair: pair[0], default=(0, None))
    return likest if most >= max(1, SHARE_IN_COMMON * len(words)) else None


def _words_of(result: SearchResult) -> frozenset[str]:
    """The words of a title without years, and without the name of the site at its end."""
    return telling_words(_YEAR_NAMED.sub(" ", _SITE.sub("", result.title)))

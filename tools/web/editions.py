"""Beside a result of a year that is over, that of the same site which is of the present is opened: last year's prices
have the words of a question as well, and come first in a search now and then."""

import re
from collections.abc import Sequence
from datetime import date

from rag.search.rare_words import telling_words
from tools.web.fallback import SearchResult

MIN_WORDS_IN_COMMON = 2
"""Words that the titles of two editions have in common, at least."""
_YEAR_NAMED = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


def with_present_editions(
    chosen: Sequence[SearchResult], results: Sequence[SearchResult], question: str, today: date | None = None
) -> list[SearchResult]:
    """The chosen results, each of a past year behind the one of all `results` that is likest to it by its title and is
    of none; as they are where the question names a year."""
    year = (today or date.today()).year
    if _YEAR_NAMED.search(question):
        return list(chosen)
    present = [result for result in results if not _is_past(result, year)]
    found = list[SearchResult]()
    for result in chosen:
        if _is_past(result, year) and (other := _likest(result, present)):
            found.append(other)
        found.append(result)
    return list(dict.fromkeys(found))


def _is_past(result: SearchResult, year: int) -> bool:
    years = [int(one) for one in _YEAR_NAMED.findall(result.title)]
    return bool(years) and max(years) < year


def _likest(result: SearchResult, others: Sequence[SearchResult]) -> SearchResult | None:
    """The result of the same folder of a site whose title has most words of that of another one."""
    folder, words = result.url.rpartition("/")[0], telling_words(result.title)
    shared = [(len(words & telling_words(one.title)), one) for one in others if one.url.rpartition("/")[0] == folder]
    most, likest = max(shared, key=lambda pair: pair[0], default=(0, None))
    return likest if most >= MIN_WORDS_IN_COMMON else None

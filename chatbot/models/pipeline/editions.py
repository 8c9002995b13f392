"""Editions of one thing: last year's timetable beside this year's, told apart by the years in their titles."""

import re
from collections.abc import Sequence

from rag.rare_words import beginnings

ALIKE = 0.5
"""Of the words of the shorter of two titles, the share that editions of one thing have in common."""
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


def superseded(question: str, titles: Sequence[str]) -> list[bool]:
    """Which titles name an older edition of what another one names; none where the question says a year itself."""
    if _YEAR.search(question):
        return [False] * len(titles)
    known = [(_edition(title), beginnings(_YEAR.sub(" ", title))) for title in titles]
    return [
        bool(year) and any(later > year and _are_one(words, other) for later, other in known) for year, words in known
    ]


def _edition(title: str) -> int:
    return max(map(int, _YEAR.findall(title)), default=0)


def _are_one(words: frozenset[str], other: frozenset[str]) -> bool:
    return len(words & other) >= ALIKE * max(1, min(len(words), len(other)))

"""Addresses without end: calendars, filters, ids that never repeat, paths that go in circles.

Nothing that is on a page tells them from a page that is worth reading, but their number does.
"""

import re
from collections import Counter
from collections.abc import Iterable
from urllib.parse import unquote

from utils.network.addresses import parse_url

MAX_SEGMENTS = 20
"""Parts of a path that is gone after."""
MAX_REPEATS = 3
"""How often a part of a path may stand in it; a link that is relative by mistake adds one at each step."""
_ASCII_WORD = re.compile(r"[0-9A-Za-z]+")


def address_shape(address: str) -> str:
    """What an address has in common with those that only count on: a word with a digit in it is `#`, a query `?`."""
    path, mark, _ = parse_url(address).path.partition("?")
    return _ASCII_WORD.sub(lambda word: word[0] if word[0].isalpha() else "#", unquote(path, errors="replace")) + mark


def is_endless(address: str) -> bool:
    """Whether a path is so long, or repeats itself so often, that nobody wrote it."""
    segments = [part for part in parse_url(address).path.partition("?")[0].split("/") if part]
    return len(segments) > MAX_SEGMENTS or max(Counter(segments).values(), default=0) > MAX_REPEATS


class SimilarAddresses:
    """Counts addresses of one shape, and lets so many pass."""

    def __init__(self, limit: int, seen: Iterable[str] = ()) -> None:
        self._limit = limit
        self._counts = Counter(map(address_shape, seen))

    def admit(self, address: str) -> bool:
        """Whether an address may be asked for; it is counted. One of a shape of its own always may."""
        shape = address_shape(address)
        if "#" not in shape and "?" not in shape:
            return True
        self._counts[shape] += 1
        return self._counts[shape] <= self._limit

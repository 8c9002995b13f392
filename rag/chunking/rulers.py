"""How long a stretch of a text is, and how far a length reaches; in characters or in tokens."""

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from functools import cache
from typing import Protocol

# What is measured in tokens: a word with the space after it; what has no spaces is measured in parts.
_MEASURED_WORD = re.compile(r"\s*\S{1,16}\s*")


class Ruler(Protocol):
    """Measures one text; places are offsets in characters."""

    def measure_length(self, start: int, end: int) -> int:
        """The length between two places."""
        ...

    def reach_forward(self, start: int, length: int) -> int:
        """The last place that is no farther from `start`, though always one after it."""
        ...

    def reach_back(self, end: int, length: int) -> int:
        """The first place from which it is no farther to `end`."""
        ...


class CharacterRuler:
    """Every character counts one."""

    def measure_length(self, start: int, end: int) -> int:
        """The length between two places."""
        return end - start

    def reach_forward(self, start: int, length: int) -> int:
        """The last place within that length."""
        return start + length

    def reach_back(self, end: int, length: int) -> int:
        """The first place within that length."""
        return max(0, end - length)


class TokenRuler:
    """Counts tokens word by word: a tokenizer's count of the whole is hardly ever more."""

    def __init__(self, text: str, measure: Callable[[str], int]) -> None:
        count = cache(measure)
        self._places = array("q", [0])
        self._tokens = array("q", [0])
        for word in _MEASURED_WORD.finditer(text):
            self._places.append(word.end())
            self._tokens.append(self._tokens[-1] + count(word[0]))

    def measure_length(self, start: int, end: int) -> int:
        """Tokens of the words that stand wholly or partly between two places."""
        return self._tokens[bisect_left(self._places, end)] - self._tokens[bisect_right(self._places, start) - 1]

    def reach_forward(self, start: int, length: int) -> int:
        """The end of the last word within that many tokens, of the first one where none is."""
        first = bisect_right(self._places, start) - 1
        last = bisect_right(self._tokens, self._tokens[first] + length) - 1
        return self._places[min(max(last, first + 1), len(self._places) - 1)]

    def reach_back(self, end: int, length: int) -> int:
        """The beginning of the first word within that many tokens."""
        last = bisect_left(self._places, end)
        return self._places[min(bisect_left(self._tokens, self._tokens[last] - length), last)]

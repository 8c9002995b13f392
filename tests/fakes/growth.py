"""How the time of what is done with a text grows, told by lengths so far apart that a busy machine changes nothing."""

import time
from collections.abc import Callable
from typing import Any

LENGTHS = (250, 1_000, 4_000, 16_000)
"""Characters of the texts that are tried, from short to long: what grows with a higher power would take hours."""
APART = 2
"""Lengths from one that is compared to the next: texts of which one is 16 times as long as the other."""
MOST = 64
"""Times as long that it may take: 16 where time grows with the text, 256 with its square. A busy machine doubles it."""
NOISE = 0.0015
"""Seconds below which a measurement says nothing; the square of the longest text takes a hundred times as long."""
TOO_LONG = 2.0
"""Seconds at which it is not tried with a longer text: the longest takes some milliseconds."""


def grows_too_fast(use: Callable[[str], Any], unit: str, before: str = "") -> bool:
    """Whether what a use takes grows faster than the text that repeats a unit, where that can be measured."""
    texts = [before + unit * (length // len(unit) + 1) + "\0" for length in LENGTHS]
    for shorter, longer in zip([""] * APART + texts[:-APART], texts, strict=True):
        taken = _seconds(use, longer)
        if taken > TOO_LONG:
            return True
        if shorter and taken > NOISE:
            most = max(NOISE, MOST * _fastest(use, shorter))
            # The longer text is what takes the time: where one measurement clears it, there are no others.
            if taken > most and _fastest(use, longer) > most:
                return True
    return False


def _fastest(use: Callable[[str], Any], text: str) -> float:
    return min(_seconds(use, text) for _ in range(3))


def _seconds(use: Callable[[str], Any], text: str) -> float:
    begun = time.thread_time()
    use(text)
    return time.thread_time() - begun

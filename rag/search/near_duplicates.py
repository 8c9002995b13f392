"""Recognises texts that say nearly the same in nearly the same letters; pure."""

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz

# Two texts of 500 characters that differ in a word or two are above 95; neighbouring chunks with their shared
# 100 characters stay below 60.
SAME_EDIT_SIMILARITY = 92.0
PAIR_BUCKETS = 256
"""Counters for pairs of letters: of 80,000 pairs of different chunks 20 were compared by letters, with 128 4,000."""


class NearDuplicateFilter:
    """Remembers texts, and recognises near-duplicates: an edit similarity of at least 92 %.

    Every letter that is put in or taken out changes at most three of a text's pairs of letters. So texts whose pairs
    differ by more are not the same, which is known for all texts at once, in a fiftieth of the time.
    """

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._pairs = np.zeros((32, PAIR_BUCKETS), np.int16)

    def seen_before(self, text: str) -> bool:
        """Whether this was said; from now on it was."""
        words = " ".join(text.casefold().split())
        pairs = pairs_of(words)
        count = len(self._texts)
        differences = np.abs(self._pairs[:count] - pairs).sum(axis=1)
        lengths = np.fromiter(map(len, self._texts), np.int64, count) + len(words)
        near = np.flatnonzero(differences <= 3 * (1 - SAME_EDIT_SIMILARITY / 100) * lengths)
        if any(fuzz.ratio(words, self._texts[i], score_cutoff=SAME_EDIT_SIMILARITY) for i in near):
            return True
        if count == len(self._pairs):
            self._pairs = np.concatenate([self._pairs, np.zeros_like(self._pairs)])
        self._pairs[count] = pairs
        self._texts.append(words)
        return False


def pairs_of(text: str) -> NDArray[np.int16]:
    """How often each pair of neighbouring letters is in a text; some pairs are counted together."""
    letters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    return np.bincount((letters[:-1] * 31 + letters[1:]) % PAIR_BUCKETS, minlength=PAIR_BUCKETS).astype(np.int16)

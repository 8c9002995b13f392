"""The order and the choice of passages: fusion of rankings, near-duplicates, neighbours; pure."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz

from rag.documents import Passage

Floats = NDArray[np.float64]

# Two texts of 500 characters that differ in a word or two are above 95; neighbouring chunks with their shared
# 100 characters stay below 60.
SAME_EDIT_SIMILARITY = 92.0
PAIR_BUCKETS = 256
"""Counters for pairs of letters: of 80,000 pairs of different chunks 20 were compared by letters, with 128 4,000."""
RRF = 60
"""The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009)."""


def fill_missing(scores: Floats, missing: float) -> Floats:
    """The scores, with those that are not known in the place of nan."""
    return np.where(np.isnan(scores), missing, scores)


def standardise_scores(scores: Floats) -> Floats:
    """The scores with a mean of 0 and a deviation of 1, or all 0 where they are the same."""
    return np.asarray((scores - scores.mean()) / (scores.std() or 1.0))


def fuse_ranks(scores: Sequence[tuple[Floats, float]]) -> Floats:
    """Reciprocal rank fusion: the weighted sum of 1 / (RRF + rank) over the lists that have a candidate."""
    total = np.zeros(len(scores[0][0]))
    for values, weight in scores:
        order = np.argsort(-values, kind="stable")
        ranks = np.empty(len(values))
        ranks[order] = np.arange(1, len(values) + 1)
        total += np.where(np.isnan(values), 0.0, weight / (RRF + ranks))
    return total


def distinct_passages(passages: Iterable[Passage], per_document: int) -> Iterator[Passage]:
    """The passages in their order: near-duplicates once, so many of a document."""
    taken = Counter[str]()
    said = NearDuplicateFilter()
    for passage in passages:
        if taken[passage.source] < per_document and not said.seen_before(passage.text):
            taken[passage.source] += 1
            yield passage


def join_neighbours(passages: Iterable[Passage], limit: int) -> list[Passage]:
    """The first `limit` of the passages, neighbours joined; no more of them are looked at than that takes."""
    kept: list[Passage] = []
    for passage in passages:
        if not join_to_kept(kept, passage):
            kept.append(passage)
        if len(kept) > limit:
            break
    return kept[:limit]


def join_to_kept(kept: list[Passage], passage: Passage) -> bool:
    """Whether the passage touches one that is kept, which then takes it in and stays where it stands."""
    for place, other in enumerate(kept):
        touching = other.source == passage.source and abs(other.chunk_index - passage.chunk_index) == 1
        if touching and (whole := join_passages(other, passage)) is not None:
            kept[place] = whole
            return True
    return False


def join_passages(first: Passage, second: Passage) -> Passage | None:
    """Two neighbours as one passage, with the better one's similarity; None where one was joined already or a gap is
    left between them.
    """
    begin, end = sorted((first, second), key=lambda p: p.chunk_index)
    shared = begin.end - end.start
    if begin.end == 0 or shared < 0 or begin.heading != end.heading:
        return None
    text = begin.text + end.text[shared:]
    return replace(
        first,
        text=text,
        start=begin.start,
        end=max(begin.end, end.end),
        chunk_index=begin.chunk_index,
        similarity=max(first.similarity, second.similarity),
    )


def collapse_duplicates(passages: Iterable[Passage]) -> list[Passage]:
    """The passages in their order, near-duplicates once."""
    said = NearDuplicateFilter()
    return [passage for passage in passages if not said.seen_before(passage.text)]


class NearDuplicateFilter:
    """Texts, and whether one of them says in nearly the same letters what another does.

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

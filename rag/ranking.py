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
SAME = 92.0
APART = 0.15
"""Difference of two cosines with a question beyond which two texts are not compared by their letters."""
RRF = 60
"""The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009)."""
PER_DOCUMENT = 3
"""Passages of one document in a result."""


def fuse_scores(scores: Sequence[tuple[Floats, float]]) -> Floats:
    """Weighted sum of standardised scores, each list of the same candidates, nan where one was not found by it.

    What a list does not have counts as its least score. Weights need not sum to 1.
    """
    total = np.zeros(len(scores[0][0]))
    for values, weight in scores:
        known = values[~np.isnan(values)]
        if weight and len(known):
            filled = np.where(np.isnan(values), known.min(), values)
            total += weight * (filled - filled.mean()) / (filled.std() or 1.0)
    return total


def fuse_ranks(scores: Sequence[tuple[Floats, float]]) -> Floats:
    """Reciprocal rank fusion: the weighted sum of 1 / (RRF + rank) over the lists that have a candidate."""
    total = np.zeros(len(scores[0][0]))
    for values, weight in scores:
        order = np.argsort(-values, kind="stable")
        ranks = np.empty(len(values))
        ranks[order] = np.arange(1, len(values) + 1)
        total += np.where(np.isnan(values), 0.0, weight / (RRF + ranks))
    return total


def choose(passages: Iterable[Passage], limit: int, per_document: int = PER_DOCUMENT) -> list[Passage]:
    """The best of the passages in their order: near-duplicates once, so many of a document, neighbours joined."""
    taken = Counter[str]()
    kept: list[Passage] = []
    for passage in distinct(passages):
        if taken[passage.source] >= per_document:
            continue
        taken[passage.source] += 1
        if not joined(kept, passage):
            kept.append(passage)
        if len(kept) > limit:
            break
    return kept[:limit]


def joined(kept: list[Passage], passage: Passage) -> bool:
    """Whether the passage touches one that is kept, which then takes it in and stays where it stands."""
    for place, other in enumerate(kept):
        touching = other.source == passage.source and abs(other.chunk_index - passage.chunk_index) == 1
        if touching and (whole := join(other, passage)) is not None:
            kept[place] = whole
            return True
    return False


def join(first: Passage, second: Passage) -> Passage | None:
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


def collapse(passages: Iterable[Passage]) -> list[Passage]:
    """The passages in their order, near-duplicates once."""
    return list(distinct(passages))


def distinct(passages: Iterable[Passage]) -> Iterator[Passage]:
    """Those of the passages that do not say what one before them says in nearly the same letters."""
    kept: list[tuple[str, float]] = []
    for passage in passages:
        words = " ".join(passage.text.casefold().split())
        # Texts so near to each other are nearly as near to the question.
        near = (other for other, cosine in kept if abs(cosine - passage.similarity) < APART)
        if all(fuzz.ratio(words, other, score_cutoff=SAME) == 0 for other in near):
            kept.append((words, passage.similarity))
            yield passage

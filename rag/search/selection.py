"""The order and the choice of passages: fusion of rankings, near-duplicates, neighbours; pure."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from rag.documents import Passage
from rag.search.near_duplicates import NearDuplicateFilter

Floats = NDArray[np.float64]
_Ranked = TypeVar("_Ranked")

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


def interleave(rankings: Sequence[Sequence[_Ranked]]) -> list[_Ranked]:
    """The first of each ranking, then the second of each, and so on."""
    longest = max(map(len, rankings), default=0)
    return [ranking[rank] for rank in range(longest) for ranking in rankings if rank < len(ranking)]


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

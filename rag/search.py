"""A search: candidates by words and by meaning are fused, and what is not relevant is left out."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from rag.documents import Passage, contextual
from rag.feed import Filters, StoredChunk
from rag.ranking import RRF, Floats, distinct, fuse_ranks, fuse_scores
from rag.settings import RagSettings
from rag.words import terms

Mode = Literal["bm25", "vector", "hybrid"]

DEPTH = 100
"""Candidates that each side names at least."""
WHOLE = 0.5
"""Share of the words' weight that whole documents have, the rest being that of chunks: Cranfield nDCG@10 .557 for
.551 without, XQuAD-en .983 for .982."""
OWN = 2.0
"""Weight of the question itself where other wordings are searched beside it, each of them having 1."""
READ_AT_ONCE = 24
"""Chunks that are read together: most searches want the first few of some 200 candidates."""
COVERED = 0.5
"""Weight of the words that a passage has of a question beside the cosine, in whether it is relevant."""


@dataclass(frozen=True)
class SearchOptions:
    """How a search is made; what is None or empty is as the settings say."""

    mode: Mode | None = None
    min_similarity: float | None = None
    """Cosine below which passages are left out, in every mode but `bm25`."""
    filters: Filters = field(default_factory=Filters)
    collections: tuple[str, ...] = ()
    relevant_only: bool = True
    """Leave out what is not about the question; without it the least bad comes as well."""
    per_document: int | None = None
    """Passages of one document at most; unset: 3, all where `filters` name sources."""
    also: tuple[str, ...] = ()
    """Other wordings of the question, which are searched beside it; what they find is fused by rank."""
    reranked: bool = True
    """Let the reranker, where there is one, judge what is found."""


@dataclass(frozen=True)
class Candidate:
    """A chunk that one side or the other found, not read yet; a score is nan where it has none."""

    chunk: int
    collection: str
    cosine: float
    words: float
    """BM25 of the chunk."""
    whole: float
    """BM25 of its document."""
    wording: "Wording"
    read: Callable[[Sequence[int]], Mapping[int, StoredChunk]]
    """Reads those of the chunks with these ids that still exist."""


@dataclass(frozen=True)
class Wording:
    """The words of a question, and how rare each of them is in a collection."""

    question: str
    rarity: Mapping[str, float]
    """Inverse document frequency by term."""
    asked: dict[str, tuple[set[str], float]] = field(default_factory=dict)
    """By language, as far as it was needed."""

    def covered(self, chunk: StoredChunk) -> float:
        """The share of the words that stand in a chunk, each counted by its rarity; 0 to 1."""
        asked, total = self._asked(chunk.language)
        there = asked.intersection(terms(contextual(chunk.title, chunk.heading, chunk.text), chunk.language))
        return sum(self.rarity.get(term, 0.0) for term in there) / total if total else 0.0

    def _asked(self, language: str) -> tuple[set[str], float]:
        """The terms of the question in a language, and how much they weigh together."""
        if language not in self.asked:
            asked = set(terms(self.question, language))
            self.asked[language] = asked, sum(self.rarity.get(term, 0.0) for term in asked)
        return self.asked[language]


def rank(candidates: Sequence[Candidate], mode: Mode, settings: RagSettings) -> list[tuple[Candidate, float]]:
    """The candidates with their fused scores, best first."""
    if not candidates:
        return []
    meaning, words, whole = (column(candidates, name) for name in ("cosine", "words", "whole"))
    weight = {"bm25": 0.0, "vector": 1.0, "hybrid": settings.vector_weight}[mode]
    if mode == "vector":
        scores = np.nan_to_num(meaning, nan=-1.0)
    elif settings.fusion == "ranks":
        scores = fuse_ranks([(meaning, weight), (words, 1 - weight)])
    else:
        scores = fuse_scores([(meaning, weight), (words, (1 - weight) * (1 - WHOLE)), (whole, (1 - weight) * WHOLE)])
    order = np.argsort(-scores, kind="stable")
    return [(candidates[i], float(scores[i])) for i in order]


def column(candidates: Sequence[Candidate], name: str) -> Floats:
    """One score of all candidates."""
    return np.array([getattr(candidate, name) for candidate in candidates], dtype=np.float64)


def passes(candidate: Candidate, chunk: StoredChunk, mode: Mode, options: SearchOptions, settings: RagSettings) -> bool:
    """Whether a candidate is near enough; an exact rare word makes up for a low cosine."""
    cosine = 0.0 if np.isnan(candidate.cosine) else candidate.cosine
    if mode != "bm25" and options.min_similarity is not None:
        return cosine >= options.min_similarity
    if not options.relevant_only or mode == "bm25":
        return True
    if mode == "vector":
        return cosine >= settings.min_similarity
    wanting = settings.relevance_floor - cosine
    if not 0 < wanting <= COVERED:
        # The words need not be looked at, which takes longer than all the rest.
        return wanting <= 0
    return COVERED * candidate.wording.covered(chunk) >= wanting


def rank_together(
    wordings: Sequence[Sequence[Candidate]], mode: Mode, settings: RagSettings
) -> list[tuple[list[Candidate], float]]:
    """Each chunk as the wordings of a question found it, with its score, best first; the question itself is the first.

    One wording keeps its scores; the ranks of several are fused.
    """
    rankings = [rank(candidates, mode, settings) for candidates in wordings]
    if len(rankings) == 1:
        return [([candidate], score) for candidate, score in rankings[0]]
    same: dict[tuple[str, int], list[Candidate]] = {}
    scores: dict[tuple[str, int], float] = {}
    for number, ranking in enumerate(rankings):
        for place, (candidate, _) in enumerate(ranking, 1):
            key = (candidate.collection, candidate.chunk)
            same.setdefault(key, []).append(candidate)
            scores[key] = scores.get(key, 0.0) + (1.0 if number else OWN) / (RRF + place)
    return [(same[key], scores[key]) for key in sorted(scores, key=lambda key: -scores[key])]


def select(
    wordings: Sequence[Sequence[Candidate]], limit: int, mode: Mode, options: SearchOptions, settings: RagSettings
) -> Iterator[Passage]:
    """What each wording of a question has found and is relevant, best first: copies once, so many of a document.

    Looked at one by one, so that few more of them are read than are wanted.
    """
    found = (
        passage_of(same[0], chunk, score)
        for same, chunk, score in read_in_order(rank_together(wordings, mode, settings))
        if any(passes(candidate, chunk, mode, options, settings) for candidate in same)
    )
    asked = options.per_document or (limit if options.filters.sources else settings.per_document)
    yield from distinct(found, asked)


def read_in_order(
    ranked: Sequence[tuple[list[Candidate], float]],
) -> Iterator[tuple[list[Candidate], StoredChunk, float]]:
    """The candidates with their chunks, which are read some at a time; without those that are gone by now."""
    for start in range(0, len(ranked), READ_AT_ONCE):
        block = ranked[start : start + READ_AT_ONCE]
        wanted: dict[str, list[Candidate]] = {}
        for same, _ in block:
            wanted.setdefault(same[0].collection, []).append(same[0])
        chunks = {name: group[0].read([one.chunk for one in group]) for name, group in wanted.items()}
        for same, score in block:
            chunk = chunks[same[0].collection].get(same[0].chunk)
            if chunk is not None:
                yield same, chunk, score


def passage_of(candidate: Candidate, chunk: StoredChunk, score: float) -> Passage:
    """The chunk as a search hands it out."""
    return Passage(
        text=chunk.text,
        source=chunk.source,
        title=chunk.title,
        origin=chunk.origin,
        chunk_index=chunk.index,
        total_chunks=chunk.total,
        similarity=0.0 if np.isnan(candidate.cosine) else candidate.cosine,
        fetched=chunk.fetched,
        media_type=chunk.media_type,
        heading=chunk.heading,
        start=chunk.start,
        end=chunk.end,
        score=score,
        collection=candidate.collection,
    )

"""A search: candidates by words and by meaning are fused, and what is not relevant is left out."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from rag.documents import Passage
from rag.search.selection import RRF, Floats, distinct_passages, fill_missing, fuse_ranks
from rag.settings import RagSettings
from rag.stored import Filters, StoredChunk

if TYPE_CHECKING:
    from rag.search.reranking import Reranking

Mode = Literal["bm25", "vector", "hybrid"]

SEARCH_DEPTH = 60
"""Candidates that each side names at least. With 100 a search takes 2 ms longer and finds no better: of ten passages,
Cranfield nDCG@10 .555 for .556, XQuAD-en .985 for .985."""
WHOLE_TEXT_WEIGHT = 0.5
"""Share of the words' weight that whole documents have, the rest being that of chunks: BM25 nDCG@10 .630 for .619
without over seven collections. With .65 hybrid has .001 more over twelve, and chroma-chunking recall .807 for .811."""
WORDS_WEIGHT = 0.28
"""What words weigh beside cosines of the same weight. With .24 to .37 hybrid is better than either side on each of
twelve collections; chosen on any eleven it is so on the twelfth; and of these .28 finds most of XQuAD-en."""
UNREAD = 0.1
"""Weight of meaning at most for a question that the embedding model cannot read. Of questions in eight languages
nDCG@10 is .909 by BM25, .380 by MiniLM and .911 by both so; anything from .03 to .22 differs by .002."""
OWN_WEIGHT = 2.0
"""Weight of the question itself where other wordings are searched beside it, each of them having 1."""
READ_AT_ONCE = 8
"""Chunks that are read together at least: most searches want the first few of some 100."""
COVERED_WEIGHT = 0.45
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
    reranking: "Reranking | None" = None
    """Judges in the place of the library's own."""


@dataclass(frozen=True)
class Candidates:
    """The chunks that a collection has for a question, not read yet; a score is nan where a chunk has none."""

    collection: str
    chunks: Sequence[int]
    cosines: Floats
    """Of the chunks, in their order, as the next two."""
    words: Floats
    """BM25 of each chunk, with that of a chunk of usual length that has each of the question's words once as 1."""
    whole: Floats
    """BM25 of its document, in the same measure."""
    read: Callable[[Sequence[int]], Mapping[int, StoredChunk]]
    """Reads those of the chunks with these ids that still exist."""
    exact: NDArray[np.bool_]
    """Whether each has what is to be found exactly: a code, or the only word of the question."""
    least: tuple[float, float]
    """BM25 that a chunk and a document that words did not find can have at most, in the same measure."""
    count: int = 1
    """Words of the question that were looked up."""
    legible: bool = True
    """Whether the model that made the vectors knows the language of the question."""

    def spoken_scores(self) -> Floats:
        """BM25 of each chunk and of its document together, in a measure that long and short questions share.

        Of the words of a long question every passage has a small share. As the length of a sum of different directions
        grows with the root of their number, so does what the same share means.
        """
        of_chunks, of_documents = fill_missing(self.words, self.least[0]), fill_missing(self.whole, self.least[1])
        return math.sqrt(self.count) * ((1 - WHOLE_TEXT_WEIGHT) * of_chunks + WHOLE_TEXT_WEIGHT * of_documents)


@dataclass(frozen=True)
class RankedCandidate:
    """A candidate in its place."""

    found: Candidates
    chunk: int
    cosine: float
    score: float
    """Fused; the higher, the better."""
    relevant: bool
    exact: bool
    """Whether it has what is to be found exactly."""


def rank_candidates(
    found: Sequence[Candidates], mode: Mode, options: SearchOptions, settings: RagSettings
) -> Iterator[RankedCandidate]:
    """The candidates of all collections in their order, best first."""
    owners = [group for group in found for _ in group.chunks]
    if not owners:
        return
    chunks = [chunk for group in found for chunk in group.chunks]
    meaning = np.concatenate([group.cosines for group in found])
    words = np.concatenate([group.words for group in found])
    exact = np.concatenate([group.exact for group in found]) & (mode != "vector")
    scores = fuse_scores(found, meaning, words, weight_of_meaning(found, mode, settings), settings)
    # What is to be found exactly comes before all else, in the order that it has by itself.
    scores += exact * (np.ptp(scores) + 1.0)
    relevant = judge_relevance(meaning, words, mode, options, settings) | (exact & (options.min_similarity is None))
    for i in np.argsort(-scores, kind="stable").tolist():
        yield RankedCandidate(
            owners[i], chunks[i], float(meaning[i]), float(scores[i]), bool(relevant[i]), bool(exact[i])
        )


def weight_of_meaning(found: Sequence[Candidates], mode: Mode, settings: RagSettings) -> float:
    """The weight of the cosines, that of the words being what is left to 1."""
    if mode != "hybrid":
        return float(mode == "vector")
    return settings.vector_weight if all(group.legible for group in found) else min(settings.vector_weight, UNREAD)


def fuse_scores(
    found: Sequence[Candidates], meaning: Floats, words: Floats, weight: float, settings: RagSettings
) -> Floats:
    """One score for what each of the candidates has of the meaning and of the words."""
    if settings.fusion == "ranks" and weight < 1:
        return fuse_ranks([(meaning, weight), (words, 1 - weight)])
    near = fill_missing(meaning, float(meaning[~np.isnan(meaning)].min(initial=1.0)))
    said = np.concatenate([group.spoken_scores() for group in found])
    return weight * near + (1 - weight) * WORDS_WEIGHT * said


def judge_relevance(
    meaning: Floats, covered: Floats, mode: Mode, options: SearchOptions, settings: RagSettings
) -> NDArray[np.bool_]:
    """Whether each of the candidates is near enough; an exact rare word makes up for a low cosine.

    `meaning` are cosines, `covered` is the BM25 with all of the question's words as 1; nan where they are not known.
    """
    cosine = np.nan_to_num(meaning, nan=0.0)
    if mode != "bm25" and options.min_similarity is not None:
        return cosine >= options.min_similarity
    if not options.relevant_only or mode == "bm25":
        return np.ones(len(cosine), np.bool_)
    if mode == "vector":
        return cosine >= settings.min_similarity
    return cosine + COVERED_WEIGHT * np.minimum(1.0, np.nan_to_num(covered, nan=0.0)) >= settings.relevance_floor


def rank_together(rankings: Sequence[Iterator[RankedCandidate]]) -> Iterator[RankedCandidate]:
    """The rankings of each wording of a question as one; the question itself is the first.

    One wording keeps its scores; the ranks of several are fused. What is relevant to one of them is relevant.
    """
    if len(rankings) == 1:
        yield from rankings[0]
        return
    same: dict[tuple[str, int], list[RankedCandidate]] = {}
    scores: dict[tuple[str, int], float] = {}
    for number, ranking in enumerate(rankings):
        for place, ranked in enumerate(ranking, 1):
            key = (ranked.found.collection, ranked.chunk)
            same.setdefault(key, []).append(ranked)
            scores[key] = scores.get(key, 0.0) + (1.0 if number else OWN_WEIGHT) / (RRF + place)
            # What the question itself asks for exactly comes first whatever the others find.
            scores[key] += float(ranked.exact and not number)
    for key in sorted(scores, key=lambda key: -scores[key]):
        yield replace(same[key][0], score=scores[key], relevant=any(ranked.relevant for ranked in same[key]))


def select_passages(
    wordings: Sequence[Sequence[Candidates]], limit: int, mode: Mode, options: SearchOptions, settings: RagSettings
) -> Iterator[Passage]:
    """What each wording of a question has found and is relevant, best first: copies once, so many of a document.

    Few more of them are read than are wanted.
    """
    together = rank_together([rank_candidates(found, mode, options, settings) for found in wordings])
    relevant = (ranked for ranked in together if ranked.relevant)
    # One more tells that there is nothing left to be joined to the last one.
    passages = read_in_order(relevant, max(READ_AT_ONCE, limit + 1))
    asked = options.per_document or (limit if options.filters.sources else settings.per_document)
    yield from distinct_passages(passages, asked)


def read_in_order(ranking: Iterator[RankedCandidate], at_once: int) -> Iterator[Passage]:
    """The candidates as passages, so many read at once; without those that are gone by now."""
    while block := list(islice(ranking, at_once)):
        wanted: dict[str, list[RankedCandidate]] = {}
        for ranked in block:
            wanted.setdefault(ranked.found.collection, []).append(ranked)
        chunks = {name: group[0].found.read([one.chunk for one in group]) for name, group in wanted.items()}
        for ranked in block:
            chunk = chunks[ranked.found.collection].get(ranked.chunk)
            if chunk is not None:
                yield passage_of(ranked, chunk)


def passage_of(ranked: RankedCandidate, chunk: StoredChunk) -> Passage:
    """The chunk as a search hands it out."""
    return Passage(
        text=chunk.text,
        source=chunk.source,
        title=chunk.title,
        origin=chunk.origin,
        chunk_index=chunk.index,
        total_chunks=chunk.total,
        similarity=0.0 if np.isnan(ranked.cosine) else ranked.cosine,
        fetched=chunk.fetched,
        media_type=chunk.media_type,
        heading=chunk.heading,
        start=chunk.start,
        end=chunk.end,
        score=ranked.score,
        collection=ranked.found.collection,
    )

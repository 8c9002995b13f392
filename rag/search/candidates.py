"""What the words and the meaning of a question find in one collection, both looked up at once."""

import asyncio
import math
import re
from collections.abc import Callable, Coroutine, Mapping, Sequence, Set
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from rag.backend import ChunkFeed, StoredDocuments, StoredVectors
from rag.documents import Passage, contextual_text
from rag.embedding.base import Embedder, Made, Vectors, whole
from rag.indexes.exact import Hits
from rag.indexes.index_owner import IndexOwner
from rag.search.query_terms import QueryTerms, read_question
from rag.search.search import Candidates, Mode
from rag.search.tokenization import DEFAULT
from rag.stored import Filters, StoredChunk
from utils.errors import LibraryError

# Keyword hits that are looked through where only some documents are wanted.
FILTERED = 10_000
RARE = 10
"""Documents that may have what is asked for by itself so that they come first: what a first page shows."""
HELD = 200
"""Chunks that are read at most to see whether they say what is asked for by itself."""


def closed_error() -> LibraryError:
    """What to tell of a search that came too late."""
    return LibraryError("The collection was closed while it was searched.", "Ask again.")


@dataclass(frozen=True)
class Question:
    """What is looked for: its words and, where meaning counts, its vector, which may still be made."""

    text: str
    depth: int
    """Candidates that each side names."""
    filters: Filters
    vectors: asyncio.Future[Vectors] | None = None
    """Of all the questions that are embedded together."""
    row: int = 0
    """Which of these is its own."""
    legible: asyncio.Future[bool] | None = None
    """Whether the model knows the language, without which the vector says little; unset: it does."""

    async def wait_embedded(self) -> None:
        """Wait for the vector; raises `EmbedderUnavailable`."""
        if self.vectors is not None:
            await self.vectors
        if self.legible is not None:
            await self.legible


def make_questions(
    embedder: Embedder, texts: Sequence[str], depth: int, mode: Mode, filters: Filters
) -> list[Question]:
    """The questions of a search, embedded together in the background where it goes by meaning."""
    texts = [whole(text) for text in texts]
    if mode == "bm25" or not texts:
        return [Question(text, depth, filters) for text in texts]
    vectors = begin_task(embedder.embed_questions(texts))
    legible = [begin_task(embedder.reads_language(text)) if mode == "hybrid" else None for text in texts]
    return [Question(text, depth, filters, vectors, i, legible[i]) for i, text in enumerate(texts)]


def begin_task(work: Coroutine[Any, Any, Made]) -> "asyncio.Task[Made]":
    """The work under way: whoever waits for it is told of a failure; after Ctrl-C nobody does."""
    task = asyncio.ensure_future(work)
    task.add_done_callback(lambda done: done.cancelled() or done.exception())
    return task


@dataclass(frozen=True)
class KeywordHits:
    """What the words of a question find."""

    chunks: dict[int, float]
    """BM25 by chunk."""
    documents: dict[int, float]
    """BM25 by document."""
    owners: dict[int, int]
    """The documents of the chunks, and of the first chunks by which whole documents were found."""
    exact: Set[int]
    """Chunks that have what is to be found exactly."""
    least: tuple[float, float]
    """BM25 that no other chunk and no other document reaches."""
    asked: float
    """What the words weigh together: the BM25 of a chunk of usual length that has each of them once."""
    count: int
    """How many words these are."""
    allowed: Set[int] | None
    """The chunks that the filters let through, None where there are none."""
    removal: int
    """The newest removal before they were looked up."""


@dataclass(frozen=True)
class QueryHits:
    """What words and meaning find of a question."""

    candidates: Candidates
    lacking: bool
    """A chunk could not be found, as it is not embedded yet."""
    removal: int
    """The newest removal before it was looked for: chunks that others took the place of since may be missing."""


class CandidateSearch:
    """Asks the indexes of a collection."""

    def __init__(self, store: StoredDocuments, feed: ChunkFeed, keeper: IndexOwner, vectors: StoredVectors) -> None:
        self._store = store
        self._feed = feed
        self._keeper = keeper
        self._vectors = vectors
        self._beside = ThreadPoolExecutor(1, "words")

    def begin_search(self, question: Question) -> Callable[[], QueryHits]:
        """Look up the words in a thread of their own, while the question is still embedded; returns at once.

        What it returns finds the rest, once the question is embedded; it blocks, and may be called in any thread.
        """
        try:
            return partial(self._find_hits, question, self._beside.submit(self._by_words, question))
        except RuntimeError as error:
            raise closed_error() from error

    def _find_hits(self, question: Question, begun: Future[KeywordHits]) -> QueryHits:
        try:
            cosines, lacking = self._by_meaning(question, begun)
            words = begun.result()
        except CancelledError as error:
            raise closed_error() from error
        keys = list({**words.chunks, **cosines})
        owners = words.owners | self._feed.documents_of([key for key in keys if key not in words.owners])
        there = [key for key in keys if key in owners]
        found = Candidates(
            self._store.collection,
            there,
            np.array([cosines.get(key, math.nan) for key in there]),
            np.array([words.chunks.get(key, math.nan) for key in there]) / words.asked,
            np.array([words.documents.get(owners[key], math.nan) for key in there]) / words.asked,
            self._feed.read_chunks,
            np.array([key in words.exact for key in there], np.bool_),
            (words.least[0] / words.asked, words.least[1] / words.asked),
            words.count,
            question.legible is None or question.legible.result(),
        )
        return QueryHits(found, lacking, words.removal)

    def _by_words(self, question: Question) -> KeywordHits:
        """What the words of a question find, in all languages that documents are written in."""
        self._keeper.open_indexes(question.vectors is not None)
        removal = self._feed.last_removal()
        allowed = set(self._feed.matching_chunks(question.filters)) if question.filters else None
        asked = read_question(question.text, self._store.language_codes() or [DEFAULT])
        weights = asked.term_weights
        deep = question.depth if allowed is None else FILTERED
        (chunks, firsts, holding, rarity), _ = self._keeper.keywords.ask(
            lambda index: (
                index.chunks.query(weights, deep),
                index.documents.query(weights, deep),
                [index.chunks.query(words, HELD, every=True) for _, words in asked.exact],
                index.chunks.term_rarity(list(weights)),
            )
        )
        passing = [(key, score) for key, score in chunks if allowed is None or key in allowed][: question.depth]
        exact = {
            key: score for i, hits in enumerate(holding) for key, score in self._keep_rare(asked.exact[i][0], hits)
        }
        named = {key: score for key, score in exact.items() if allowed is None or key in allowed}
        # Of the chunks, and of the first chunks by which whole documents were found.
        owners = self._feed.documents_of(list({**named, **dict(passing + firsts)}))
        documents = {owners[key]: score for key, score in firsts if key in owners}
        weight, count = weigh_query(asked, rarity)
        least = (least_of(passing, question.depth), least_of(firsts, deep))
        return KeywordHits(
            named | dict(passing), documents, owners, named.keys(), least, weight, count, allowed, removal
        )

    def _keep_rare(self, text: str, hits: Hits) -> Hits:
        """Those of the chunks with all words of the text that have it as it stands, or all where none has; none where
        they are of more than `RARE` documents.
        """
        if len(hits) >= HELD:
            return []
        read = self._feed.read_chunks([key for key, _ in hits])
        hits = [(key, score) for key, score in hits if key in read]
        literal = re.compile(rf"(?<!\w){re.escape(text)}(?!\w)")
        hits = [hit for hit in hits if literal.search(whole_text(read[hit[0]]))] or hits
        return hits if len({read[key].source for key, _ in hits}) <= RARE else []

    def _by_meaning(self, question: Question, begun: Future[KeywordHits]) -> tuple[dict[int, float], bool]:
        """Cosines of the nearest chunks and of those that words find; whether a chunk has no vector yet."""
        if question.vectors is None:
            return {}, False
        vector = question.vectors.result()[question.row]
        if question.filters:
            words = begun.result()
            allowed = words.allowed or ()
            near = self._chunk_cosines(vector, sorted(allowed))
            best = sorted(near, key=lambda key: -near[key])[: question.depth]
            return {key: near[key] for key in {*best, *words.chunks} if key in near}, len(near) < len(allowed)
        nearest, lacking = self._nearest_chunks(vector, question.depth)
        worded = [chunk for chunk in begun.result().chunks if chunk not in nearest]
        return nearest | self._chunk_cosines(vector, worded), lacking

    def _nearest_chunks(self, vector: Vectors, limit: int) -> tuple[dict[int, float], bool]:
        """At most `limit` chunks with their cosines; whether a chunk has no vector yet."""
        hits, lacking, rough = self._keeper.nearest(vector, limit)
        near = dict(hits)
        # The cosines of a graph are near the truth, those of the kept vectors are the truth.
        return near | (self._chunk_cosines(vector, list(near)) if rough else {}), lacking

    def _chunk_cosines(self, vector: Vectors, chunks: Sequence[int]) -> dict[int, float]:
        """Of the chunks that are embedded, from the matrix unless it would have to be read for that."""
        matrix = self._keeper.matrix
        known = matrix.ask(lambda index: index.chunk_cosines(vector, chunks))[0] if matrix.used else {}
        missing = [chunk for chunk in chunks if chunk not in known]
        return {**known, **(self._vectors.chunk_similarities(vector, missing) if missing else {})}

    def close(self) -> None:
        """End the thread that words are looked up in; what it has not begun is not looked up any more. Blocks."""
        self._beside.shutdown(cancel_futures=True)

    @property
    def newest_removal(self) -> int:
        """The number of the newest removal of a chunk."""
        return self._feed.last_removal()


def whole_text(chunk: StoredChunk) -> str:
    """All that a chunk is found by, in small letters."""
    return contextual_text(chunk.title, chunk.heading, chunk.text).casefold()


def weigh_query(asked: QueryTerms, rarity: Mapping[str, float]) -> tuple[float, int]:
    """What the words of a question weigh together, and how many they are, in the language in which they weigh least.

    Stemmed as in a language in which hardly anything is written, words are rare that are not.
    """
    sums = [(sum(rarity.get(word, 0.0) * weight for word, weight in one.items()), len(one)) for one in asked.terms]
    return min((one for one in sums if one[0]), default=(1.0, 1))


def least_of(hits: Hits, limit: int) -> float:
    """The score that none of the others reaches: nothing where all were found that have any of the words."""
    return hits[-1][1] if len(hits) >= limit else 0.0


@dataclass(frozen=True)
class PassageSelection:
    """The passages that were taken of what collections have of a question."""

    passages: list[Passage]
    lacking: list[CandidateSearch]
    """Where chunks could not be found, as they are not embedded yet."""
    removed: bool
    """Chunks were removed meanwhile, and those that took their place may be missing."""


async def look_up(
    finders: Sequence[CandidateSearch],
    wordings: Sequence[Question],
    take: Callable[[Sequence[Sequence[Candidates]]], list[Passage]],
) -> PassageSelection:
    """Find what all of the collections have of each wording of a question; `take` gets that, in a thread."""
    begun = [[finder.begin_search(wording) for finder in finders] for wording in wordings]
    await asyncio.gather(*(wording.wait_embedded() for wording in wordings))

    def finish() -> PassageSelection:
        found = [[find() for find in each] for each in begun]
        passages = take([[one.candidates for one in each] for each in found])
        lacking = [finder for i, finder in enumerate(finders) if any(each[i].lacking for each in found)]
        newest = finders[0].newest_removal
        return PassageSelection(passages, lacking, any(one.removal != newest for each in found for one in each))

    return await asyncio.to_thread(finish)

"""What the words and the meaning of a question find in one collection, both looked up at once."""

import asyncio
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Mapping, Sequence, Set
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from rag.documents import Passage, contextual_text
from rag.embedding.base import Embedder, Made, Vectors, whole
from rag.indexes.exact import Hits
from rag.search.query_terms import QueryTerms
from rag.search.search import Candidates, Mode
from rag.stored import Filters, StoredChunk
from utils.errors import LibraryError

RARE = 10
"""Documents that may have what is asked for by itself so that they come first: what a first page shows."""
HELD = 200
"""Chunks that are read at most to see whether they say what is asked for by itself."""


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
    exact: Set[int]
    """Chunks that have what is to be found exactly."""
    least: tuple[float, float]
    """BM25 that no other chunk and no other document reaches."""
    asked: float
    """What the words weigh together: the BM25 of a chunk of usual length that has each of them once."""
    count: int
    """How many words these are."""

    def join_candidates(
        self,
        collection: str,
        cosines: Mapping[int, float],
        owners: Mapping[int, int],
        read: Callable[[Sequence[int]], Mapping[int, StoredChunk]],
        legible: bool,
    ) -> Candidates:
        """The chunks that words and meaning found and that still have a document, by `owners`."""
        there = [key for key in {**self.chunks, **cosines} if key in owners]
        return Candidates(
            collection,
            there,
            np.array([cosines.get(key, math.nan) for key in there]),
            np.array([self.chunks.get(key, math.nan) for key in there]) / self.asked,
            np.array([self.documents.get(owners[key], math.nan) for key in there]) / self.asked,
            read,
            np.array([key in self.exact for key in there], np.bool_),
            (self.least[0] / self.asked, self.least[1] / self.asked),
            self.count,
            legible,
        )


@dataclass(frozen=True)
class QueryHits:
    """What words and meaning find of a question."""

    candidates: Candidates
    lacking: bool
    """A chunk could not be found, as it is not embedded yet."""
    is_stale: Callable[[], bool]
    """Whether chunks were removed since: those that others took the place of may be missing. Blocks."""


class CandidateFinder(Protocol):
    """Finds what one collection has for a question."""

    def begin_search(self, question: Question) -> Callable[[], QueryHits]:
        """Look up what can be while the question is still embedded; returns at once.

        What it returns finds the rest, once the question is embedded; it blocks, and may be called in any thread.
        """
        ...


HitsT = TypeVar("HitsT")


class SearchBesideEmbedding(ABC, Generic[HitsT]):
    """A `CandidateFinder` that looks up the words in threads of its own while the question is still embedded."""

    def __init__(self, threads: int) -> None:
        self._beside = ThreadPoolExecutor(threads, "words")

    def begin_search(self, question: Question) -> Callable[[], QueryHits]:
        """Look up the words; see `CandidateFinder`."""
        try:
            return partial(self._finish_search, question, self._beside.submit(self._by_words, question))
        except RuntimeError as error:
            raise _closed_error() from error

    def _finish_search(self, question: Question, begun: Future[HitsT]) -> QueryHits:
        try:
            return self._find_hits(question, begun)
        except CancelledError as error:
            raise _closed_error() from error

    @abstractmethod
    def _by_words(self, question: Question) -> HitsT:
        """What the words of a question find."""

    @abstractmethod
    def _find_hits(self, question: Question, begun: Future[HitsT]) -> QueryHits:
        """What words and meaning find, once the question is embedded."""

    def close(self) -> None:
        """End the threads that words are looked up in; what they have not begun is not looked up any more. Blocks."""
        self._beside.shutdown(cancel_futures=True)


def _closed_error() -> LibraryError:
    """What to tell of a search that came too late."""
    return LibraryError("The collection was closed while it was searched.", "Ask again.")


def keep_rare(text: str, hits: Hits, read: Mapping[int, StoredChunk]) -> Hits:
    """Those of the chunks with all words of a text that have it as it stands, or all where none has; none where they
    are of more than `RARE` documents.
    """
    hits = [(key, score) for key, score in hits if key in read]
    literal = re.compile(rf"(?<!\w){re.escape(text)}(?!\w)")
    hits = [hit for hit in hits if literal.search(whole_text(read[hit[0]]))] or hits
    return hits if len({read[key].source for key, _ in hits}) <= RARE else []


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
    lacking: list[CandidateFinder]
    """Where chunks could not be found, as they are not embedded yet."""
    removed: bool
    """Chunks were removed meanwhile, and those that took their place may be missing."""


async def look_up(
    finders: Sequence[CandidateFinder],
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
        return PassageSelection(passages, lacking, any(one.is_stale() for each in found for one in each))

    return await asyncio.to_thread(finish)

"""What the words and the meaning of a question find in PostgreSQL: a round trip for each."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from rag.indexes.exact import Hits
from rag.postgres.database import PostgresDatabase
from rag.postgres.search.chunk_rows import read_quoted
from rag.postgres.search.vector_search import NearChunk, VectorSearch
from rag.postgres.search.word_search import WordHits, WordSearch
from rag.search.candidates import (
    HELD,
    KeywordHits,
    QueryHits,
    Question,
    SearchBesideEmbedding,
    keep_rare,
    least_of,
    weigh_query,
)
from rag.search.query_terms import QueryTerms, read_question
from rag.search.tokenization import DEFAULT
from rag.stored import StoredChunk

SEARCHED_AT_ONCE = 4
"""Questions whose words are looked up side by side: half of a process's connections."""


@dataclass(frozen=True)
class ServerWords:
    """What the words of a question find in PostgreSQL, before any of it is read."""

    asked: QueryTerms
    found: WordHits

    @property
    def chunks(self) -> set[int]:
        """The ids of what is to be read: also of what may be meant exactly, which its text tells."""
        return {key for hits in (self.found.chunks, *self._few.values()) for key, _ in hits}

    def read_hits(self, depth: int, texts: Mapping[int, StoredChunk]) -> KeywordHits:
        """What is found, with the texts of the chunks."""
        found = self.found
        exact = {
            key: score
            for part, hits in self._few.items()
            for key, score in keep_rare(self.asked.exact[part][0], hits, texts)
            if key in found.passing
        }
        weight, count = weigh_query(self.asked, found.rarity)
        least = (least_of(found.chunks, depth), least_of(list(found.documents.items()), depth))
        return KeywordHits(exact | dict(found.chunks), found.documents, exact.keys(), least, weight, count)

    @property
    def _few(self) -> dict[int, Hits]:
        return {part: hits for part, hits in self.found.exact.items() if len(hits) < HELD}


class ServerSearch(SearchBesideEmbedding[ServerWords]):
    """Asks PostgreSQL for the candidates of a collection."""

    def __init__(self, database: PostgresDatabase, vectors: VectorSearch) -> None:
        super().__init__(SEARCHED_AT_ONCE)
        self._database = database
        self._words = WordSearch(database, vectors)
        self._vectors = vectors
        self._languages: list[str] = []
        self.has_graph = False
        """Whether there was an index of the vectors when it was last asked."""

    def _by_words(self, question: Question) -> ServerWords:
        spoken = self._languages
        words = self._look_up(question, spoken)
        if words.found.languages != spoken:
            # The words are stemmed as in the languages that there are: they were others when it was last asked.
            words = self._look_up(question, words.found.languages)
        self._languages, self.has_graph = words.found.languages, words.found.has_graph
        return words

    def _look_up(self, question: Question, languages: Sequence[str]) -> ServerWords:
        asked = read_question(question.text, languages or [DEFAULT])
        return ServerWords(asked, self._words.find_words(asked, question.depth, question.filters))

    def _find_hits(self, question: Question, begun: Future[ServerWords]) -> QueryHits:
        words = begun.result()
        near = dict[int, NearChunk]()
        if question.vectors is None:
            read = read_quoted(self._database, list(words.chunks))
        else:
            vector, graph = question.vectors.result()[question.row], words.found.has_graph
            near = self._vectors.find_nearest(vector, question.depth, question.filters, list(words.chunks), graph)
            read = {key: (one.chunk, one.document) for key, one in near.items()}
        texts = {key: chunk for key, (chunk, _) in read.items()}
        owners = {key: document for key, (_, document) in read.items()}
        hits = words.read_hits(question.depth, texts)
        # What was read only to see whether it is meant exactly is no candidate.
        cosines = {
            key: one.cosine
            for key, one in near.items()
            if one.cosine is not None and (one.is_near or key in hits.chunks)
        }

        def take(ids: Sequence[int]) -> dict[int, StoredChunk]:
            return {key: texts[key] for key in ids}

        legible = question.legible is None or question.legible.result()
        candidates = hits.join_candidates(self._vectors.collection, cosines, owners, take, legible)
        lacking = question.vectors is not None and words.found.lacking and words.found.may_write
        return QueryHits(candidates, lacking, lambda: any(key not in owners for key in words.chunks))

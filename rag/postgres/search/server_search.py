"""What the words and the meaning of a question find in PostgreSQL: a round trip for each."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from rag.postgres.database import PostgresDatabase
from rag.postgres.search.chunk_rows import read_quoted
from rag.postgres.search.vector_search import VectorSearch
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
class ServerHits(KeywordHits):
    """What the words of a question find in PostgreSQL."""

    found: WordHits
    read: Mapping[int, tuple[StoredChunk, int]]
    """The chunks that were read already, and the ids of their documents."""


class ServerSearch(SearchBesideEmbedding[ServerHits]):
    """Asks PostgreSQL for the candidates of a collection."""

    def __init__(self, database: PostgresDatabase, vectors: VectorSearch) -> None:
        super().__init__(SEARCHED_AT_ONCE)
        self._database = database
        self._words = WordSearch(database, vectors)
        self._vectors = vectors
        self._languages: list[str] = []
        self.has_graph = False
        """Whether there was an index of the vectors when it was last asked."""

    def _by_words(self, question: Question) -> ServerHits:
        spoken = self._languages
        asked, found = self._look_up(question, spoken)
        if found.languages != spoken:
            # The words are stemmed as in the languages that there are: they were others when it was last asked.
            asked, found = self._look_up(question, found.languages)
        self._languages, self.has_graph = found.languages, found.has_graph
        few = {part: hits for part, hits in found.exact.items() if len(hits) < HELD}
        named = {key for hits in few.values() for key, _ in hits}
        # Without a vector nothing else brings the texts along.
        worded = [key for key, _ in found.chunks] if question.vectors is None else []
        read = read_quoted(self._database, list({*named, *worded})) if named or worded else {}
        texts = {key: chunk for key, (chunk, _) in read.items()}
        exact = {
            key: score for part, hits in few.items() for key, score in keep_rare(asked.exact[part][0], hits, texts)
        }
        exact = {key: score for key, score in exact.items() if key in found.passing}
        weight, count = weigh_query(asked, found.rarity)
        documents = list(found.documents.items())
        least = (least_of(found.chunks, question.depth), least_of(documents, question.depth))
        chunks = exact | dict(found.chunks)
        return ServerHits(chunks, found.documents, exact.keys(), least, weight, count, found, read)

    def _look_up(self, question: Question, languages: Sequence[str]) -> tuple[QueryTerms, WordHits]:
        asked = read_question(question.text, languages or [DEFAULT])
        return asked, self._words.find_words(asked, question.depth, question.filters)

    def _find_hits(self, question: Question, begun: Future[ServerHits]) -> QueryHits:
        words = begun.result()
        read, cosines = dict(words.read), dict[int, float]()
        if question.vectors is not None:
            vector = question.vectors.result()[question.row]
            near = self._vectors.find_nearest(
                vector, question.depth, question.filters, list(words.chunks), words.found.has_graph
            )
            read = {key: (one.chunk, one.document) for key, one in near.items()}
            cosines = {key: one.cosine for key, one in near.items() if one.cosine is not None}
        owners = {key: document for key, (_, document) in read.items()}
        texts = {key: chunk for key, (chunk, _) in read.items()}

        def take(ids: Sequence[int]) -> dict[int, StoredChunk]:
            return {key: texts[key] for key in ids}

        legible = question.legible is None or question.legible.result()
        candidates = words.join_candidates(self._vectors.collection, cosines, owners, take, legible)
        lacking = question.vectors is not None and words.found.lacking and words.found.may_write
        return QueryHits(candidates, lacking, lambda: any(key not in owners for key in words.chunks))

"""What the words and the meaning of a question find in the indexes of this machine, both looked up at once."""

from collections.abc import Sequence, Set
from concurrent.futures import Future
from dataclasses import dataclass

from rag.embedding.base import Vectors
from rag.indexes.chunk_feed import ChunkCosines, ChunkFeed, SpokenLanguages
from rag.indexes.exact import Hits
from rag.indexes.index_owner import IndexOwner
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
from rag.search.query_terms import read_question
from rag.search.tokenization import DEFAULT

# Keyword hits that are looked through where only some documents are wanted.
FILTERED = 10_000


@dataclass(frozen=True)
class LocalHits(KeywordHits):
    """What the words of a question find in the indexes of this machine."""

    owners: dict[int, int]
    """The documents of the chunks, and of the first chunks by which whole documents were found."""
    allowed: Set[int] | None
    """The chunks that the filters let through, None where there are none."""
    removal: int
    """The newest removal before they were looked up."""


class CandidateSearch(SearchBesideEmbedding[LocalHits]):
    """Asks the indexes of a collection on this machine."""

    def __init__(self, store: SpokenLanguages, feed: ChunkFeed, keeper: IndexOwner, vectors: ChunkCosines) -> None:
        super().__init__(threads=1)
        self._store = store
        self._feed = feed
        self._keeper = keeper
        self._vectors = vectors

    def _find_hits(self, question: Question, begun: Future[LocalHits]) -> QueryHits:
        cosines, lacking = self._by_meaning(question, begun)
        words = begun.result()
        keys = list({**words.chunks, **cosines})
        owners = words.owners | self._feed.documents_of([key for key in keys if key not in words.owners])
        legible = question.legible is None or question.legible.result()
        found = words.join_candidates(self._feed.collection, cosines, owners, self._feed.read_chunks, legible)
        return QueryHits(found, lacking, lambda: self._feed.last_removal() != words.removal)

    def _by_words(self, question: Question) -> LocalHits:
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
        return LocalHits(named | dict(passing), documents, named.keys(), least, weight, count, owners, allowed, removal)

    def _keep_rare(self, text: str, hits: Hits) -> Hits:
        if len(hits) >= HELD:
            return []
        return keep_rare(text, hits, self._feed.read_chunks([key for key, _ in hits]))

    def _by_meaning(self, question: Question, begun: Future[LocalHits]) -> tuple[dict[int, float], bool]:
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

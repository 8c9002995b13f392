"""The search of one collection in PostgreSQL, as a library asks it and keeps it true."""

import logging
from collections.abc import Callable

from psycopg import Connection

from rag.backend import Answering, State
from rag.postgres.database import PostgresDatabase, Row, rows_of
from rag.postgres.distribution import lock_positions
from rag.postgres.document_rows import CHUNK_ARRAYS, chunks_in, unpack_text
from rag.postgres.search.index_check import check_search_tables
from rag.postgres.search.records import CHUNK_TOTAL, STALE, make_terms, vectors_of
from rag.postgres.search.server_search import ServerSearch
from rag.postgres.search.vector_graph import VectorGraph
from rag.postgres.search.vector_search import VectorSearch
from rag.postgres.vectors import drop_unused
from rag.search.candidates import QueryHits, Question
from rag.search.tokenization import LIBRARY_TERMS_VERSION
from rag.stored import Finding
from utils.errors import LibraryError

log = logging.getLogger(__name__)
MADE_AT_ONCE = 20
"""Documents whose terms are made in one transaction."""


class ServerIndexes:
    """What `CollectionIndexes` asks for: nothing of it is on this machine, and all processes share it."""

    def __init__(self, database: PostgresDatabase, collection: str, fingerprint: str) -> None:
        self._database = database
        self._collection = collection
        self._vectors = VectorSearch(database, collection, fingerprint)
        self._graph = VectorGraph(database, self._vectors)
        self._search = ServerSearch(database, self._vectors)
        self._working = self._closed = False
        self.writes = False
        """Whether this process changed what is kept."""
        self.behind = False
        """Whether chunks wait to be embedded, as far as was seen."""

    def begin_search(self, question: Question) -> Callable[[], QueryHits]:
        """Look up the words while the question is still embedded; see `CandidateFinder`."""
        return self._search.begin_search(question)

    @property
    def state(self) -> State:
        """Whether something is being made."""
        return "building" if self._working or self._graph.is_building else "ready"

    def answering(self, chunks: int) -> Answering:
        """Whether vectors are compared one by one, as far as was seen."""
        return "hnsw" if self._search.has_graph else "exact"

    def is_opened(self, meaning: bool) -> bool:
        """There is nothing to open."""
        return True

    def open_indexes(self, meaning: bool) -> None:
        """There is nothing to open."""

    def tend_indexes(self) -> None:
        """Make the terms that an older Magpie did not make, and the index of the vectors where they are many."""
        if not self.try_to_own():
            return
        try:
            self._make_terms()
            chunks, embedded = self._count()
            self.behind = embedded < chunks
            self._graph.tend_graph(embedded)
        except LibraryError as error:
            # Whoever asks the library something meets the same trouble, and is told; without an index all are compared.
            log.warning("What %s is searched through cannot be looked after: %s", self._collection, error)

    def _count(self) -> tuple[int, int]:
        """How many chunks there are, and how many of them have vectors."""
        query = "SELECT counted, records FROM totals WHERE collection = %s AND counted = ANY(%s::text[])"
        embedded = vectors_of(self._vectors.fingerprint)
        records: dict[str, int] = dict(self._database.read(query, (self._collection, [CHUNK_TOTAL, embedded])))
        return records.get(CHUNK_TOTAL, 0), records.get(embedded, 0)

    def _make_terms(self) -> None:
        try:
            while not self._closed and self._database.write(self._make_some):
                self._working = True
        finally:
            self._working = False

    def _make_some(self, connection: Connection[Row]) -> int:
        values = (self._collection, LIBRARY_TERMS_VERSION, MADE_AT_ONCE)
        if not rows_of(connection, _NOT_MADE, values):
            return 0
        lock_positions(connection)
        keys = [key for (key,) in rows_of(connection, _NOT_MADE, values)]
        query = f"SELECT d.id, d.title, d.text, c.* FROM documents d {CHUNK_ARRAYS} WHERE d.id = ANY(%s::bigint[])"
        rows = rows_of(connection, query, (keys,))
        for key, title, packed, *arrays in rows:
            chunks, _ = chunks_in(arrays)
            make_terms(connection, key, title, unpack_text(packed), chunks)
        return len(rows)

    def try_to_own(self) -> bool:
        """Whether this process may change what is kept: any that does may look after it."""
        return bool(self._database.read("SELECT has_table_privilege('chunk_vectors', 'INSERT')")[0][0])

    def order_rebuild(self) -> None:
        """Have terms and the index of the vectors made anew; until they are, the old ones answer."""

        def order(connection: Connection[Row]) -> None:
            lock_positions(connection)
            connection.execute(
                "UPDATE documents SET terms_version = %s WHERE collection = %s AND terms_version != 0",
                (STALE, self._collection),
            )
            drop_unused(connection)

        self._database.write(order)
        self._graph.drop_graph()

    def check_indexes(self) -> tuple[list[Finding], bool]:
        """Compare terms, vectors and what is counted with the chunks, and mend them."""
        findings = check_search_tables(self._database, self._collection, self._vectors.fingerprint)
        self.tend_indexes()
        return findings, True

    def size(self) -> int:
        """Nothing of it is on this machine."""
        return 0

    def discard(self) -> None:
        """Remove the index of the vectors; all else goes with the collection."""
        self._graph.drop_graph()

    def hurry_builds(self) -> None:
        """An index that is being made is given up when this is closed."""

    def close(self) -> None:
        """End the search, and give up what is being made."""
        self._closed = True
        self._graph.close()
        self._search.close()


# Those of a newer Magpie are left alone.
_NOT_MADE = "SELECT id FROM documents WHERE collection = %s AND terms_version < %s LIMIT %s"

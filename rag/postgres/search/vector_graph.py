"""The index of a large collection's vectors (HNSW), made beside all else that goes on."""

from contextlib import suppress

import psycopg
from psycopg import Connection

from rag.postgres.database import PostgresDatabase, Row, rows_of
from rag.postgres.search.vector_search import VectorSearch

COMPARED_CHUNKS = 20_000
"""Chunks up to which each is compared with the question; of more an index is made. To compare 10,000 takes 6 ms, 20,000
28 ms and 40,000 52 ms; the index finds many of the nearest of these in 7 (384 numbers each, two cores, busy)."""
MOST_DIMENSIONS = 4_000
"""Of vectors that pgvector can index; longer ones are always compared."""
NEIGHBOURS_LINKED, NODES_BUILT = 16, 64
"""HNSW's m and ef_construction, as pgvector has them."""


class VectorGraph:
    """Sees to it that a collection has an index where it is worth it; safe to be used by several threads."""

    def __init__(self, database: PostgresDatabase, vectors: VectorSearch) -> None:
        self._database = database
        self._vectors = vectors
        self._building: Connection[Row] | None = None
        self._closed = False

    @property
    def is_building(self) -> bool:
        """Whether it is being made here."""
        return self._building is not None

    def tend_graph(self, chunks: int) -> None:
        """Make the index of so many chunks unless it is there, or another process makes it; raises `LibraryError`."""
        if chunks <= COMPARED_CHUNKS or self._closed:
            return
        query = f"SELECT vector_dims(vector) FROM chunk_vectors WHERE {self._vectors.rows} LIMIT 1"
        [(dimensions,)] = self._database.read(query) or [(MOST_DIMENSIONS + 1,)]
        if dimensions <= MOST_DIMENSIONS and self._is_valid() is not True:
            self._database.run_alone(lambda connection: self._build(connection, dimensions))

    def drop_graph(self) -> None:
        """Remove the index."""
        if self._is_valid() is not None:
            self._database.run_alone(
                lambda connection: connection.execute(
                    f"DROP INDEX CONCURRENTLY IF EXISTS {self._vectors.graph}".encode()
                )
            )

    def _is_valid(self) -> bool | None:
        """Whether the index is whole; None where there is none."""
        rows = self._database.read(_FIND_GRAPH, (self._vectors.graph,))
        return bool(rows[0][0]) if rows else None

    def _build(self, connection: Connection[Row], dimensions: int) -> None:
        name = self._vectors.graph
        [(mine,)] = rows_of(connection, "SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", (name,))
        if not mine:
            return
        try:
            self._building = connection
            for (valid,) in rows_of(connection, _FIND_GRAPH, (name,)):
                if valid:
                    return
                # What a process that was killed has left.
                connection.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}".encode())
            if not self._closed:
                connection.execute(
                    f"CREATE INDEX CONCURRENTLY {name} ON chunk_vectors USING hnsw"
                    f" ((vector::halfvec({dimensions})) halfvec_cosine_ops)"
                    f" WITH (m = {NEIGHBOURS_LINKED}, ef_construction = {NODES_BUILT})"
                    f" WHERE {self._vectors.rows}".replace("%%", "%").encode()
                )
        finally:
            self._building = None
            with suppress(psycopg.Error):
                connection.execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", (name,))

    def close(self) -> None:
        """Have an index that is being made here given up: it is made anew another time."""
        self._closed = True
        if building := self._building:
            building.cancel_safe(timeout=5)


_FIND_GRAPH = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)"

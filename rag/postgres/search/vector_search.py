"""The nearest vectors in SQL: by the index of a large collection, else by comparing all of them."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from psycopg import sql

from rag.embedding.base import Vectors
from rag.indexes.exact import PIECES
from rag.postgres.database import PostgresDatabase
from rag.postgres.search.chunk_rows import QUOTED_COLUMNS, quoted_chunk
from rag.postgres.search.filter_conditions import passing_documents
from rag.stored import Filters, StoredChunk


@dataclass(frozen=True)
class NearChunk:
    """A chunk that is near, or that words have found."""

    chunk: StoredChunk
    document: int
    cosine: float | None
    """Of its best piece; None where it has no vector yet."""
    is_near: bool
    """Whether it is one of the nearest, whatever words have found."""


class VectorSearch:
    """The vectors of one model in one collection."""

    def __init__(self, database: PostgresDatabase, collection: str, fingerprint: str) -> None:
        self.collection = collection
        self.fingerprint = fingerprint
        self._database = database

    @property
    def graph(self) -> str:
        """The name of their index."""
        digest = hashlib.sha256(f"{self.collection}\0{self.fingerprint}".encode()).hexdigest()
        return f"chunk_vectors_{digest[:24]}"

    @property
    def rows(self) -> str:
        """The condition that the rows meet, without parameters: an index of some rows is used for these alone."""
        names = [sql.Literal(name).as_string(None) for name in (self.collection, self.fingerprint)]
        return "collection = {} AND fingerprint = {}".format(*names).replace("%", "%%")

    def find_nearest(
        self, vector: Vectors, depth: int, filters: Filters, worded: Sequence[int], by_graph: bool
    ) -> dict[int, NearChunk]:
        """So many chunks that are nearest to a vector, and those that words have found, by id."""
        passing, values = passing_documents(filters)
        kept = f"v.document IN ({passing})" if passing else "TRUE"
        column = f"(v.vector::halfvec({len(vector)}))" if by_graph else "v.vector"
        query = f"""
            WITH near AS MATERIALIZED (
                SELECT v.document, v.ordinal, {column} <=> %(vector)s::halfvec({len(vector)}) AS distance
                FROM chunk_vectors v WHERE {self.rows} AND {kept} ORDER BY distance LIMIT %(pieces)s
            ), nearest AS (
                SELECT document, ordinal FROM near GROUP BY document, ordinal ORDER BY min(distance) LIMIT %(depth)s
            ), wanted AS MATERIALIZED (
                SELECT id, bool_or(is_near) AS is_near FROM (
                    SELECT c.id, TRUE AS is_near
                    FROM nearest n JOIN chunks c ON c.document = n.document AND c.ordinal = n.ordinal
                    UNION ALL SELECT unnest(%(worded)s::bigint[]), FALSE
                ) found GROUP BY id
            )
            SELECT {QUOTED_COLUMNS}, (
                SELECT 1 - min(v.vector <=> %(vector)s::halfvec({len(vector)})) FROM chunk_vectors v
                WHERE v.document = c.document AND v.ordinal = c.ordinal AND v.fingerprint = %(model)s) AS cosine,
                w.is_near
            FROM wanted w JOIN chunks c ON c.id = w.id JOIN documents d ON d.id = c.document ORDER BY cosine DESC, c.id
        """
        values |= {"collection": self.collection, "model": self.fingerprint, "vector": as_text(vector)}
        values |= {"pieces": PIECES * depth, "depth": depth, "worded": list(worded)}
        found = [
            NearChunk(*quoted_chunk(row[:-2]), *row[-2:]) for row in map(tuple, self._database.read(query, values))
        ]
        if by_graph and filters and sum(one.is_near for one in found) < depth:
            # What passes lies too far in the graph; what words have found is no part of that.
            return self.find_nearest(vector, depth, filters, worded, False)
        return {one.chunk.id: one for one in found}


def as_text(vector: Vectors) -> str:
    """A vector as pgvector reads it."""
    return f"[{','.join(f'{number:.9g}' for number in vector.tolist())}]"

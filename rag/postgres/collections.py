"""The collections of a library in PostgreSQL: their names, how their documents are cut, and what they hold."""

from collections.abc import Sequence

from psycopg import Connection

from rag.chunk_size import ChunkShape
from rag.postgres.database import PostgresDatabase, Row, Values, rows_of
from rag.postgres.documents import lock_positions
from rag.postgres.schema import UTC_NOW
from rag.postgres.vectors import drop_unused
from rag.stored import Collection, DocumentEntry


class PostgresCollections:
    """All collections; its methods block and may be called from any thread."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    def all_collections(self) -> list[Collection]:
        """Every collection, by name."""
        query = (
            "SELECT c.name, count(d.id), coalesce(sum(d.chunks), 0)::bigint, c.chunk_size, c.chunk_overlap,"
            " c.chunk_unit FROM collections c LEFT JOIN documents d ON d.collection = c.name GROUP BY c.name"
            " ORDER BY c.name"
        )
        rows = self._database.read(query)
        return [Collection(name, documents, chunks, _shape_of(shape)) for name, documents, chunks, *shape in rows]

    def entries(self, collections: Sequence[str], before: int | None, limit: int) -> list[DocumentEntry]:
        """Documents with ids below `before`, newest first, of these collections, or of all where none is named."""
        query = (
            "SELECT id, collection, source, title, media_type, fetched FROM documents"
            " WHERE (%(before)s::bigint IS NULL OR id < %(before)s) AND (NOT %(named)s OR collection = ANY(%(names)s))"
            " ORDER BY id DESC LIMIT %(limit)s"
        )
        names = list(collections)
        values: Values = {"before": before, "named": bool(names), "names": names, "limit": limit}
        return [DocumentEntry(*row) for row in self._database.read(query, values)]

    def chunk_shape(self, name: str) -> ChunkShape | None:
        """How the documents of a collection are cut, None where that was never said."""
        query = "SELECT chunk_size, chunk_overlap, chunk_unit FROM collections WHERE name = %s"
        rows = self._database.read(query, (name,))
        return _shape_of(rows[0]) if rows else None

    def keep_shape(self, name: str, shape: ChunkShape) -> None:
        """Cut the documents of a collection so from now on."""
        query = (
            f"INSERT INTO collections VALUES (%s, %s, %s, %s, {UTC_NOW}) ON CONFLICT (name) DO UPDATE SET"
            " (chunk_size, chunk_overlap, chunk_unit) ="
            " (excluded.chunk_size, excluded.chunk_overlap, excluded.chunk_unit)"
        )
        self._database.execute(query, (name, shape.size, shape.overlap, shape.unit))

    def remove(self, name: str) -> int:
        """Remove a collection with all that is in it; the number of its documents."""

        def remove(connection: Connection[Row]) -> int:
            lock_positions(connection)
            connection.execute("DELETE FROM chunks WHERE collection = %s", (name,))
            removed = rows_of(connection, "DELETE FROM documents WHERE collection = %s RETURNING 1", (name,))
            connection.execute("DELETE FROM collections WHERE name = %s", (name,))
            drop_unused(connection)
            return len(removed)

        return self._database.write(remove)


def _shape_of(row: Sequence[int | str | None]) -> ChunkShape | None:
    match row:
        case (int(size), int(overlap), "characters" | "tokens" as unit):
            return ChunkShape(size, overlap, unit)
        case _:
            return None

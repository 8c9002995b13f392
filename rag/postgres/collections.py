"""The collections of a library in PostgreSQL: their names, how their documents are cut, and what they hold."""

from collections.abc import Sequence

from psycopg import Connection

from rag.chunk_size import ChunkShape
from rag.postgres.database import PostgresDatabase, Row, Values, rows_of
from rag.postgres.documents import lock_positions
from rag.postgres.schema import CUT_OF_DOCUMENTS, UTC_NOW
from rag.postgres.search.records import drop_collection
from rag.postgres.vectors import drop_unused
from rag.stored import Collection, DocumentEntry

_CUT_COLUMNS = "chunk_size, chunk_overlap, chunk_unit, chunk_tokenizer"
_FIND_SHAPE = f"SELECT {_CUT_COLUMNS} FROM collections WHERE name = %s"
_KEEP_SHAPE = (
    f"INSERT INTO collections (name, {_CUT_COLUMNS}, created) VALUES (%s, %s, %s, %s, %s, {UTC_NOW})"
    f" ON CONFLICT (name) DO UPDATE SET ({_CUT_COLUMNS}) ="
    " (excluded.chunk_size, excluded.chunk_overlap, excluded.chunk_unit, excluded.chunk_tokenizer)"
)


class PostgresCollections:
    """All collections; its methods block and may be called from any thread."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    def all_collections(self) -> list[Collection]:
        """Every collection, by name."""
        query = (
            f"SELECT c.name, count(d.id), coalesce(sum(d.chunks), 0)::bigint, {_CUT_COLUMNS}"
            " FROM collections c LEFT JOIN documents d ON d.collection = c.name GROUP BY c.name"
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
        rows = self._database.read(_FIND_SHAPE, (name,))
        return _shape_of(rows[0]) if rows else None

    def keep_shape(self, name: str, shape: ChunkShape) -> None:
        """Cut the documents of a collection so from now on."""
        self._database.execute(_KEEP_SHAPE, (name, shape.size, shape.overlap, shape.unit, shape.tokenizer))

    def begin_shape(self, name: str, shape: ChunkShape) -> ChunkShape:
        """Keep how a collection is cut where nothing says it: as most of its documents, else so; what is kept."""
        values = (name, shape.size, shape.overlap, shape.unit, shape.tokenizer)

        def begin(connection: Connection[Row]) -> ChunkShape | None:
            connection.execute(f"{CUT_OF_DOCUMENTS} AND name = %s".encode(), (name,))
            # Of several that begin it at once the first one says how; the others wait for it here.
            connection.execute(f"{_KEEP_SHAPE} WHERE collections.chunk_size IS NULL".encode(), values)
            return _shape_of(rows_of(connection, _FIND_SHAPE, (name,))[0])

        return self._database.write(begin) or shape

    def remove(self, name: str) -> int:
        """Remove a collection with all that is in it; the number of its documents."""

        def remove(connection: Connection[Row]) -> int:
            lock_positions(connection)
            drop_collection(connection, name)
            connection.execute("DELETE FROM chunks WHERE collection = %s", (name,))
            removed = rows_of(connection, "DELETE FROM documents WHERE collection = %s RETURNING 1", (name,))
            connection.execute("DELETE FROM collections WHERE name = %s", (name,))
            drop_unused(connection)
            return len(removed)

        return self._database.write(remove)


def _shape_of(row: Sequence[int | str | None]) -> ChunkShape | None:
    match row:
        case (int(size), int(overlap), "characters" | "tokens" as unit, tokenizer):
            return ChunkShape(size, overlap, unit, str(tokenizer or ""))
        case _:
            return None

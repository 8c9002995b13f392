"""The collections of a library in PostgreSQL: their names, how their documents are cut, and what they hold."""

from collections.abc import Sequence

from psycopg import Connection

from rag.chunk_size import ChunkShape
from rag.postgres.database import PostgresDatabase, Row, Values, rows_of
from rag.postgres.distribution import delete_beside, lock_positions
from rag.postgres.schema import CUT_PATTERN, UTC_NOW
from rag.postgres.search.records import drop_collection
from rag.stored import Collection, DocumentEntry

_CUT_COLUMNS = "chunk_size, chunk_overlap, chunk_unit, chunk_tokenizer"
_FIND_SHAPE = f"SELECT {_CUT_COLUMNS} FROM collections WHERE name = %s"
_KEEP_SHAPE = (
    f"INSERT INTO collections (name, {_CUT_COLUMNS}, created) VALUES (%s, %s, %s, %s, %s, {UTC_NOW})"
    f" ON CONFLICT (name) DO UPDATE SET ({_CUT_COLUMNS}) ="
    " (excluded.chunk_size, excluded.chunk_overlap, excluded.chunk_unit, excluded.chunk_tokenizer)"
)
_CUT_OF_MOST = (
    f"SELECT regexp_match(chunker, '{CUT_PATTERN}') FROM documents WHERE collection = %s AND chunker ~ '{CUT_PATTERN}'"
    " GROUP BY chunker ORDER BY count(*) DESC LIMIT 1"
)


class PostgresCollections:
    """All collections; its methods block and may be called from any thread."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    def all_collections(self) -> list[Collection]:
        """Every collection, by name."""
        query = (
            f"SELECT c.name, coalesce(d.documents, 0), coalesce(d.chunks, 0), {_CUT_COLUMNS} FROM collections c"
            " LEFT JOIN (SELECT collection, count(*) AS documents, sum(chunks)::bigint AS chunks FROM documents"
            " GROUP BY collection) d ON d.collection = c.name ORDER BY c.name"
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

        def begin(connection: Connection[Row]) -> ChunkShape | None:
            kept = rows_of(connection, _CUT_OF_MOST, (name,))
            values = kept[0][0] if kept else (shape.size, shape.overlap, shape.unit, shape.tokenizer)
            # Of several that begin it at once the first one says how; the others wait for it here.
            connection.execute(f"{_KEEP_SHAPE} WHERE collections.chunk_size IS NULL".encode(), (name, *values))
            return _shape_of(rows_of(connection, _FIND_SHAPE, (name,))[0])

        return self._database.write(begin) or shape

    def remove(self, name: str) -> int:
        """Remove a collection with all that is in it; the number of its documents."""

        def remove(connection: Connection[Row]) -> int:
            lock_positions(connection)
            removed = [key for (key,) in rows_of(connection, "SELECT id FROM documents WHERE collection = %s", (name,))]
            drop_collection(connection, name)
            delete_beside(connection, removed)
            connection.execute("DELETE FROM collections WHERE name = %s", (name,))
            return len(removed)

        return self._database.write(remove)


def _shape_of(row: Sequence[int | str | None]) -> ChunkShape | None:
    match row:
        case (int(size), int(overlap), "characters" | "tokens" as unit, tokenizer):
            return ChunkShape(size, overlap, unit, str(tokenizer or ""))
        case _:
            return None

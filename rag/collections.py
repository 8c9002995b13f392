"""The collections of a library: their names, how their documents are cut, and what they hold."""

from collections.abc import Sequence
from dataclasses import dataclass

from rag.chunking import ChunkShape
from rag.database import Database
from rag.store import NOW
from rag.vector_store import drop_unused


@dataclass(frozen=True)
class Collection:
    """A knowledge base; `shape` None: as the settings say."""

    name: str
    documents: int
    chunks: int
    shape: ChunkShape | None


@dataclass(frozen=True)
class Entry:
    """A document as a list of documents shows it; newer ones have higher ids."""

    id: int
    collection: str
    source: str
    title: str
    media_type: str
    fetched: str


class Collections:
    """All collections of library.db; its methods block and may be called from any thread."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> list[Collection]:
        """Every collection, by name."""
        query = (
            "SELECT c.name, count(d.id), coalesce(sum(d.chunks), 0), c.chunk_size, c.chunk_overlap, c.chunk_unit"
            " FROM collections c LEFT JOIN documents d ON d.collection = c.name GROUP BY c.name ORDER BY c.name"
        )
        with self._database.reading() as db:
            rows = db.execute(query).fetchall()
        return [
            Collection(name, documents, chunks, ChunkShape(*shape) if shape[0] else None)
            for name, documents, chunks, *shape in rows
        ]

    def entries(self, collections: Sequence[str], before: int | None, limit: int) -> list[Entry]:
        """Documents with ids below `before`, newest first, of these collections, or of all where none is named."""
        marks = ",".join("?" * len(collections))
        query = (
            "SELECT id, collection, source, title, media_type, fetched FROM documents WHERE (?1 IS NULL OR id < ?1)"
            f"{f' AND collection IN ({marks})' if collections else ''} ORDER BY id DESC LIMIT {limit:d}"
        )
        with self._database.reading() as db:
            return [Entry(*row) for row in db.execute(query, (before, *collections))]

    def shape(self, name: str) -> ChunkShape | None:
        """How the documents of a collection are cut, None where that was never said."""
        query = "SELECT chunk_size, chunk_overlap, chunk_unit FROM collections WHERE name = ?"
        with self._database.reading() as db:
            row = db.execute(query, (name,)).fetchone()
        return ChunkShape(*row) if row and row[0] else None

    def keep_shape(self, name: str, shape: ChunkShape) -> None:
        """Cut the documents of a collection so from now on."""
        with self._database.writing() as db:
            db.execute(f"INSERT OR IGNORE INTO collections (name, created) VALUES (?, {NOW})", (name,))
            db.execute(
                "UPDATE collections SET chunk_size = ?, chunk_overlap = ?, chunk_unit = ? WHERE name = ?",
                (shape.size, shape.overlap, shape.unit, name),
            )

    def remove(self, name: str) -> int:
        """Remove a collection with all that is in it; the number of its documents."""
        with self._database.writing() as db:
            removed = db.execute("DELETE FROM documents WHERE collection = ?", (name,)).rowcount
            db.execute("DELETE FROM collections WHERE name = ?", (name,))
            drop_unused(db)
        return removed

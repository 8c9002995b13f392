"""The collections of a library: their names, how their documents are cut, and what they hold."""

import logging
import sqlite3
from collections.abc import Sequence
from typing import Any

from rag.chunk_size import ChunkShape
from rag.sqlite.database import LibraryDatabase, as_it_is
from rag.sqlite.documents import NOW
from rag.sqlite.schema import SHAPE_OF_DOCUMENTS
from rag.sqlite.vectors import drop_unused
from rag.stored import Collection, DocumentEntry

_SHAPE_COLUMNS = "chunk_size, chunk_overlap, chunk_unit, chunk_tokenizer"

log = logging.getLogger(__name__)


class Collections:
    """All collections of library.db; its methods block and may be called from any thread."""

    def __init__(self, database: LibraryDatabase) -> None:
        self._database = database

    def all_collections(self) -> list[Collection]:
        """Every collection, by name."""
        query = (
            f"SELECT c.name, count(d.id), coalesce(sum(d.chunks), 0), {_SHAPE_COLUMNS}"
            " FROM collections c LEFT JOIN documents d ON d.collection = c.name GROUP BY c.name ORDER BY c.name"
        )
        with self._database.reading() as db:
            rows = as_it_is(db).execute(query).fetchall()
        named = [row for row in rows if isinstance(row[0], str)]
        return [Collection(name, documents, chunks, _read_shape(shape)) for name, documents, chunks, *shape in named]

    def entries(self, collections: Sequence[str], before: int | None, limit: int) -> list[DocumentEntry]:
        """Documents with ids below `before`, newest first, of these collections, or of all where none is named."""
        marks = ",".join("?" * len(collections))
        query = (
            "SELECT id, collection, source, title, media_type, fetched FROM documents WHERE (?1 IS NULL OR id < ?1)"
            f"{f' AND collection IN ({marks})' if collections else ''} ORDER BY id DESC LIMIT {limit:d}"
        )
        with self._database.reading() as db:
            return [DocumentEntry(*row) for row in db.execute(query, (before, *collections))]

    def chunk_shape(self, name: str) -> ChunkShape | None:
        """How the documents of a collection are cut, None where that was never said."""
        query = f"SELECT {_SHAPE_COLUMNS} FROM collections WHERE name = ?"
        with self._database.reading() as db:
            row = as_it_is(db).execute(query, (name,)).fetchone()
        return _read_shape(row) if row else None

    def keep_shape(self, name: str, shape: ChunkShape) -> None:
        """Cut the documents of a collection so from now on."""
        with self._database.writing() as db:
            _keep_shape(db, name, shape)

    def begin_shape(self, name: str, shape: ChunkShape) -> ChunkShape:
        """Keep how a collection is cut where nothing says it: as most of its documents, else so; what is kept."""
        with self._database.writing() as db:
            db.execute(f"{SHAPE_OF_DOCUMENTS} AND name = ?", (name,))
            kept = self.chunk_shape(name)
            if kept is None:
                _keep_shape(db, name, shape)
        return kept or shape

    def remove(self, name: str) -> int:
        """Remove a collection with all that is in it; the number of its documents."""
        with self._database.writing() as db:
            removed = db.execute("DELETE FROM documents WHERE collection = ?", (name,)).rowcount
            db.execute("DELETE FROM collections WHERE name = ?", (name,))
            drop_unused(db)
        return removed


def _keep_shape(db: sqlite3.Connection, name: str, shape: ChunkShape) -> None:
    db.execute(f"INSERT OR IGNORE INTO collections (name, created) VALUES (?, {NOW})", (name,))
    query = f"UPDATE collections SET ({_SHAPE_COLUMNS}) = (?, ?, ?, ?) WHERE name = ?"
    db.execute(query, (shape.size, shape.overlap, shape.unit, shape.tokenizer, name))


def _read_shape(row: Sequence[Any]) -> ChunkShape | None:
    size, overlap, unit, tokenizer = row
    sound = isinstance(size, int) and isinstance(overlap, int) and unit in ("characters", "tokens")
    if sound and 0 <= overlap < size:
        return ChunkShape(size, overlap, unit, tokenizer if isinstance(tokenizer, str) else "")
    if size is not None:
        # Without it the collection is cut as most of its documents are: nothing is lost.
        log.warning("How the documents of a collection are cut is damaged: %s", row)
    return None

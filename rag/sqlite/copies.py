"""The documents of library.db, to be copied."""

import sqlite3
import zlib
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from rag.documents import Chunk, Document
from rag.embedding.base import Vectors
from rag.records.copies import KeptDocument
from rag.records.notes import NOTE
from rag.records.properties import unpack_properties
from rag.sqlite.database import LibraryDatabase
from rag.sqlite.documents import DocumentStore
from rag.sqlite.vectors import VECTORS_BLOCK, read_matrix
from rag.stored import Prepared

_COPIED_COLUMNS = (
    "id, source, title, origin, media_type, fetched, container, properties, text AS whole, language, chunker, seen,"
    " cited"
)


class LibraryCopies:
    """All documents of library.db; its methods block and may be called from any thread."""

    def __init__(self, database: LibraryDatabase) -> None:
        self._database = database

    def next_documents(self, collection: str, after: int, limit: int) -> dict[int, KeptDocument]:
        """Those with ids above `after`, by id, ascending."""
        return self._read("collection = ? AND id > ? ORDER BY id LIMIT ?", (collection, after, limit))

    def find_documents(self, collection: str, sources: Sequence[str]) -> dict[str, KeptDocument]:
        """Those with these sources, by source."""
        marks = ",".join("?" * len(sources))
        found = self._read(f"collection = ? AND source IN ({marks})", (collection, *sources))
        return {one.document.source: one for one in found.values()}

    def _read(self, condition: str, values: Sequence[Any]) -> dict[int, KeptDocument]:
        """Documents with their chunks as they were at one moment."""
        with self._database.reading() as db:
            db.execute("BEGIN")
            try:
                rows = db.execute(f"SELECT {_COPIED_COLUMNS} FROM documents WHERE {condition}", values).fetchall()
                chunks = _read_chunks(db, [row[0] for row in rows])
            finally:
                db.execute("COMMIT")
            return {row[0]: _kept_document(row, chunks[row[0]]) for row in rows}

    def put_documents(self, collection: str, documents: Sequence[KeptDocument]) -> None:
        """Put all of them, or none, each in the place of the one with its source."""
        store = DocumentStore(self._database, collection)
        with self._database.writing() as db:
            for one in documents:
                store.put_document(db, one.document, one.prepared)
                db.execute(
                    "UPDATE documents SET seen = ?, cited = ? WHERE collection = ? AND source = ?",
                    (one.seen, one.cited, collection, one.document.source),
                )

    def find_vectors(self, fingerprint: str, hashes: Sequence[bytes]) -> dict[bytes, Vectors]:
        """The vectors that a model gave of texts, by the texts' hashes."""
        found: dict[bytes, Vectors] = {}
        with self._database.reading() as db:
            for start in range(0, len(hashes), VECTORS_BLOCK):
                block = hashes[start : start + VECTORS_BLOCK]
                query = (
                    "SELECT text_hash, pieces, vector FROM vectors WHERE fingerprint = ?"
                    f" AND text_hash IN ({','.join('?' * len(block))})"
                )
                for key, pieces, blob in db.execute(query, (fingerprint, *block)):
                    if (vectors := read_matrix(pieces, blob)) is not None:
                        found[key] = vectors
        return found

    def all_notes(self) -> dict[str, str]:
        """What is noted of embedding models, by name."""
        query = "SELECT substr(key, ?1 + 1), value FROM meta WHERE substr(key, 1, ?1) = ?2"
        with self._database.reading() as db:
            return dict(db.execute(query, (len(NOTE), NOTE)).fetchall())


def _read_chunks(db: sqlite3.Connection, documents: Sequence[int]) -> dict[int, list[tuple[Chunk, bytes]]]:
    query = (
        "SELECT document, text, ordinal, start, end, heading, text_hash FROM chunks"
        f" WHERE document IN ({','.join('?' * len(documents))}) ORDER BY document, ordinal"
    )
    found: dict[int, list[tuple[Chunk, bytes]]] = defaultdict(list)
    for document, text, ordinal, start, end, heading, digest in db.execute(query, tuple(documents)):
        found[document].append((Chunk(text, ordinal, start, end, tuple(heading.splitlines())), digest))
    return found


def _kept_document(row: Sequence[Any], chunks: Sequence[tuple[Chunk, bytes]]) -> KeptDocument:
    _, source, title, origin, media_type, fetched, container, told, packed, language, chunker, seen, cited = row
    text = zlib.decompress(packed).decode()
    document = Document(source, title, text, origin, media_type, fetched, container, unpack_properties(told))
    prepared = Prepared([chunk for chunk, _ in chunks], [digest for _, digest in chunks], {}, language, chunker)
    return KeptDocument(document, prepared, seen, cited)

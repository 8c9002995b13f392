"""One collection of library.db: its documents, their chunks and vectors; it knows nothing of indexes and models."""

import sqlite3
import zlib
from collections.abc import Sequence

from rag.documents import Chunk, Document, Origin
from rag.records.documents import changes_anything
from rag.records.properties import pack_properties, unpack_properties
from rag.sqlite.database import LibraryDatabase
from rag.stored import Prepared

NOW = "strftime('%Y-%m-%dT%H:%M:%SZ', 'now')"
_DOCUMENT_COLUMNS = "source, title, origin, media_type, fetched, container, properties, text AS whole"


class DocumentStore:
    """The documents of one collection; its methods block and may be called from any thread."""

    def __init__(self, database: LibraryDatabase, collection: str) -> None:
        self.database = database
        self.collection = collection

    def accepted_sources(self, documents: Sequence[Document]) -> set[str]:
        """Those that would change anything: new, or changed, and no snippet where the page itself is kept."""
        with self.database.reading() as db:
            return {document.source for document in documents if self._accepts(db, document)}

    def _accepts(self, db: sqlite3.Connection, document: Document) -> bool:
        query = "SELECT origin, content_hash FROM documents WHERE collection = ? AND source = ?"
        return changes_anything(document, db.execute(query, (self.collection, document.source)).fetchone())

    def touch_documents(self, documents: Sequence[Document]) -> None:
        """Note that documents were met again, unchanged, and where."""
        with self.database.writing() as db:
            db.executemany(
                f"UPDATE documents SET seen = {NOW}, container = iif(origin = ?1, ?2, container),"
                " properties = iif(origin = ?1, ?3, properties) WHERE collection = ?4 AND source = ?5",
                [
                    (one.origin, one.container, pack_properties(one.properties), self.collection, one.source)
                    for one in documents
                ],
            )

    def replace_documents(self, cut: Sequence[tuple[Document, Prepared]]) -> list[int]:
        """Put documents in the places of those with their sources, all or none; chunks of each, 0 if not accepted."""
        added: list[int] = []
        with self.database.writing() as db:
            for document, prepared in cut:
                if accepted := self._accepts(db, document):
                    self.put_document(db, document, prepared)
                added.append(len(prepared.chunks) if accepted else 0)
        return added

    def put_document(self, db: sqlite3.Connection, document: Document, prepared: Prepared) -> None:
        """Put a document in the place of the one with its source, in the transaction under way."""
        old = self._delete_document(db, document.source)
        values = {
            "collection": self.collection,
            "source": document.source,
            "title": document.title,
            "origin": document.origin,
            "media_type": document.media_type,
            "fetched": document.fetched,
            "container": document.container,
            "properties": pack_properties(document.properties),
            "content_hash": document.content_hash,
            "chunks": len(prepared.chunks),
            "text": zlib.compress(document.text.encode()),
            "language": prepared.language,
            "chunker": prepared.chunker,
        }
        names, marks = ", ".join(values), ", ".join(f":{name}" for name in values)
        query = f"INSERT INTO documents ({names}, seen) VALUES ({marks}, {NOW})"
        key = db.execute(query, values).lastrowid
        db.execute(f"INSERT OR IGNORE INTO collections (name, created) VALUES (?, {NOW})", (self.collection,))
        _insert_chunks(db, key, prepared)
        _drop_unused(db, old or [])

    def cut_anew(self, source: str, prepared: Prepared) -> None:
        """Replace the chunks of a document whose text is as it was."""
        with self.database.writing() as db:
            row = self._find_id(db, source)
            if row is None:
                return
            old = _text_hashes(db, row)
            db.execute("DELETE FROM chunks WHERE document = ?", (row,))
            db.execute(
                "UPDATE documents SET chunks = ?, language = ?, chunker = ? WHERE id = ?",
                (len(prepared.chunks), prepared.language, prepared.chunker, row),
            )
            _insert_chunks(db, row, prepared)
            _drop_unused(db, old)

    def cut_otherwise(self, chunker: str, limit: int) -> list[str]:
        """Sources of documents that something else than this chunker cut, at most `limit`."""
        # What is equal is left out by two steps into the index; `!=` would look at every document, twice a second.
        other = "SELECT source FROM documents WHERE collection = ?1 AND chunker"
        query = f"{other} < ?2 UNION ALL {other} > ?2 LIMIT ?3"
        with self.database.reading() as db:
            return [source for (source,) in db.execute(query, (self.collection, chunker, limit))]

    def delete_documents(self, sources: Sequence[str]) -> int:
        """Delete documents and the vectors that nothing else uses; the number of documents."""
        with self.database.writing() as db:
            deleted = [old for old in (self._delete_document(db, source) for source in sources) if old is not None]
            for old in deleted:
                _drop_unused(db, old)
        return len(deleted)

    def _find_id(self, db: sqlite3.Connection, source: str) -> int | None:
        row = db.execute(
            "SELECT id FROM documents WHERE collection = ? AND source = ?", (self.collection, source)
        ).fetchone()
        return row[0] if row else None

    def _delete_document(self, db: sqlite3.Connection, source: str) -> list[bytes] | None:
        """Delete a document and its chunks; the hashes of their texts, None when there was none."""
        row = self._find_id(db, source)
        if row is None:
            return None
        hashes = _text_hashes(db, row)
        db.execute("DELETE FROM documents WHERE id = ?", (row,))
        return hashes

    def find_document(self, source: str) -> Document | None:
        """The document with this source."""
        with self.database.reading() as db:
            row = db.execute(
                f"SELECT {_DOCUMENT_COLUMNS} FROM documents WHERE collection = ? AND source = ?",
                (self.collection, source),
            ).fetchone()
            if row is None:
                return None
            source, title, origin, media_type, fetched, container, told, text = row
            whole = zlib.decompress(text).decode()
            return Document(source, title, whole, origin, media_type, fetched, container, unpack_properties(told))

    def first_chunks(self, source: str, limit: int) -> list[Chunk]:
        """The first chunks of a document."""
        query = (
            "SELECT c.text, c.ordinal, c.start, c.end, c.heading FROM chunks c JOIN documents d ON d.id = c.document"
            " WHERE d.collection = ? AND d.source = ? ORDER BY c.ordinal LIMIT ?"
        )
        with self.database.reading() as db:
            rows = db.execute(query, (self.collection, source, limit)).fetchall()
        return [
            Chunk(text, ordinal, start, end, tuple(heading.splitlines())) for text, ordinal, start, end, heading in rows
        ]

    def newest_titles(self, limit: int) -> list[str]:
        """So many titles, those of the newest documents first, each once."""
        # By id, of which the newest are the last, and no further than it takes.
        query = "SELECT title FROM documents WHERE +collection = ? ORDER BY id DESC"
        with self.database.reading() as db:
            found: dict[str, None] = {}
            for (title,) in db.execute(query, (self.collection,)):
                found[title] = None
                if len(found) == limit:
                    break
        return list(found)

    def note_cited(self, sources: Sequence[str]) -> None:
        """Note that documents were cited in an answer: they are kept from then on."""
        with self.database.writing() as db:
            db.executemany(
                "UPDATE documents SET cited = cited + 1 WHERE collection = ? AND source = ?",
                [(self.collection, source) for source in sources],
            )

    def expired_sources(self, days: int) -> list[str]:
        """Pages and snippets that were last met more than so many days ago and never cited."""
        query = (
            "SELECT source FROM documents WHERE collection = ? AND origin != 'file' AND NOT cited"
            " AND julianday(seen) < julianday('now') - ?"
        )
        with self.database.reading() as db:
            return [source for (source,) in db.execute(query, (self.collection, days))]

    def count_by_origin(self) -> dict[Origin, tuple[int, int]]:
        """Documents and chunks by origin."""
        query = (
            "SELECT origin, count(*), sum(chunks) FROM documents WHERE collection = ? GROUP BY origin ORDER BY origin"
        )
        with self.database.reading() as db:
            return {origin: (documents, chunks) for origin, documents, chunks in db.execute(query, (self.collection,))}

    def language_codes(self) -> list[str]:
        """Languages that documents are written in, by code."""
        # From one language to the next in the index: as many steps as there are languages, not as documents.
        step = "SELECT min(language) FROM documents WHERE collection = ?1 AND language >"
        query = (
            f"WITH RECURSIVE found(language) AS ({step}= '' UNION ALL SELECT ({step} found.language) FROM found"
            " WHERE language IS NOT NULL) SELECT language FROM found WHERE language != ''"
        )
        with self.database.reading() as db:
            return [language for (language,) in db.execute(query, (self.collection,))]

    def is_empty(self) -> bool:
        """Whether there is no document."""
        with self.database.reading() as db:
            query = "SELECT 1 FROM documents WHERE collection = ? LIMIT 1"
            return db.execute(query, (self.collection,)).fetchone() is None


def _insert_chunks(db: sqlite3.Connection, document: int | None, prepared: Prepared) -> None:
    db.executemany(
        "INSERT INTO chunks (document, ordinal, start, end, text, text_hash, heading) VALUES (?,?,?,?,?,?,?)",
        [
            (document, c.index, c.start, c.end, c.text, h, "\n".join(c.heading))
            for c, h in zip(prepared.chunks, prepared.hashes, strict=True)
        ],
    )


def _text_hashes(db: sqlite3.Connection, document: int) -> list[bytes]:
    return [h for (h,) in db.execute("SELECT DISTINCT text_hash FROM chunks WHERE document = ?", (document,))]


def _drop_unused(db: sqlite3.Connection, hashes: Sequence[bytes]) -> None:
    db.executemany(
        "DELETE FROM vectors WHERE text_hash = ?1 AND NOT EXISTS (SELECT 1 FROM chunks WHERE chunks.text_hash = ?1)",
        [(key,) for key in hashes],
    )

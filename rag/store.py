"""library.db: the one truth about documents, chunks and vectors; it knows nothing of indexes and models."""

import sqlite3
import threading
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rag.documents import Chunk, Document, Origin
from rag.embedding import Vectors
from rag.schema import open_database, translated

# SQLite takes at most 32,766 values in one statement by default (SQLITE_MAX_VARIABLE_NUMBER).
BLOCK = 5_000
_DOCUMENT = "source, title, origin, media_type, fetched, text"


@dataclass(frozen=True)
class StoredChunk:
    """A chunk with all that a search result says of it."""

    id: int
    text: str
    source: str
    title: str
    origin: Origin
    media_type: str
    fetched: str
    index: int
    total: int
    start: int
    end: int


@dataclass(frozen=True)
class Entry:
    """A chunk as an index takes it; `vectors` has one row a piece, shape (pieces, dimensions), None: not embedded."""

    chunk: StoredChunk
    vectors: Vectors | None


@dataclass(frozen=True)
class Removal:
    """A chunk that is gone: the number of its deletion, its id and how many pieces it had."""

    number: int
    chunk: int
    pieces: int


class Store:
    """One collection in library.db; its methods block and may be called from any thread.

    Ids of chunks and numbers of removals only grow, in the order of commits, over all processes: who knows the last
    of each that it has seen can catch up.
    """

    def __init__(self, path: Path, collection: str) -> None:
        self.path = path
        self.collection = collection
        self._lock = threading.RLock()
        with translated(path):
            self._db = open_database(path)

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._lock, translated(self.path):
            yield self._db

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction, which waits for those of other processes."""
        with self._reading() as db:
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
            except BaseException:
                db.rollback()
                raise
            db.commit()

    def close(self) -> None:
        """Close the file."""
        with self._reading() as db:
            db.close()

    # Documents

    def accepts(self, document: Document) -> bool:
        """Whether it would change anything: new, or changed, and not a snippet where the page itself is kept."""
        with self._reading() as db:
            row = db.execute(
                "SELECT origin, content_hash FROM documents WHERE collection = ? AND source = ?",
                (self.collection, document.source),
            ).fetchone()
        if row is None:
            return True
        if document.origin == "snippet" and row[0] != "snippet":
            return False
        return bool(row[0] != document.origin or row[1] != document.content_hash)

    def replace(self, document: Document, chunks: Sequence[Chunk], hashes: Sequence[bytes]) -> int:
        """Put a document in the place of the one with its source; the number of chunks, 0 when not accepted."""
        with self._writing() as db:
            if not self.accepts(document):
                return 0
            old = self._delete(db, document.source)
            key = db.execute(
                f"INSERT INTO documents (collection, content_hash, chunks, {_DOCUMENT}) VALUES (?,?,?,?,?,?,?,?,?)",
                (
                    self.collection,
                    document.content_hash,
                    len(chunks),
                    document.source,
                    document.title,
                    document.origin,
                    document.media_type,
                    document.fetched,
                    zlib.compress(document.text.encode()),
                ),
            ).lastrowid
            db.executemany(
                "INSERT INTO chunks (document, ordinal, start, end, text, text_hash) VALUES (?,?,?,?,?,?)",
                [(key, c.index, c.start, c.end, c.text, h) for c, h in zip(chunks, hashes, strict=True)],
            )
            _drop_unused(db, old or [])
        return len(chunks)

    def delete(self, sources: Sequence[str]) -> int:
        """Delete documents and the vectors that nothing else uses; the number of documents."""
        with self._writing() as db:
            deleted = [old for old in (self._delete(db, source) for source in sources) if old is not None]
            for old in deleted:
                _drop_unused(db, old)
        return len(deleted)

    def _delete(self, db: sqlite3.Connection, source: str) -> list[bytes] | None:
        """Delete a document and its chunks; the hashes of their texts, None when there was none."""
        row = db.execute(
            "SELECT id FROM documents WHERE collection = ? AND source = ?", (self.collection, source)
        ).fetchone()
        if row is None:
            return None
        hashes = [h for (h,) in db.execute("SELECT DISTINCT text_hash FROM chunks WHERE document = ?", row)]
        db.execute("DELETE FROM documents WHERE id = ?", row)
        return hashes

    def document(self, source: str) -> Document | None:
        """The document with this source."""
        with self._reading() as db:
            row = db.execute(
                f"SELECT {_DOCUMENT} FROM documents WHERE collection = ? AND source = ?",
                (self.collection, source),
            ).fetchone()
        if row is None:
            return None
        source, title, origin, media_type, fetched, text = row
        return Document(source, title, zlib.decompress(text).decode(), origin, media_type, fetched)

    def sources(self) -> list[tuple[str, str]]:
        """Source and title of every document, newest first."""
        with self._reading() as db:
            return db.execute(
                "SELECT source, title FROM documents WHERE collection = ? ORDER BY id DESC", (self.collection,)
            ).fetchall()

    def counts(self) -> dict[Origin, tuple[int, int]]:
        """Documents and chunks by origin."""
        query = (
            "SELECT origin, count(*), sum(chunks) FROM documents WHERE collection = ? GROUP BY origin ORDER BY origin"
        )
        with self._reading() as db:
            return {origin: (documents, chunks) for origin, documents, chunks in db.execute(query, (self.collection,))}

    def empty(self) -> bool:
        """Whether there is no document."""
        with self._reading() as db:
            query = "SELECT 1 FROM documents WHERE collection = ? LIMIT 1"
            return db.execute(query, (self.collection,)).fetchone() is None

    # Vectors

    def keep_vectors(self, fingerprint: str, vectors: dict[bytes, Vectors]) -> None:
        """Keep the vectors of texts, by the texts' hashes."""
        rows = [(key, fingerprint, len(v), v.astype("<f4").tobytes()) for key, v in vectors.items()]
        with self._writing() as db:
            db.executemany("INSERT OR IGNORE INTO vectors VALUES (?,?,?,?)", rows)

    def without_vector(self, fingerprint: str, hashes: Sequence[bytes]) -> set[bytes]:
        """Those of the hashes for which no vector is kept."""
        known: set[bytes] = set()
        with self._reading() as db:
            for start in range(0, len(hashes), BLOCK):
                block = hashes[start : start + BLOCK]
                marks = ",".join("?" * len(block))
                query = f"SELECT text_hash FROM vectors WHERE fingerprint = ? AND text_hash IN ({marks})"
                known.update(row[0] for row in db.execute(query, (fingerprint, *block)))
        return set(hashes) - known

    def not_embedded(self, fingerprint: str) -> dict[bytes, str]:
        """Texts of chunks that have no vector of this model, by hash, oldest first."""
        query = (
            "SELECT text_hash, chunks.text FROM chunks JOIN documents d ON d.id = chunks.document"
            " WHERE d.collection = ? AND NOT EXISTS (SELECT 1 FROM vectors v"
            " WHERE v.text_hash = chunks.text_hash AND v.fingerprint = ?) ORDER BY chunks.id"
        )
        with self._reading() as db:
            return dict(db.execute(query, (self.collection, fingerprint)).fetchall())

    # What indexes follow

    def entries(self, fingerprint: str, after: int, limit: int) -> list[Entry]:
        """Chunks with ids above `after`, in their order."""
        query = (
            f"SELECT {_CHUNK}, v.pieces, v.vector FROM chunks c JOIN documents d ON d.id = c.document"
            " LEFT JOIN vectors v ON v.text_hash = c.text_hash AND v.fingerprint = ?"
            " WHERE c.id > ? AND d.collection = ? ORDER BY c.id LIMIT ?"
        )
        with self._reading() as db:
            rows = db.execute(query, (fingerprint, after, self.collection, limit)).fetchall()
        return [Entry(StoredChunk(*row[:11]), _matrix(row[11], row[12])) for row in rows]

    def chunks(self, ids: Sequence[int]) -> dict[int, StoredChunk]:
        """Those of the chunks that still exist, by id."""
        marks = ",".join("?" * len(ids))
        query = f"SELECT {_CHUNK} FROM chunks c JOIN documents d ON d.id = c.document WHERE c.id IN ({marks})"
        with self._reading() as db:
            return {row[0]: StoredChunk(*row) for row in db.execute(query, tuple(ids))}

    def removals(self, after: int) -> list[Removal]:
        """Chunks that were deleted since removal number `after`."""
        with self._reading() as db:
            rows = db.execute("SELECT number, chunk, pieces FROM removed WHERE number > ?", (after,)).fetchall()
        return [Removal(*row) for row in rows]

    def last_removal(self) -> int:
        """The number of the newest removal."""
        with self._reading() as db:
            row = db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'removed'").fetchone()
        return row[0] if row else 0

    def identity(self) -> tuple[str, int]:
        """The library's random name, and how often a rebuild of its indexes was ordered."""
        with self._reading() as db:
            meta = dict(db.execute("SELECT key, value FROM meta").fetchall())
        return meta["library"], int(meta["generation"])

    def order_rebuild(self) -> None:
        """Make every index that follows, in whatever process, begin anew; drop what only the old ones needed."""
        with self._writing() as db:
            db.execute("UPDATE meta SET value = value + 1 WHERE key = 'generation'")
            db.execute("DELETE FROM removed")
            db.execute("DELETE FROM vectors WHERE text_hash NOT IN (SELECT text_hash FROM chunks)")


_CHUNK = "c.id, c.text, d.source, d.title, d.origin, d.media_type, d.fetched, c.ordinal, d.chunks, c.start, c.end"


def _drop_unused(db: sqlite3.Connection, hashes: Sequence[bytes]) -> None:
    db.executemany(
        "DELETE FROM vectors WHERE text_hash = ?1 AND NOT EXISTS (SELECT 1 FROM chunks WHERE chunks.text_hash = ?1)",
        [(key,) for key in hashes],
    )


def _matrix(pieces: int | None, blob: bytes | None) -> Vectors | None:
    if pieces is None or blob is None:
        return None
    return np.frombuffer(blob, dtype="<f4").reshape(pieces, -1)

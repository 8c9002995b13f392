"""The vectors in library.db, by what was embedded and by which model: the same text is never embedded twice."""

from collections.abc import Sequence
from sqlite3 import Connection

import numpy as np
from numpy.typing import NDArray

from rag.documents import contextual_text
from rag.embedding.base import Vectors
from rag.records.vectors import SAMPLED
from rag.sqlite.database import LibraryDatabase
from rag.stored import damaged_library

# SQLite takes at most 32,766 values in one statement by default (SQLITE_MAX_VARIABLE_NUMBER).
VECTORS_BLOCK = 5_000


class VectorStore:
    """Vectors of one model, given by its fingerprint; its methods block and may be called from any thread."""

    def __init__(self, database: LibraryDatabase, fingerprint: str) -> None:
        self.fingerprint = fingerprint
        self._database = database

    def keep_vectors(self, vectors: dict[bytes, Vectors]) -> None:
        """Keep the vectors of texts, by the texts' hashes."""
        rows = [(key, self.fingerprint, len(v), v.astype("<f4").tobytes()) for key, v in vectors.items()]
        with self._database.writing() as db:
            db.executemany("INSERT OR IGNORE INTO vectors VALUES (?,?,?,?)", rows)

    def missing_hashes(self, hashes: Sequence[bytes]) -> set[bytes]:
        """Those of the hashes for which no vector is kept."""
        known: set[bytes] = set()
        with self._database.reading() as db:
            for start in range(0, len(hashes), VECTORS_BLOCK):
                block = hashes[start : start + VECTORS_BLOCK]
                marks = ",".join("?" * len(block))
                query = f"SELECT text_hash FROM vectors WHERE fingerprint = ? AND text_hash IN ({marks})"
                known.update(row[0] for row in db.execute(query, (self.fingerprint, *block)))
        return set(hashes) - known

    def not_embedded(self, collection: str) -> dict[bytes, str]:
        """What is to be embedded of the chunks that have no vector of this model, by hash, oldest first."""
        query = (
            "SELECT c.text_hash, d.title, c.heading, c.text FROM chunks c JOIN documents d ON d.id = c.document"
            " WHERE d.collection = ? AND NOT EXISTS (SELECT 1 FROM vectors v"
            " WHERE v.text_hash = c.text_hash AND v.fingerprint = ?) ORDER BY c.id"
        )
        with self._database.reading() as db:
            rows = db.execute(query, (collection, self.fingerprint)).fetchall()
        return {key: contextual_text(title, tuple(heading.splitlines()), text) for key, title, heading, text in rows}

    def missing_size(self) -> tuple[int, int]:
        """How many texts of the whole library have no vector of this model, and their characters."""
        query = (
            "SELECT count(*), coalesce(sum(size), 0) FROM (SELECT max(length(c.text)) AS size FROM chunks c WHERE NOT"
            " EXISTS (SELECT 1 FROM vectors v WHERE v.text_hash = c.text_hash AND v.fingerprint = ?)"
            " GROUP BY c.text_hash)"
        )
        with self._database.reading() as db:
            texts, characters = db.execute(query, (self.fingerprint,)).fetchone()
        return texts, characters

    def sample_text(self) -> tuple[str, Vectors] | None:
        """A short text of one piece that was embedded, and its vector; None where there is none."""
        query = (
            "SELECT title, heading, text, pieces, vector FROM (SELECT c.id, d.title, c.heading, c.text, v.pieces,"
            " v.vector FROM chunks c JOIN documents d ON d.id = c.document JOIN vectors v"
            " ON v.text_hash = c.text_hash AND v.fingerprint = ? WHERE v.pieces = 1 ORDER BY c.id LIMIT ?)"
            " ORDER BY length(text) + length(heading) + length(title), id LIMIT 1"
        )
        with self._database.reading() as db:
            row = db.execute(query, (self.fingerprint, SAMPLED)).fetchone()
        if row is None or (vectors := read_matrix(row[3], row[4])) is None:
            return None
        return contextual_text(row[0], tuple(row[1].splitlines()), row[2]), vectors

    def forget_all(self) -> None:
        """Remove all vectors of this model; every index that follows, in whatever process, begins anew."""
        with self._database.writing() as db:
            db.execute("DELETE FROM vectors WHERE fingerprint = ?", (self.fingerprint,))
            begin_generation(db)

    def chunk_similarities(self, vector: Vectors, chunks: Sequence[int]) -> dict[int, float]:
        """Cosine of a unit vector, shape (dimensions,), and the best piece of each chunk that is embedded."""
        found: dict[int, float] = {}
        with self._database.reading() as db:
            for start in range(0, len(chunks), VECTORS_BLOCK):
                block = chunks[start : start + VECTORS_BLOCK]
                query = (
                    "SELECT c.id, v.pieces, v.vector FROM chunks c JOIN vectors v ON v.text_hash = c.text_hash"
                    f" AND v.fingerprint = ? WHERE c.id IN ({','.join('?' * len(block))})"
                )
                rows = db.execute(query, (self.fingerprint, *block)).fetchall()
                found.update(_best_pieces(vector, rows))
        return found


def begin_generation(db: Connection) -> None:
    """Have all indexes made anew, in the transaction under way."""
    db.execute("UPDATE meta SET value = value + 1 WHERE key = 'generation'")


def drop_unused(db: Connection) -> int:
    """Remove the vectors of texts that no chunk has, in the transaction under way; how many."""
    return db.execute("DELETE FROM vectors WHERE text_hash NOT IN (SELECT text_hash FROM chunks)").rowcount


def _best_pieces(vector: Vectors, rows: Sequence[tuple[int, int, bytes]]) -> dict[int, float]:
    if not rows:
        return {}
    _, pieces = stack_vectors(rows)
    if pieces.shape[1] != len(vector):
        raise damaged_library("a vector has not the length that it was kept with")
    ends = np.cumsum([count for _, count, _ in rows])
    best = np.maximum.reduceat(pieces @ vector, [0, *ends[:-1]])
    return {key: float(score) for (key, _, _), score in zip(rows, best, strict=True)}


def stack_vectors(rows: Sequence[tuple[int, int, bytes]]) -> tuple[NDArray[np.int64], Vectors]:
    """Vectors as they are kept, of chunks with their number of pieces: the chunk of each piece, and a row a piece."""
    counts = [count for _, count, _ in rows]
    width = len(rows[0][2]) // max(1, counts[0])
    if any(count < 1 or len(blob) != width * count for _, count, blob in rows) or width % 4:
        raise damaged_library("a vector has not the length that it was kept with")
    vectors = np.frombuffer(b"".join(blob for _, _, blob in rows), dtype="<f4")
    return np.repeat(np.array([key for key, _, _ in rows], np.int64), counts), vectors.reshape(-1, width // 4)


def read_matrix(pieces: int | None, blob: bytes | None) -> Vectors | None:
    """The vectors as they are kept, shape (pieces, dimensions)."""
    if pieces is None or blob is None:
        return None
    if pieces < 1 or len(blob) % (4 * pieces):
        raise damaged_library("a vector has not the length that it was kept with")
    return np.frombuffer(blob, dtype="<f4").reshape(pieces, -1)

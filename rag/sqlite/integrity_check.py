"""The checks of library.db in itself: what is damaged there, and what can be mended from what is sound."""

import zlib
from collections import Counter

import numpy as np

from rag.records.documents import REMADE, DocumentRecord, PieceRecord
from rag.records.vectors import UNIT
from rag.sqlite.database import LibraryDatabase
from rag.sqlite.schema import NAME_ANEW, library_identity
from rag.sqlite.vectors import drop_unused
from rag.stored import Finding
from utils.errors import LibraryError
from utils.sqlite import is_unwritable


def check_file(database: LibraryDatabase) -> list[Finding]:
    """SQLite's own checks, and whether the library has a name.

    SQLite's indexes are made anew where something is wrong, chunks without documents removed. Raises `LibraryError`
    where nothing can be written: that is no damage.
    """
    try:
        findings = []
        if wrong := _check_integrity(database):
            with database.writing() as db:
                db.execute("REINDEX")
            findings.append(Finding(f"library.db is damaged: {wrong[0]}.", not _check_integrity(database)))
        with database.writing() as db:
            if db.execute("PRAGMA foreign_key_check").fetchall():
                count = db.execute("DELETE FROM chunks WHERE document NOT IN (SELECT id FROM documents)").rowcount
                findings.append(Finding(f"Chunks that belonged to no document were removed: {count:,}.", True))
        return findings + _retype_values(database) + _name_anew(database)
    except LibraryError as error:
        if is_unwritable(error.__cause__):
            raise
        return [Finding(str(error), False)]


# What takes the place of a value that is of no type of its column; a row that has none is removed, and what follows
# from the others made anew: chunks are cut, vectors embedded.
_DOCUMENT_DEFAULTS = {
    "title": "''", "origin": "'file'", "media_type": "'text/plain'", "fetched": "''", "content_hash": "''",
    "chunks": "0", "text": "x''", "language": "''", "chunker": "''", "seen": "''", "cited": "0", "container": "''",
    "properties": "'{}'",
}  # fmt: skip
_NEUTRAL: dict[str, dict[str, str]] = {
    "documents": _DOCUMENT_DEFAULTS,
    "collections": {
        "chunk_size": "NULL",
        "chunk_overlap": "NULL",
        "chunk_unit": "NULL",
        "chunk_tokenizer": "NULL",
        "created": "''",
    },
    "chunks": {},
    "vectors": {},
    "removed": {},
}


def _retype_values(database: LibraryDatabase) -> list[Finding]:
    """Put something in the place of values that are of no type of their column."""
    count = 0
    with database.writing() as db:
        for table, neutral in _NEUTRAL.items():
            columns = db.execute("SELECT name, lower(type) FROM pragma_table_info(?)", (table,)).fetchall()
            for name, kind in columns:
                wrong = f"WHERE typeof({name}) NOT IN ('{kind}', 'null')"
                change = f"UPDATE {table} SET {name} = {neutral[name]}" if name in neutral else f"DELETE FROM {table}"
                count += db.execute(f"{change} {wrong}").rowcount
        torn = "chunk_overlap IS NULL OR chunk_overlap NOT BETWEEN 0 AND chunk_size - 1 OR chunk_unit IS NULL"
        unknown = "chunk_unit NOT IN ('characters', 'tokens')"
        nothing = "SET chunk_size = NULL, chunk_overlap = NULL, chunk_unit = NULL, chunk_tokenizer = NULL"
        count += db.execute(f"UPDATE collections {nothing} WHERE chunk_size AND ({torn} OR {unknown})").rowcount
    return [Finding(f"Values that were of no type of their column were replaced: {count:,}.", True)] if count else []


def _check_integrity(database: LibraryDatabase) -> list[str]:
    with database.reading() as db:
        return [line for (line,) in db.execute("PRAGMA integrity_check(20)") if line != "ok"]


def _name_anew(database: LibraryDatabase) -> list[Finding]:
    with database.writing() as db:
        try:
            library_identity(db)
            return []
        except LibraryError:
            db.execute(NAME_ANEW)
    return [Finding("What names the library was lost; it has a new name, and its indexes are made anew.", True)]


def drop_unused_vectors(database: LibraryDatabase) -> list[Finding]:
    """Remove vectors of texts that no chunk has, as a process leaves them that is killed while it adds a document."""
    with database.writing() as db:
        count = drop_unused(db)
    return [Finding(f"Vectors of texts that are gone were removed: {count:,}.", True)] if count else []


def drop_damaged_vectors(database: LibraryDatabase, fingerprint: str) -> list[Finding]:
    """Remove vectors that the model cannot have given; the chunks are then embedded anew."""
    with database.reading() as db:
        rows = db.execute("SELECT text_hash, pieces, vector FROM vectors WHERE fingerprint = ?", (fingerprint,))
        shapes, damaged = Counter[int](), list[bytes]()
        lengths: dict[bytes, int] = {}
        for key, pieces, blob in rows:
            if (
                pieces > 0
                and len(blob) % (4 * pieces) == 0
                and _are_unit_vectors(np.frombuffer(blob, "<f4").reshape(pieces, -1))
            ):
                lengths[key] = len(blob) // pieces
                shapes[lengths[key]] += 1
            else:
                damaged.append(key)
    usual = shapes.most_common(1)
    damaged += [key for key, length in lengths.items() if length != usual[0][0]]
    if not damaged:
        return []
    with database.writing() as db:
        values = [(key, fingerprint) for key in damaged]
        db.executemany("DELETE FROM vectors WHERE text_hash = ? AND fingerprint = ?", values)
    return [Finding(f"Damaged vectors were made anew: {len(damaged):,}.", True)]


def _are_unit_vectors(matrix: np.ndarray[tuple[int, int], np.dtype[np.float32]]) -> bool:
    with np.errstate(all="ignore"):
        lengths = np.linalg.norm(matrix.astype(np.float64), axis=1)
    return bool(np.all(np.abs(lengths - 1) < UNIT))


def check_documents(database: LibraryDatabase, collection: str) -> list[Finding]:
    """Texts against their digests, and chunks against the texts.

    Documents with wrong chunks are marked, to be cut anew. A damaged text is put together from its chunks or, where
    that is impossible, its document removed.
    """
    with database.reading() as db:
        keys = [key for (key,) in db.execute("SELECT id FROM documents WHERE collection = ?", (collection,))]
    findings, cut = list[Finding](), 0
    for record in filter(None, (_read_record(database, key) for key in keys)):
        text = record.known_text()
        if text is None:
            findings.append(_mend_record(database, record))
        elif not record.is_whole(text):
            cut += 1
            with database.writing() as db:
                db.execute("UPDATE documents SET chunker = '' WHERE id = ?", (record.id,))
    if cut:
        findings.append(Finding(f"Documents whose chunks were not those of their text were cut anew: {cut:,}.", True))
    return findings


def _read_record(database: LibraryDatabase, key: int) -> DocumentRecord | None:
    with database.reading() as db:
        query = "SELECT id, source, title, content_hash, chunks, text, chunker FROM documents WHERE id = ?"
        row = db.execute(query, (key,)).fetchone()
        # As bytes: what is damaged may be no text any more.
        query = (
            "SELECT ordinal, start, end, CAST(text AS BLOB), text_hash, CAST(heading AS BLOB) FROM chunks"
            " WHERE document = ? ORDER BY ordinal"
        )
        pieces = db.execute(query, (key,)).fetchall()
    return None if row is None else DocumentRecord([_make_piece(*piece) for piece in pieces], *row)


def _make_piece(ordinal: int, start: int, end: int, text: bytes, key: bytes, heading: bytes) -> PieceRecord:
    return PieceRecord(ordinal, start, end, text.decode(errors="replace"), key, heading.decode(errors="replace"))


def _mend_record(database: LibraryDatabase, record: DocumentRecord) -> Finding:
    text = record.remake_text()
    with database.writing() as db:
        if text is None:
            db.execute("DELETE FROM documents WHERE id = ?", (record.id,))
            return Finding(f"The text of {record.source} was damaged, and the document removed: add it again.", True)
        values = (zlib.compress(text.encode()), REMADE, record.id)
        db.execute("UPDATE documents SET text = ?, content_hash = ?, chunker = '' WHERE id = ?", values)
    return Finding(f"The text of {record.source} was damaged; it was put together from its chunks.", True)

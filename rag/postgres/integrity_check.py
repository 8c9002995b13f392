"""The checks of a library in PostgreSQL: what is not as it was kept, and what can be mended from what is sound.

Types, keys and the pages of its files are the server's own care.
"""

import zlib
from collections.abc import Iterator

from psycopg import Connection

from rag.postgres.database import APPLICATION, PostgresDatabase, Row, rows_of
from rag.postgres.distribution import lock_positions
from rag.postgres.document_rows import CHUNK_ARRAYS
from rag.postgres.documents import delete_rows
from rag.postgres.schema import NAME_LIBRARY
from rag.postgres.search.records import forget_vectors
from rag.postgres.vectors import drop_unused
from rag.records.documents import REMADE, DocumentRecord, PieceRecord
from rag.records.vectors import UNIT
from rag.stored import Finding, damaged_library
from utils.errors import LibraryError

RECORDS_BLOCK = 100
"""Documents that are read at once."""


def check_database(database: PostgresDatabase) -> list[Finding]:
    """Whether the library has a name, and its positions are behind all that was given one."""
    findings = list[Finding]()
    try:
        library_name(database)
    except LibraryError:
        database.execute(NAME_LIBRARY)
        what = "What names the library was lost; it has a new name."
        findings.append(Finding(what, True))
    query = (
        "UPDATE positions SET document = greatest(document, (SELECT max(id) FROM documents)),"
        " chunk = greatest(chunk, (SELECT max(id) FROM chunks))"
        " WHERE document < (SELECT max(id) FROM documents) OR chunk < (SELECT max(id) FROM chunks)"
    )
    if database.execute(query):
        findings.append(Finding("The library gave numbers that were taken; it goes on behind them.", True))
    return findings


def library_name(database: PostgresDatabase) -> str:
    """The library's random name; raises `LibraryError`."""
    rows = database.read("SELECT value FROM meta WHERE key = 'library'")
    if not rows:
        raise damaged_library("what names it was lost")
    return str(rows[0][0])


def drop_unused_vectors(database: PostgresDatabase) -> list[Finding]:
    """Remove vectors of texts that no chunk has, as a process leaves them that is killed while it adds a document.

    While another process is connected, on whatever machine, they may be those of a document that it adds.
    """
    others = (
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid != pg_backend_pid()"
        " AND backend_type = 'client backend' AND application_name != %s"
        " AND (application_name IS NULL OR starts_with(application_name, %s)) LIMIT 1"
    )

    def drop(connection: Connection[Row]) -> int:
        lock_positions(connection)
        return 0 if rows_of(connection, others, (database.name, APPLICATION)) else drop_unused(connection)

    count = database.write(drop)
    return [Finding(f"Vectors of texts that are gone were removed: {count:,}.", True)] if count else []


def drop_damaged_vectors(database: PostgresDatabase, fingerprint: str) -> list[Finding]:
    """Remove vectors that the model cannot have given; the chunks are then embedded anew."""
    query = (
        "WITH mine AS (SELECT * FROM vectors WHERE fingerprint = %(model)s),"
        " usual AS (SELECT mode() WITHIN GROUP (ORDER BY vector_dims(vector)) AS size FROM mine),"
        " damaged AS (SELECT document, text_hash FROM mine, usual GROUP BY document, text_hash"
        " HAVING max(piece) + 1 != count(*) OR bool_or(vector_dims(vector) != usual.size)"
        " OR bool_or(abs(vector_norm(vector) - 1) > %(unit)s)),"
        " gone AS (DELETE FROM vectors WHERE fingerprint = %(model)s"
        " AND (document, text_hash) IN (SELECT document, text_hash FROM damaged) RETURNING text_hash)"
        " SELECT DISTINCT text_hash FROM gone"
    )

    def drop(connection: Connection[Row]) -> int:
        lock_positions(connection)
        hashes = [key for (key,) in rows_of(connection, query, {"model": fingerprint, "unit": UNIT})]
        forget_vectors(connection, fingerprint, hashes)
        return len(hashes)

    count = database.write(drop)
    return [Finding(f"Damaged vectors were made anew: {count:,}.", True)] if count else []


def check_documents(database: PostgresDatabase, collection: str) -> list[Finding]:
    """Texts against their digests, and chunks against the texts.

    Documents with wrong chunks are marked, to be cut anew. A damaged text is put together from its chunks or, where
    that is impossible, its document removed.
    """
    findings, cut = list[Finding](), list[int]()
    for record in _read_records(database, collection):
        text = record.known_text()
        if text is None:
            findings.append(_mend_record(database, record))
        elif not record.is_whole(text):
            cut.append(record.id)
    if cut:
        database.execute("UPDATE documents SET chunker = '' WHERE id = ANY(%s::bigint[])", (cut,))
        what = f"Documents whose chunks were not those of their text were cut anew: {len(cut):,}."
        findings.append(Finding(what, True))
    return findings


def _read_records(database: PostgresDatabase, collection: str) -> Iterator[DocumentRecord]:
    """The documents of a collection, each as it was at one moment."""
    query = (
        "SELECT d.id, d.source, d.title, d.content_hash, d.chunks, d.text, d.chunker, c.*"
        f" FROM documents d {CHUNK_ARRAYS}"
        " WHERE d.collection = %s AND d.id > %s ORDER BY d.id LIMIT %s"
    )
    last = 0
    while rows := database.read(query, (collection, last, RECORDS_BLOCK)):
        for row in rows:
            pieces = zip(*row[7:], strict=True) if row[7] else ()
            yield DocumentRecord([PieceRecord(*piece) for piece in pieces], *row[:7])
        last = rows[-1][0]


def _mend_record(database: PostgresDatabase, record: DocumentRecord) -> Finding:
    text = record.remake_text()

    def remove(connection: Connection[Row]) -> None:
        lock_positions(connection)
        delete_rows(connection, [record.id])

    if text is None:
        database.write(remove)
        return Finding(f"The text of {record.source} was damaged, and the document removed: add it again.", True)
    values = (zlib.compress(text.encode()), REMADE, record.id)
    database.execute("UPDATE documents SET text = %s, content_hash = %s, chunker = '' WHERE id = %s", values)
    return Finding(f"The text of {record.source} was damaged; it was put together from its chunks.", True)

"""What searches read of documents, written and removed in the transaction that changes these."""

from collections import Counter
from collections.abc import Mapping, Sequence

from psycopg import Connection

from rag.documents import Chunk
from rag.postgres.database import Row, rows_of
from rag.postgres.search.terms import DocumentTerms, find_terms
from rag.search.tokenization import LIBRARY_TERMS_VERSION

DOCUMENT_TOTAL, CHUNK_TOTAL = "documents", "chunks"
LANGUAGE_TOTAL = "language "
"""Before the code of a language: the documents in it."""
STALE = -1
"""The version of terms that are to be made anew."""
_COPY_TERMS = "COPY terms (collection, term, document, frequency, length, places) FROM STDIN (FORMAT BINARY)"
_TERM_TYPES = ("text", "text", "int8", "int4", "int4", "int8[]")
_ADD_TOTAL = (
    "INSERT INTO totals (collection, counted, records, terms) VALUES (%s, %s, %s, %s) ON CONFLICT (collection, counted)"
    " DO UPDATE SET records = totals.records + excluded.records, terms = totals.terms + excluded.terms"
)
_TAKE_VECTORS = (
    "INSERT INTO chunk_vectors (document, ordinal, fingerprint, piece, collection, vector)"
    " SELECT c.document, c.ordinal, v.fingerprint, v.piece, c.collection, v.vector::halfvec"
    " FROM chunks c JOIN vectors v ON v.document = c.document AND v.text_hash = c.text_hash WHERE {}"
    " ON CONFLICT DO NOTHING RETURNING collection, fingerprint, piece"
)


def vectors_of(fingerprint: str) -> str:
    """What the chunks that have vectors of a model are counted under."""
    return f"vectors {fingerprint}"


def put_terms(connection: Connection[Row], collection: str, found: Mapping[int, DocumentTerms]) -> None:
    """Write the terms of documents that have none, by the documents' ids."""
    with connection.cursor() as cursor, cursor.copy(_COPY_TERMS) as copy:
        copy.set_types(_TERM_TYPES)
        for document, one in found.items():
            for term, *about in one.rows:
                copy.write_row((collection, term, document, *about))
    counted = [(one.language, (1, one.terms), (one.chunks, one.chunk_terms)) for one in found.values()]
    _count_documents(connection, collection, counted)


def term_columns(found: DocumentTerms) -> dict[str, int]:
    """What a document's row says of its terms, by column."""
    return {"terms": found.terms, "chunk_terms": found.chunk_terms, "terms_version": LIBRARY_TERMS_VERSION}


def note_terms(connection: Connection[Row], document: int, found: DocumentTerms) -> None:
    """Say in a document's row what terms it has."""
    values = term_columns(found)
    changes = ", ".join(f"{name} = %s" for name in values)
    connection.execute(f"UPDATE documents SET {changes} WHERE id = %s".encode(), (*values.values(), document))


def make_terms(connection: Connection[Row], document: int, title: str, text: str, chunks: Sequence[Chunk]) -> None:
    """Write the terms of a document whose chunks are there, in the place of those that it has."""
    drop_terms(connection, [document])
    [(collection, language)] = rows_of(
        connection, "SELECT collection, language FROM documents WHERE id = %s", (document,)
    )
    found = find_terms(title, text, chunks, language)
    put_terms(connection, collection, {document: found})
    note_terms(connection, document, found)


def drop_terms(connection: Connection[Row], documents: Sequence[int]) -> None:
    """Remove the terms of documents that are still there."""
    values = (list(documents),)
    counted = rows_of(
        connection,
        "SELECT collection, language, count(*), sum(terms)::bigint, sum(chunks)::bigint, sum(chunk_terms)::bigint"
        " FROM documents WHERE id = ANY(%s::bigint[]) AND terms_version != 0 GROUP BY collection, language",
        values,
    )
    connection.execute("DELETE FROM terms WHERE document = ANY(%s::bigint[])", values)
    for collection, language, records, terms, chunks, chunk_terms in counted:
        _count_documents(connection, collection, [(language, (-records, -terms), (-chunks, -chunk_terms))])


def take_vectors(connection: Connection[Row], documents: Sequence[int]) -> None:
    """Give the chunks of documents the vectors that are kept of their texts, of all models."""
    query = _TAKE_VECTORS.format("c.document = ANY(%s::bigint[])")
    _count_vectors(connection, rows_of(connection, query, (list(documents),)), 1)


def take_new_vectors(connection: Connection[Row], fingerprint: str, hashes: Sequence[bytes]) -> None:
    """Give chunks that are there already the vectors of a model that have come of their texts."""
    condition = "v.fingerprint = %s AND c.text_hash = ANY(%s::bytea[])"
    rows = rows_of(connection, _TAKE_VECTORS.format(condition), (fingerprint, list(hashes)))
    _count_vectors(connection, rows, 1)


def drop_vectors(connection: Connection[Row], documents: Sequence[int]) -> None:
    """Remove the vectors of the chunks of documents."""
    query = "DELETE FROM chunk_vectors WHERE document = ANY(%s::bigint[]) RETURNING collection, fingerprint, piece"
    _count_vectors(connection, rows_of(connection, query, (list(documents),)), -1)


def forget_vectors(connection: Connection[Row], fingerprint: str, hashes: Sequence[bytes] | None = None) -> None:
    """Remove the vectors of a model from all chunks, or from those with these texts."""
    query = (
        "DELETE FROM chunk_vectors v WHERE fingerprint = %s AND (%s::bytea[] IS NULL OR EXISTS (SELECT 1 FROM chunks c"
        " WHERE c.document = v.document AND c.ordinal = v.ordinal AND c.text_hash = ANY(%s::bytea[])))"
        " RETURNING collection, fingerprint, piece"
    )
    named = None if hashes is None else list(hashes)
    _count_vectors(connection, rows_of(connection, query, (fingerprint, named, named)), -1)


def drop_collection(connection: Connection[Row], collection: str) -> None:
    """Remove what searches read of a collection."""
    for table in ("terms", "chunk_vectors", "totals"):
        connection.execute(f"DELETE FROM {table} WHERE collection = %s".encode(), (collection,))


def _count_documents(
    connection: Connection[Row], collection: str, added: Sequence[tuple[str, tuple[int, int], tuple[int, int]]]
) -> None:
    """Add so many documents in a language, and chunks, each with the terms in them; fewer where it is below 0."""
    records, terms = Counter[str](), Counter[str]()
    for language, documents, chunks in added:
        records.update({DOCUMENT_TOTAL: documents[0], CHUNK_TOTAL: chunks[0], LANGUAGE_TOTAL + language: documents[0]})
        terms.update({DOCUMENT_TOTAL: documents[1], CHUNK_TOTAL: chunks[1]})
    _add_totals(connection, {(collection, counted): (more, terms[counted]) for counted, more in records.items()})


def _count_vectors(connection: Connection[Row], changed: Sequence[Row], sign: int) -> None:
    counts = Counter((collection, vectors_of(fingerprint)) for collection, fingerprint, piece in changed if piece == 0)
    _add_totals(connection, {key: (sign * count, 0) for key, count in counts.items()})


def _add_totals(connection: Connection[Row], more: Mapping[tuple[str, str], tuple[int, int]]) -> None:
    """Add to what is counted of collections, in one order, so that nobody waits in a circle."""
    for (collection, counted), (records, terms) in sorted(more.items()):
        connection.execute(_ADD_TOTAL, (collection, counted, records, terms))

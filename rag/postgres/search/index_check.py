"""The check of what searches read in PostgreSQL: it must be what the documents and vectors say."""

from psycopg import Connection

from rag.postgres.database import PostgresDatabase, Row, rows_of
from rag.postgres.distribution import lock_positions
from rag.postgres.search.records import (
    CHUNK_TOTAL,
    DOCUMENT_TOTAL,
    LANGUAGE_TOTAL,
    drop_vectors,
    take_vectors,
    vectors_of,
)
from rag.stored import Finding


def check_search_tables(database: PostgresDatabase, collection: str, fingerprint: str) -> list[Finding]:
    """Terms that are missing, vectors that differ, and counts that are wrong; all are mended."""
    values = {"collection": collection, "model": fingerprint, "vectors": vectors_of(fingerprint)}

    def mend(connection: Connection[Row]) -> list[str]:
        lock_positions(connection)
        told = list[str]()
        if count := len(rows_of(connection, _MARK_WRONG_TERMS, values)):
            told.append(f"The terms of {count:,} documents of {collection} were wrong or missing; they were made anew.")
        wrong = [key for (key,) in rows_of(connection, _WRONG_VECTORS, values)]
        if wrong:
            drop_vectors(connection, wrong)
            take_vectors(connection, wrong)
            told.append(
                f"Vectors that {collection} is searched by were not those that are kept; {len(wrong):,} documents have"
                " them again."
            )
        if rows_of(connection, _MEND_TOTALS, values):
            told.append(f"What {collection} has was counted wrongly; it was counted anew.")
        return told

    return [Finding(one, True) for one in database.write(mend)]


# Every place of a chunk's terms has the chunk's length, and a document's terms say together how often they stand there.
# What is marked 0 has its terms made anew as if it had none.
_MARK_WRONG_TERMS = """
    WITH known AS (
        SELECT t.document, sum(t.frequency) AS terms,
            sum((SELECT coalesce(sum(place >> 16 & 65535), 0) FROM unnest(t.places) AS place)) AS chunk_terms
        FROM terms t WHERE t.collection = %(collection)s GROUP BY t.document
    )
    UPDATE documents d SET terms_version = -1 FROM documents o LEFT JOIN known k ON k.document = o.id
    WHERE d.id = o.id AND o.collection = %(collection)s AND o.terms_version > 0
        AND (o.terms, o.chunk_terms) IS DISTINCT FROM (coalesce(k.terms, 0), coalesce(k.chunk_terms, 0))
    RETURNING d.id
"""
_WRONG_VECTORS = """
    SELECT DISTINCT document FROM (
        (SELECT c.document, c.ordinal, v.piece, v.vector::halfvec FROM chunks c
            JOIN vectors v ON v.document = c.document AND v.text_hash = c.text_hash AND v.fingerprint = %(model)s
            WHERE c.collection = %(collection)s
        EXCEPT SELECT document, ordinal, piece, vector FROM chunk_vectors
            WHERE collection = %(collection)s AND fingerprint = %(model)s)
        UNION ALL
        (SELECT document, ordinal, piece, vector FROM chunk_vectors
            WHERE collection = %(collection)s AND fingerprint = %(model)s
        EXCEPT SELECT c.document, c.ordinal, v.piece, v.vector::halfvec FROM chunks c
            JOIN vectors v ON v.document = c.document AND v.text_hash = c.text_hash AND v.fingerprint = %(model)s
            WHERE c.collection = %(collection)s)
    ) differing
"""
_MEND_TOTALS = f"""
    INSERT INTO totals AS t (collection, counted, records, terms)
    SELECT %(collection)s, counted, records, terms FROM (
        SELECT '{DOCUMENT_TOTAL}', count(*), coalesce(sum(terms), 0)::bigint FROM documents
            WHERE collection = %(collection)s AND terms_version != 0
        UNION ALL SELECT '{CHUNK_TOTAL}', coalesce(sum(chunks), 0)::bigint, coalesce(sum(chunk_terms), 0)::bigint
            FROM documents WHERE collection = %(collection)s AND terms_version != 0
        UNION ALL SELECT '{LANGUAGE_TOTAL}' || language, count(*), 0 FROM documents
            WHERE collection = %(collection)s AND terms_version != 0 GROUP BY language
        UNION ALL SELECT %(vectors)s, count(*), 0 FROM chunk_vectors
            WHERE collection = %(collection)s AND fingerprint = %(model)s AND piece = 0
    ) anew (counted, records, terms)
    WHERE records != 0 OR EXISTS (
        SELECT 1 FROM totals o WHERE o.collection = %(collection)s AND o.counted = anew.counted)
    ON CONFLICT (collection, counted) DO UPDATE SET records = excluded.records, terms = excluded.terms
        WHERE (t.records, t.terms) != (excluded.records, excluded.terms)
    RETURNING 1
"""

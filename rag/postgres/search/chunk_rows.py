"""Chunks of PostgreSQL as searches quote them."""

from collections.abc import Sequence

from rag.documents import is_intact
from rag.postgres.database import PostgresDatabase, Row
from rag.stored import StoredChunk, damaged_library

QUOTED_COLUMNS = (
    "c.id, c.text, c.heading, d.source, d.title, d.origin, d.media_type, d.fetched, c.ordinal, d.chunks, c.start,"
    ' c."end", c.text_hash, d.chunker, c.document'
)
"""Of a chunk `c` and its document `d`: what `quoted_chunk` takes."""


def quoted_chunk(row: Row) -> tuple[StoredChunk, int]:
    """A chunk and the id of its document; what is quoted must be what was kept, else raises `LibraryError`."""
    *columns, digest, chunker, document = row
    chunk = StoredChunk.from_row(columns)
    if not is_intact(chunk.title, chunk.heading, chunk.text, digest, chunker):
        raise damaged_library(f"a part of {chunk.source} is not what was kept")
    return chunk, document


def read_quoted(database: PostgresDatabase, ids: Sequence[int]) -> dict[int, tuple[StoredChunk, int]]:
    """Those of the chunks that still exist, by id, with the ids of their documents."""
    query = (
        f"SELECT {QUOTED_COLUMNS} FROM chunks c JOIN documents d ON d.id = c.document WHERE c.id = ANY(%s::bigint[])"
    )
    found = map(quoted_chunk, database.read(query, (list(ids),))) if ids else ()
    return {chunk.id: (chunk, document) for chunk, document in found}

"""Documents of PostgreSQL as they stand in a row: the text packed; the chunks come as arrays."""

import zlib
from collections.abc import Sequence
from typing import Any

from rag.documents import Chunk, Document
from rag.postgres.database import translate_errors
from rag.postgres.search.records import term_columns
from rag.postgres.search.terms import DocumentTerms
from rag.records.listing import shown
from rag.records.properties import pack_properties, read_time
from rag.stored import Prepared

CHUNK_ARRAYS = (
    "LEFT JOIN LATERAL (SELECT array_agg(ordinal ORDER BY ordinal), array_agg(start ORDER BY ordinal),"
    ' array_agg("end" ORDER BY ordinal), array_agg(text ORDER BY ordinal), array_agg(text_hash ORDER BY ordinal),'
    " array_agg(heading ORDER BY ordinal) FROM chunks WHERE document = d.id) c ON TRUE"
)
"""The chunks of a document `d` in one row, for `chunks_in`: as a join, each would bring the document's text along."""


def chunks_in(arrays: Sequence[Any]) -> tuple[list[Chunk], list[bytes]]:
    """The chunks of a document out of what `CHUNK_ARRAYS` brings of it, and the hashes of their texts."""
    parts = list(zip(*arrays, strict=True)) if arrays[0] else []
    chunks = [
        Chunk(text, ordinal, start, end, tuple(heading.splitlines())) for ordinal, start, end, text, _, heading in parts
    ]
    return chunks, [part[4] for part in parts]


def unpack_text(text: bytes) -> str:
    """A document's text as it was packed; raises `LibraryError` where it is damaged."""
    with translate_errors():
        return zlib.decompress(text).decode()


def document_values(document: Document, prepared: Prepared, found: DocumentTerms) -> dict[str, Any]:
    """What stands in a document's row, by column."""
    return {
        "source": document.source,
        "title": document.title,
        "origin": document.origin,
        "media_type": document.media_type,
        "fetched": document.fetched,
        "fetched_at": read_time(document.fetched),
        "container": document.container,
        **told_values(document),
        "content_hash": document.content_hash,
        "chunks": len(prepared.chunks),
        "text": zlib.compress(document.text.encode()),
        "language": prepared.language,
        "chunker": prepared.chunker,
        "shown_title": shown(document.title),
        "shown_source": shown(document.source),
        **term_columns(found),
    }


def told_values(document: Document) -> dict[str, Any]:
    """What it says of itself, by column, and that as filters compare it."""
    told = document.properties
    return {
        "properties": pack_properties(told),
        "dated": read_time(told.published or document.fetched),
        "shown_author": told.author.casefold(),
        "shown_tags": [tag.casefold() for tag in told.tags],
    }

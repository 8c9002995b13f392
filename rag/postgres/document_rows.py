"""Documents of PostgreSQL as they come in a row: the text packed, the chunks as arrays."""

import zlib
from collections.abc import Sequence
from typing import Any

from rag.documents import Chunk
from rag.postgres.database import translate_errors

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

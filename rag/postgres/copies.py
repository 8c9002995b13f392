"""The documents in PostgreSQL, to be copied."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from psycopg import Connection

from rag.documents import Document
from rag.embedding.base import Vectors
from rag.postgres.adapters import unpack_vectors
from rag.postgres.database import PostgresDatabase, Row
from rag.postgres.distribution import lock_positions
from rag.postgres.document_rows import CHUNK_ARRAYS, chunks_in, unpack_text
from rag.postgres.documents import PostgresDocuments, terms_of
from rag.records.copies import KeptDocument
from rag.records.notes import NOTE
from rag.records.properties import unpack_properties
from rag.stored import Prepared

_DOCUMENT_FIELDS = (
    "d.id, d.source, d.title, d.origin, d.media_type, d.fetched, d.container, d.properties, d.text, d.language,"
    " d.chunker, d.seen, d.cited"
)


class PostgresCopies:
    """All documents; its methods block and may be called from any thread."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    def next_documents(self, collection: str, after: int, limit: int) -> dict[int, KeptDocument]:
        """Those with ids above `after`, by id, ascending."""
        return self._read("d.collection = %s AND d.id > %s ORDER BY d.id LIMIT %s", (collection, after, limit))

    def find_documents(self, collection: str, sources: Sequence[str]) -> dict[str, KeptDocument]:
        """Those with these sources, by source."""
        found = self._read("d.collection = %s AND d.source = ANY(%s::text[])", (collection, list(sources)))
        return {one.document.source: one for one in found.values()}

    def _read(self, condition: str, values: Sequence[Any]) -> dict[int, KeptDocument]:
        query = f"SELECT {_DOCUMENT_FIELDS}, c.* FROM documents d {CHUNK_ARRAYS} WHERE {condition}"
        return {row[0]: _kept_document(row) for row in self._database.read(query, values)}

    def put_documents(self, collection: str, documents: Sequence[KeptDocument]) -> None:
        """Put all of them, or none, each in the place of the one with its source."""
        store = PostgresDocuments(self._database, collection)
        terms = [terms_of(one.document, one.prepared) for one in documents]

        def put(connection: Connection[Row]) -> None:
            lock_positions(connection)
            whole = [(one.document, one.prepared, found) for one, found in zip(documents, terms, strict=True)]
            store.put_documents(connection, whole)
            for one in documents:
                connection.execute(
                    "UPDATE documents SET seen = %s, cited = %s WHERE collection = %s AND source = %s",
                    (one.seen, one.cited, collection, one.document.source),
                )

        self._database.write(put)

    def find_vectors(self, fingerprint: str, hashes: Sequence[bytes]) -> dict[bytes, Vectors]:
        """The vectors that a model gave of texts, by the texts' hashes."""
        # Those that stand beside several documents once.
        query = (
            "SELECT DISTINCT text_hash, piece, vector_send(vector) FROM vectors WHERE fingerprint = %s"
            " AND text_hash = ANY(%s::bytea[]) ORDER BY text_hash, piece"
        )
        found: dict[bytes, list[bytes]] = defaultdict(list)
        for key, _, packed in self._database.read(query, (fingerprint, list(hashes))):
            found[key].append(packed)
        return {key: unpack_vectors(pieces) for key, pieces in found.items()}

    def all_notes(self) -> dict[str, str]:
        """What is noted of embedding models, by name."""
        query = "SELECT substr(key, %s), value FROM meta WHERE starts_with(key, %s)"
        return dict(self._database.read(query, (len(NOTE) + 1, NOTE)))


def _kept_document(row: Row) -> KeptDocument:
    _, source, title, origin, media_type, fetched, container, told, packed, *about = row
    language, chunker, seen, cited, *arrays = about
    text = unpack_text(packed)
    document = Document(source, title, text, origin, media_type, fetched, container, unpack_properties(told))
    chunks, hashes = chunks_in(arrays)
    return KeptDocument(document, Prepared(chunks, hashes, {}, language, chunker), seen, cited)

"""One collection in PostgreSQL: its documents, their chunks and vectors; it knows nothing of indexes and models."""

import itertools
from collections.abc import Mapping, Sequence

from psycopg import Connection

from rag.documents import Chunk, Document, Origin
from rag.postgres.database import PostgresDatabase, Row, rows_of
from rag.postgres.distribution import delete_beside, lock_positions
from rag.postgres.document_rows import document_values, told_values, unpack_text
from rag.postgres.schema import UTC_NOW
from rag.postgres.search.records import drop_terms, drop_vectors, note_terms, put_terms, take_vectors
from rag.postgres.search.terms import DocumentTerms, find_terms
from rag.postgres.vectors import take_embedded
from rag.records.documents import changes_anything
from rag.records.properties import unpack_properties
from rag.stored import Prepared

_WHOLE_DOCUMENT = "source, title, origin, media_type, fetched, container, properties, text"
_COPY_CHUNKS = (
    'COPY chunks (id, document, collection, ordinal, start, "end", text, text_hash, heading) FROM STDIN (FORMAT BINARY)'
)
_CHUNK_TYPES = ("int8", "int8", "text", "int4", "int4", "int4", "text", "bytea", "text")
TITLES_BLOCK = 50
"""Titles that are looked at at once for those of the newest documents."""


class PostgresDocuments:
    """The documents of one collection; its methods block and may be called from any thread."""

    def __init__(self, database: PostgresDatabase, collection: str) -> None:
        self.collection = collection
        self._database = database

    def _sources(self, condition: str, *values: object, limit: int | None = None) -> list[str]:
        """Sources of the documents of the collection for which the condition is true."""
        query = f"SELECT source FROM documents WHERE collection = %s AND {condition} LIMIT %s"
        return [source for (source,) in self._database.read(query, (self.collection, *values, limit))]

    def accepted_sources(self, documents: Sequence[Document]) -> set[str]:
        """Those that would change anything: new, or changed, and no snippet where the page itself is kept."""
        return _accepted(documents, self._database.read(_KNOWN_DOCUMENTS, (self.collection, _sources_of(documents))))

    def touch_documents(self, documents: Sequence[Document]) -> None:
        """Note that documents were met again, unchanged, and where."""

        def touch(connection: Connection[Row]) -> None:
            # In one order for all: two that touch the same documents do not wait for each other in a circle.
            for document in sorted(documents, key=lambda one: one.source):
                self._touch(connection, document)

        self._database.write(touch)

    def _touch(self, connection: Connection[Row], document: Document) -> None:
        values = {"container": document.container, **told_values(document)}
        marks = {name: f"%({name})s" for name in values}
        if not document.properties.published:
            # The text is the one that was fetched then.
            marks["dated"] = "fetched_at"
        changes = [
            f"{name} = CASE WHEN origin = %(origin)s THEN {mark} ELSE {name} END" for name, mark in marks.items()
        ]
        query = (
            f"UPDATE documents SET seen = {UTC_NOW}, {', '.join(changes)}"
            " WHERE collection = %(collection)s AND source = %(source)s"
        )
        place = {"origin": document.origin, "collection": self.collection, "source": document.source}
        connection.execute(query.encode(), {**place, **values})

    def replace_documents(self, cut: Sequence[tuple[Document, Prepared]]) -> list[int]:
        """Put documents in the places of those with their sources, all or none; chunks of each, 0 if not accepted."""
        documents = [document for document, _ in cut]
        # While nobody waits for it.
        terms = [terms_of(document, prepared) for document, prepared in cut]

        def replace(connection: Connection[Row]) -> list[int]:
            lock_positions(connection)
            known = rows_of(connection, _KNOWN_DOCUMENTS, (self.collection, _sources_of(documents)))
            accepted = _accepted(documents, known)
            whole = [(*one, found) for one, found in zip(cut, terms, strict=True) if one[0].source in accepted]
            self.put_documents(connection, whole)
            return [len(prepared.chunks) if document.source in accepted else 0 for document, prepared in cut]

        return self._database.write(replace)

    def put_documents(
        self, connection: Connection[Row], whole: Sequence[tuple[Document, Prepared, DocumentTerms]]
    ) -> None:
        """Put documents with their terms in the places of those with their sources, in the transaction under way.

        Together: what is asked of the server for each of them takes longer than what it then does.
        """
        if not whole:
            return
        old = self._find_keys(connection, [document.source for document, _, _ in whole])
        keys = self._insert(connection, whole)
        cut = {key: (prepared, found) for key, (_, prepared, found) in zip(keys, whole, strict=True)}
        self._insert_chunks(connection, cut)
        delete_rows(connection, old)

    def cut_anew(self, source: str, prepared: Prepared) -> None:
        """Replace the chunks of a document whose text is as it was."""

        def cut(connection: Connection[Row]) -> None:
            lock_positions(connection)
            query = "SELECT id, title, text FROM documents WHERE collection = %s AND source = %s"
            for key, title, text in rows_of(connection, query, (self.collection, source)):
                _delete_chunks(connection, [key])
                connection.execute(
                    "UPDATE documents SET chunks = %s, language = %s, chunker = %s WHERE id = %s",
                    (len(prepared.chunks), prepared.language, prepared.chunker, key),
                )
                found = find_terms(title, unpack_text(text), prepared.chunks, prepared.language)
                self._insert_chunks(connection, {key: (prepared, found)})
                note_terms(connection, key, found)
                others = "DELETE FROM vectors WHERE document = %s AND text_hash != ALL(%s::bytea[])"
                connection.execute(others, (key, sorted(set(prepared.hashes))))

        self._database.write(cut)

    def cut_otherwise(self, chunker: str, limit: int) -> list[str]:
        """Sources of documents that something else than this chunker cut, at most `limit`."""
        # What is equal is left out by two steps into the index; `!=` would look at every document, twice a second.
        other = "SELECT source FROM documents WHERE collection = %(collection)s AND chunker"
        query = f"{other} < %(chunker)s UNION ALL {other} > %(chunker)s LIMIT %(limit)s"
        values = {"collection": self.collection, "chunker": chunker, "limit": limit}
        return [source for (source,) in self._database.read(query, values)]

    def delete_documents(self, sources: Sequence[str]) -> int:
        """Delete documents and the vectors that nothing else uses; the number of documents."""

        def delete(connection: Connection[Row]) -> int:
            lock_positions(connection)
            keys = self._find_keys(connection, sources)
            delete_rows(connection, keys)
            return len(keys)

        return self._database.write(delete)

    def _find_keys(self, connection: Connection[Row], sources: Sequence[str]) -> list[int]:
        """The numbers of the documents with these sources."""
        query = "SELECT id FROM documents WHERE collection = %s AND source = ANY(%s::text[])"
        return [key for (key,) in rows_of(connection, query, (self.collection, list(sources)))]

    def _insert(
        self, connection: Connection[Row], whole: Sequence[tuple[Document, Prepared, DocumentTerms]]
    ) -> list[int]:
        """Insert documents without their chunks; their ids."""
        begin = f"INSERT INTO collections (name, created) VALUES (%s, {UTC_NOW}) ON CONFLICT DO NOTHING"
        connection.execute(begin.encode(), (self.collection,))
        query = "UPDATE positions SET document = document + %s RETURNING document"
        [(last,)] = rows_of(connection, query, (len(whole),))
        keys = range(last - len(whole) + 1, last + 1)
        rows = [
            {"id": key, "collection": self.collection, **document_values(*one)}
            for key, one in zip(keys, whole, strict=True)
        ]
        names, marks = ", ".join(rows[0]), ", ".join(f"%({name})s" for name in rows[0])
        with connection.cursor() as cursor:
            query = f"INSERT INTO documents ({names}, seen) VALUES ({marks}, {UTC_NOW})"
            cursor.executemany(query.encode(), rows)
        return list(keys)

    def _insert_chunks(self, connection: Connection[Row], cut: Mapping[int, tuple[Prepared, DocumentTerms]]) -> None:
        """Insert the chunks of documents that have none, by the documents' ids, with all that searches read of them."""
        count = sum(len(prepared.chunks) for prepared, _ in cut.values())
        query = "UPDATE positions SET chunk = chunk + %s RETURNING chunk"
        [(last,)] = rows_of(connection, query, (count,))
        keys = itertools.count(last - count + 1)
        with connection.cursor() as cursor, cursor.copy(_COPY_CHUNKS) as copy:
            copy.set_types(_CHUNK_TYPES)
            for document, (prepared, _) in cut.items():
                for c, digest in zip(prepared.chunks, prepared.hashes, strict=True):
                    about = (c.index, c.start, c.end, c.text, digest, "\n".join(c.heading))
                    copy.write_row((next(keys), document, self.collection, *about))
        put_terms(connection, self.collection, {document: found for document, (_, found) in cut.items()})
        take_embedded(connection, {document: prepared.hashes for document, (prepared, _) in cut.items()})
        take_vectors(connection, list(cut))

    def find_document(self, source: str) -> Document | None:
        """The document with this source."""
        query = f"SELECT {_WHOLE_DOCUMENT} FROM documents WHERE collection = %s AND source = %s"
        rows = self._database.read(query, (self.collection, source))
        if not rows:
            return None
        [(source, title, origin, media_type, fetched, container, told, text)] = rows
        whole = unpack_text(text)
        return Document(source, title, whole, origin, media_type, fetched, container, unpack_properties(told))

    def first_chunks(self, source: str, limit: int) -> list[Chunk]:
        """The first chunks of a document."""
        query = (
            'SELECT c.text, c.ordinal, c.start, c."end", c.heading FROM chunks c JOIN documents d ON d.id = c.document'
            " WHERE d.collection = %s AND d.source = %s ORDER BY c.ordinal LIMIT %s"
        )
        rows = self._database.read(query, (self.collection, source, limit))
        return [
            Chunk(text, place, start, end, tuple(heading.splitlines())) for text, place, start, end, heading in rows
        ]

    def newest_titles(self, limit: int) -> list[str]:
        """So many titles, those of the newest documents first, each once."""
        query = "SELECT id, title FROM documents WHERE collection = %s AND id < %s ORDER BY id DESC LIMIT %s"
        found: dict[str, None] = {}
        before = 2**63 - 1
        while len(found) < limit and (rows := self._database.read(query, (self.collection, before, TITLES_BLOCK))):
            found |= dict.fromkeys(title for _, title in rows)
            before = rows[-1][0]
        return list(found)[:limit]

    def note_cited(self, sources: Sequence[str]) -> None:
        """Note that documents were cited in an answer: they are kept from then on."""
        query = "UPDATE documents SET cited = cited + 1 WHERE collection = %s AND source = ANY(%s::text[])"
        self._database.execute(query, (self.collection, list(sources)))

    def expired_sources(self, days: int) -> list[str]:
        """Pages and snippets that were last met more than so many days ago and never cited."""
        return self._sources(
            "origin != 'file' AND cited = 0 AND seen::timestamptz < now() - make_interval(days => %s)", days
        )

    def count_by_origin(self) -> dict[Origin, tuple[int, int]]:
        """Documents and chunks by origin."""
        query = (
            "SELECT origin, count(*), sum(chunks)::bigint FROM documents WHERE collection = %s"
            " GROUP BY origin ORDER BY origin"
        )
        rows = self._database.read(query, (self.collection,))
        return {origin: (documents, chunks) for origin, documents, chunks in rows}

    def is_empty(self) -> bool:
        """Whether there is no document."""
        return not self._sources("TRUE", limit=1)


_KNOWN_DOCUMENTS = (
    "SELECT source, origin, content_hash FROM documents WHERE collection = %s AND source = ANY(%s::text[])"
)


def _sources_of(documents: Sequence[Document]) -> list[str]:
    return [document.source for document in documents]


def _accepted(documents: Sequence[Document], known: Sequence[Row]) -> set[str]:
    """Sources of the documents that change anything; of those that are known origin and digest are given."""
    kept = {source: about for source, *about in known}
    return {one.source for one in documents if changes_anything(one, kept.get(one.source))}


def delete_rows(connection: Connection[Row], documents: Sequence[int]) -> None:
    """Delete documents with all that stands beside them, in the transaction under way."""
    if documents:
        _delete_chunks(connection, documents)
        delete_beside(connection, documents)


def _delete_chunks(connection: Connection[Row], documents: Sequence[int]) -> None:
    """Delete the chunks of documents with all that searches read of them."""
    drop_terms(connection, documents)
    drop_vectors(connection, documents)
    connection.execute("DELETE FROM chunks WHERE document = ANY(%s::bigint[])", (list(documents),))


def terms_of(document: Document, prepared: Prepared) -> DocumentTerms:
    """What searches by words read of a document that was cut so."""
    return find_terms(document.title, document.text, prepared.chunks, prepared.language)

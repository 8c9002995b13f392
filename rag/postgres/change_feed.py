"""The chunks of a collection in PostgreSQL, in the order in which they came and went."""

import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from psycopg import Connection

from rag.documents import contextual_text, is_intact
from rag.postgres.adapters import unpack_vectors
from rag.postgres.database import PostgresDatabase, Row, rows_of, translate_errors
from rag.postgres.distribution import lock_positions, settle_changes
from rag.postgres.documents import read_time
from rag.postgres.patterns import glob_to_regex
from rag.postgres.vectors import begin_generation, drop_unused
from rag.stored import Filters, Removal, Run, StoredChunk, TextEntry, VectorEntry, damaged_library

# The next chunks are chosen before anything is joined to them: a limit on what is joined would have all of it joined.
_NEXT = (
    "chunks c JOIN documents d ON d.id = c.document{beside} WHERE c.id IN (SELECT id FROM chunks WHERE"
    " collection = %(collection)s AND id > %(after)s AND id <= %(last)s ORDER BY id LIMIT %(limit)s) ORDER BY c.id"
)
_JOINED_PIECES = (
    " LEFT JOIN LATERAL (SELECT array_agg(vector_send(v.vector) ORDER BY v.piece) AS pieces FROM vectors v"
    " WHERE v.document = c.document AND v.text_hash = c.text_hash AND v.fingerprint = %(model)s) p ON TRUE"
)
_STORED_COLUMNS = (
    "c.id, c.text, c.heading, d.source, d.title, d.origin, d.media_type, d.fetched, c.ordinal, d.chunks, c.start,"
    ' c."end"'
)


class PostgresFeed:
    """Ids of chunks and numbers of removals only grow, in the order of commits, over all processes and machines: who
    knows the last of each that it has seen can catch up. Its methods block and may be called from any thread.
    """

    def __init__(self, database: PostgresDatabase, collection: str) -> None:
        self.collection = collection
        self._database = database
        self._settled: Row = ()
        """Up to where all servers have what was changed."""

    def _next(self, columns: str, beside: str = "", **values: Any) -> list[Row]:
        last, _ = self.feed_position()
        query = f"SELECT {columns} FROM {_NEXT.format(beside=beside)}"
        return self._database.read(query, {"collection": self.collection, "last": last, **values})

    def read_vectors(self, fingerprint: str, after: int, limit: int) -> list[VectorEntry]:
        """Chunks with ids above `after`, in their order, with the vectors of a model."""
        rows = self._next(f"{_STORED_COLUMNS}, p.pieces", _JOINED_PIECES, model=fingerprint, after=after, limit=limit)
        return [
            VectorEntry(StoredChunk.from_row(row[:-1]), unpack_vectors(row[-1]) if row[-1] else None) for row in rows
        ]

    def read_run(self, fingerprint: str, after: int, limit: int) -> tuple[list[Run], bool]:
        """The chunks with ids above `after` as one run, if there are any; and whether the next is not embedded yet."""
        rows = self._next("c.id, p.pieces", _JOINED_PIECES, model=fingerprint, after=after, limit=limit)
        ready = next((place for place, (_, pieces) in enumerate(rows) if not pieces), len(rows))
        if not ready:
            return [], bool(rows)
        ids = np.repeat(np.array([key for key, _ in rows[:ready]], np.int64), [len(p) for _, p in rows[:ready]])
        vectors = unpack_vectors([piece for _, pieces in rows[:ready] for piece in pieces])
        return [Run(ids, vectors)], ready < len(rows)

    def read_texts(self, after: int, limit: int) -> list[TextEntry]:
        """Chunks with ids above `after`, in their order, as text."""
        columns = "c.id, d.title, c.heading, c.text, d.language, CASE c.ordinal WHEN 0 THEN d.text END"
        with translate_errors():
            return [
                TextEntry(
                    key,
                    contextual_text(title, tuple(heading.splitlines()), text),
                    language,
                    None if whole is None else f"{title}\n{zlib.decompress(whole).decode()}",
                )
                for key, title, heading, text, language, whole in self._next(columns, after=after, limit=limit)
            ]

    def chunk_ids(self) -> set[int]:
        """All chunks of the collection."""
        rows = self._database.read("SELECT id FROM chunks WHERE collection = %s", (self.collection,))
        return {key for (key,) in rows}

    def read_chunks(self, ids: Sequence[int]) -> dict[int, StoredChunk]:
        """Those of the chunks that still exist, by id."""
        query = (
            f"SELECT {_STORED_COLUMNS}, c.text_hash, d.chunker FROM chunks c JOIN documents d ON d.id = c.document"
            " WHERE c.id = ANY(%s::bigint[])"
        )
        found: dict[int, StoredChunk] = {}
        for *columns, digest, chunker in self._database.read(query, (list(ids),)):
            chunk = found[columns[0]] = StoredChunk.from_row(columns)
            # What is quoted must be what was kept.
            if not is_intact(chunk.title, chunk.heading, chunk.text, digest, chunker):
                raise damaged_library(f"a part of {chunk.source} is not what was kept")
        return found

    def documents_of(self, ids: Sequence[int]) -> dict[int, int]:
        """The documents of chunks, by the chunks' ids."""
        return dict(self._database.read("SELECT id, document FROM chunks WHERE id = ANY(%s::bigint[])", (list(ids),)))

    def matching_chunks(self, filters: Filters) -> list[int]:
        """Ids of the chunks whose documents pass the filters."""
        conditions, values = conditions_of(filters)
        query = (
            "SELECT c.id FROM chunks c JOIN documents d ON d.id = c.document"
            f" WHERE c.collection = %s{''.join(f' AND {one}' for one in conditions)} ORDER BY c.id"
        )
        return [key for (key,) in self._database.read(query, (self.collection, *values))]

    def removals_after(self, after: int) -> list[Removal]:
        """Chunks that were deleted since removal number `after`."""
        query = "SELECT number, chunk, pieces FROM removed WHERE number > %s ORDER BY number"
        return [Removal(*row) for row in self._database.read(query, (after,))]

    def feed_position(self) -> tuple[int, int]:
        """The last chunk that was ever added to the library, to whatever collection, and the newest removal."""
        [position] = self._database.read(_POSITION)
        if self._database.distributed and position != self._settled:
            position = self._settled = self._database.write(_settled_position)
        chunk, removal = position
        return chunk, removal

    def last_removal(self) -> int:
        """The number of the newest removal."""
        return self.feed_position()[1]

    def library_identity(self) -> tuple[str, int]:
        """The library's random name, and how often a rebuild of its indexes was ordered; raises `LibraryError`."""
        return library_identity(self._database)

    def order_rebuild(self) -> None:
        """Make every index that follows, in whatever process, begin anew; drop what only the old ones needed."""

        def order(connection: Connection[Row]) -> None:
            lock_positions(connection)
            begin_generation(connection)
            connection.execute("DELETE FROM removed")
            drop_unused(connection)

        self._database.write(order)


_POSITION = "SELECT chunk, removal FROM positions"


def _settled_position(connection: Connection[Row]) -> Row:
    """What all servers have."""
    settle_changes(connection)
    return rows_of(connection, _POSITION)[0]


def library_identity(database: PostgresDatabase) -> tuple[str, int]:
    """The library's random name, and how often a rebuild of its indexes was ordered; raises `LibraryError`."""
    meta: dict[str, str] = dict(database.read("SELECT key, value FROM meta WHERE key IN ('library', 'generation')"))
    try:
        return str(meta["library"]), int(meta["generation"])
    except (KeyError, ValueError) as error:
        raise damaged_library("what names it was lost") from error


def conditions_of(filters: Filters) -> tuple[list[str], list[Any]]:
    """The filters as conditions of SQL on the document `d`, and their values."""
    conditions: list[str] = []
    values: list[Any] = []
    if filters.sources:
        conditions.append("(" + " OR ".join([_CALLED_CONDITION] * len(filters.sources)) + ")")
        values += [form for source in filters.sources for form in _name_forms(source)]
    for column, wanted in (
        ("origin", filters.origins),
        ("media_type", filters.media_types),
        ("language", filters.languages),
    ):
        if wanted:
            conditions.append(f"d.{column} = ANY(%s::text[])")
            values.append(list(wanted))
    for comparison, moment in ((">=", filters.since), ("<=", filters.until)):
        if moment:
            conditions.append(f"d.dated {comparison} %s::timestamptz")
            values.append(read_time(moment))
    if filters.authors:
        conditions.append("(" + " OR ".join(["strpos(d.shown_author, %s) > 0"] * len(filters.authors)) + ")")
        values += [author.casefold() for author in filters.authors]
    if filters.tags:
        conditions.append("d.shown_tags @> %s::text[]")
        values.append([tag.casefold() for tag in filters.tags])
    return conditions, values


_CALLED_CONDITION = (
    "d.source = %s OR lower(d.title) = lower(%s) OR d.source ~ %s OR starts_with(d.source, %s)"
    " OR right(d.source, length(%s)) = %s"
)


def _name_forms(source: str) -> tuple[str, ...]:
    """A name as it is, as a title, as a pattern, as a folder and as the end of a path."""
    plain = source.rstrip("/")
    return source, source, glob_to_regex(source), f"{plain}/", f"/{plain}", f"/{plain}"

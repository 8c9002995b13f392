"""The chunks of a collection of library.db, in the order in which they came and went."""

import zlib
from collections.abc import Sequence

import msgspec

from rag.documents import contextual_text, is_intact
from rag.sqlite.database import LibraryDatabase
from rag.sqlite.properties import has_properties, own_date
from rag.sqlite.schema import library_identity
from rag.sqlite.vectors import begin_generation, drop_unused, read_matrix, stack_vectors
from rag.stored import Filters, Removal, Run, StoredChunk, TextEntry, VectorEntry, damaged_library


class ChangeFeed:
    """Ids of chunks and numbers of removals only grow, in the order of commits, over all processes: who knows the last
    of each that it has seen can catch up. Its methods block and may be called from any thread.
    """

    def __init__(self, database: LibraryDatabase, collection: str) -> None:
        self.collection = collection
        self._database = database

    def read_vectors(self, fingerprint: str, after: int, limit: int) -> list[VectorEntry]:
        """Chunks with ids above `after`, in their order, with the vectors of a model."""
        # CROSS: in this order. Otherwise SQLite goes through all documents and sorts, and every search pays for it.
        query = (
            f"SELECT {_CHUNK_COLUMNS}, v.pieces, v.vector FROM chunks c CROSS JOIN documents d ON d.id = c.document"
            " LEFT JOIN vectors v ON v.text_hash = c.text_hash AND v.fingerprint = ?"
            " WHERE c.id > ? AND d.collection = ? ORDER BY c.id LIMIT ?"
        )
        with self._database.reading() as db:
            rows = db.execute(query, (fingerprint, after, self.collection, limit)).fetchall()
        return [VectorEntry(StoredChunk.from_row(row[:-2]), read_matrix(row[-2], row[-1])) for row in rows]

    def read_run(self, fingerprint: str, after: int, limit: int) -> tuple[list[Run], bool]:
        """The chunks with ids above `after` as one run, if there are any; and whether the next is not embedded yet."""
        query = (
            "SELECT c.id, v.pieces, v.vector FROM chunks c CROSS JOIN documents d ON d.id = c.document"
            " LEFT JOIN vectors v ON v.text_hash = c.text_hash AND v.fingerprint = ?"
            " WHERE c.id > ? AND d.collection = ? ORDER BY c.id LIMIT ?"
        )
        with self._database.reading() as db:
            rows = db.execute(query, (fingerprint, after, self.collection, limit)).fetchall()
        ready = next((i for i, (_, pieces, _) in enumerate(rows) if pieces is None), len(rows))
        return [Run(*stack_vectors(rows[:ready]))] if ready else [], ready < len(rows)

    def read_texts(self, after: int, limit: int) -> list[TextEntry]:
        """Chunks with ids above `after`, in their order, as text."""
        query = (
            "SELECT c.id, d.title, c.heading, c.text, d.language, CASE WHEN c.ordinal = 0 THEN d.text END AS whole"
            " FROM chunks c CROSS JOIN documents d ON d.id = c.document"
            " WHERE c.id > ? AND d.collection = ? ORDER BY c.id LIMIT ?"
        )
        with self._database.reading() as db:
            return [
                TextEntry(
                    key,
                    contextual_text(title, tuple(heading.splitlines()), text),
                    language,
                    None if whole is None else f"{title}\n{zlib.decompress(whole).decode()}",
                )
                for key, title, heading, text, language, whole in db.execute(query, (after, self.collection, limit))
            ]

    def chunk_ids(self) -> set[int]:
        """All chunks of the collection."""
        query = "SELECT c.id FROM chunks c JOIN documents d ON d.id = c.document WHERE d.collection = ?"
        with self._database.reading() as db:
            return {key for (key,) in db.execute(query, (self.collection,))}

    def read_chunks(self, ids: Sequence[int]) -> dict[int, StoredChunk]:
        """Those of the chunks that still exist, by id."""
        marks = ",".join("?" * len(ids))
        query = (
            f"SELECT {_CHUNK_COLUMNS}, c.text_hash, d.chunker FROM chunks c JOIN documents d ON d.id = c.document"
            f" WHERE c.id IN ({marks})"
        )
        with self._database.reading() as db:
            rows = db.execute(query, tuple(ids)).fetchall()
        found = {row[0]: StoredChunk.from_row(row[:-2]) for row in rows}
        for row in rows:
            chunk = found[row[0]]
            # SQLite has no digests of its own: what is quoted must be what was kept.
            if not is_intact(chunk.title, chunk.heading, chunk.text, *row[-2:]):
                raise damaged_library(f"a part of {chunk.source} is not what was kept")
        return found

    def documents_of(self, ids: Sequence[int]) -> dict[int, int]:
        """The documents of chunks, by the chunks' ids."""
        query = f"SELECT id, document FROM chunks WHERE id IN ({','.join('?' * len(ids))})"
        with self._database.reading() as db:
            return dict(db.execute(query, tuple(ids)).fetchall())

    def matching_chunks(self, filters: Filters) -> list[int]:
        """Ids of the chunks whose documents pass the filters."""
        conditions, values = conditions_of(filters)
        query = (
            "SELECT c.id FROM chunks c JOIN documents d ON d.id = c.document"
            f" WHERE d.collection = ? AND {' AND '.join(conditions)} ORDER BY c.id"
        )
        with self._database.reading() as db:
            db.create_function("own_date", 1, own_date, deterministic=True)
            db.create_function("has_properties", 2, has_properties, deterministic=True)
            return [key for (key,) in db.execute(query, (self.collection, *values))]

    def removals_after(self, after: int) -> list[Removal]:
        """Chunks that were deleted since removal number `after`."""
        with self._database.reading() as db:
            rows = db.execute("SELECT number, chunk, pieces FROM removed WHERE number > ?", (after,)).fetchall()
        return [Removal(*row) for row in rows]

    def feed_position(self) -> tuple[int, int]:
        """The last chunk that was ever added to the library, to whatever collection, and the newest removal."""
        with self._database.reading() as db:
            last = dict(db.execute("SELECT name, seq FROM sqlite_sequence").fetchall())
        return last.get("chunks", 0), last.get("removed", 0)

    def last_removal(self) -> int:
        """The number of the newest removal."""
        return self.feed_position()[1]

    def library_identity(self) -> tuple[str, int]:
        """The library's random name, and how often a rebuild of its indexes was ordered; raises `LibraryError`."""
        with self._database.reading() as db:
            return library_identity(db)

    def order_rebuild(self) -> None:
        """Make every index that follows, in whatever process, begin anew; drop what only the old ones needed."""
        with self._database.writing() as db:
            begin_generation(db)
            db.execute("DELETE FROM removed")
            drop_unused(db)


_CHUNK_COLUMNS = (
    "c.id, c.text, c.heading, d.source, d.title, d.origin, d.media_type, d.fetched, c.ordinal, d.chunks, c.start, c.end"
)


def conditions_of(filters: Filters) -> tuple[list[str], list[str]]:
    """The filters as conditions of SQL on the document `d`, and their values."""
    conditions, values = ["1"], []
    if filters.sources:
        conditions.append("(" + " OR ".join([_NAMED_CONDITION] * len(filters.sources)) + ")")
        values += [form for source in filters.sources for form in _name_forms(source)]
    for column, wanted in filters.wanted_values():
        conditions.append(f"d.{column} IN ({','.join('?' * len(wanted))})")
        values += wanted
    for comparison, moment in filters.moments():
        conditions.append(f"julianday(coalesce(own_date(d.properties), d.fetched)) {comparison} julianday(?)")
        values.append(moment)
    if filters.authors or filters.tags:
        conditions.append("has_properties(d.properties, ?)")
        values.append(msgspec.json.encode(filters).decode())
    return conditions, values


_NAMED_CONDITION = "d.source = ? OR d.title = ? COLLATE NOCASE OR d.source GLOB ? OR d.source GLOB ? OR d.source GLOB ?"


def _name_forms(source: str) -> tuple[str, ...]:
    """A name as it is, as a title, as a pattern, as a folder and as the end of a path."""
    plain = "".join(f"[{letter}]" if letter in "*?[" else letter for letter in source.rstrip("/"))
    return source, source, source, f"{plain}/*", f"*/{plain}"

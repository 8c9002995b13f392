"""The documents of library.db as lists show them and as users name them, without their texts."""

from collections.abc import Callable, Sequence

from rag.documents import Origin
from rag.records.listing import ELLIPSIS, ENTRY_COLUMNS, LARGEST_NUMBER, ORIGIN_ORDER, shown
from rag.sqlite.database import LibraryDatabase
from rag.stored import DocumentQuery, ListedDocument, Sort

_ORDERS: dict[Sort, str] = {
    "date": "seen DESC, id DESC",
    "title": "shown(title), source",
    "size": "chunks DESC, id DESC",
}


class DocumentListing:
    """Lists the documents of all collections; its methods block and may be called from any thread."""

    def __init__(self, database: LibraryDatabase) -> None:
        self._database = database

    def counts(self, query: DocumentQuery) -> dict[Origin, int]:
        """How many documents of each origin there are; no origin that has none."""
        condition, values = _condition(query)
        text = f"SELECT origin, count(*) FROM documents WHERE {condition} GROUP BY origin ORDER BY {ORIGIN_ORDER}"
        with self._database.reading() as db:
            db.create_function("shown", 1, shown, deterministic=True)
            return dict(db.execute(text, values).fetchall())

    def page(self, query: DocumentQuery, offset: int, limit: int) -> list[ListedDocument]:
        """So many documents behind the first `offset` ones."""
        condition, values = _condition(query)
        order = f"{ORIGIN_ORDER}, {_ORDERS[query.sort]}"
        # What is shown is read of the documents of the page alone: some of it stands behind their texts, in other pages
        # of the file, which an order by titles or sizes need not read.
        chosen = f"SELECT id FROM documents WHERE {condition} ORDER BY {order} LIMIT ? OFFSET ?"
        text = f"SELECT {ENTRY_COLUMNS} FROM documents WHERE id IN ({chosen}) ORDER BY {order}"
        bounds = [min(limit, LARGEST_NUMBER), min(offset, LARGEST_NUMBER)]
        with self._database.reading() as db:
            db.create_function("shown", 1, shown, deterministic=True)
            return [ListedDocument(*row) for row in db.execute(text, (*values, *bounds))]

    def with_source(self, source: str, collection: str) -> list[ListedDocument]:
        """The document with this source, if there is one."""
        return self._select("source = ? AND collection = ?", (source, collection))

    def with_number(self, number: int, collection: str) -> list[ListedDocument]:
        """The document with this number, if there is one; an empty `collection` means any."""
        return self._select("id = ?1 AND ?2 IN ('', collection)", (number, collection))

    def within(self, name: str, collection: str) -> list[str]:
        """Sources of the documents in a folder, on a site or in a file of records; none for a scheme alone."""
        if not name.rstrip("/") or name.rstrip("/").endswith(":"):
            return []
        # Between two ends, which the indexes find; what follows / and # are 0 and $.
        folder, records = name.rstrip("/"), name
        query = (
            "SELECT source FROM documents WHERE collection = ?1 AND (source > ?2 || '/' AND source < ?2 || '0'"
            " OR source > ?3 || '#' AND source < ?3 || '$' OR container != '' AND (container = ?3"
            " OR container > ?2 || '/' AND container < ?2 || '0'))"
        )
        with self._database.reading() as db:
            return [source for (source,) in db.execute(query, (collection, folder, records))]

    def file_sources(self, path: str, collection: str) -> list[tuple[str, str]]:
        """The documents that were read from the files in a folder, or from a file: the file of each, and its source."""
        # Each side of both ORs is found by an index.
        query = (
            "SELECT iif(container = '', source, container), source FROM documents"
            " WHERE collection = ?1 AND origin = 'file'"
            " AND (container = '' AND (source = ?2 OR source > ?2 || '/' AND source < ?2 || '0')"
            " OR container != '' AND (container = ?2 OR container > ?2 || '/' AND container < ?2 || '0'))"
        )
        with self._database.reading() as db:
            return [(file, source) for file, source in db.execute(query, (collection, path.rstrip("/")))]

    def sources_of_files(self, files: Sequence[str], collection: str) -> list[tuple[str, str]]:
        """The documents that were read from files: the file of each, and its source."""
        kept = "SELECT source FROM documents WHERE collection = ?1 AND origin = 'file' AND"
        query = f"{kept} source = ?2 AND container = '' UNION ALL {kept} container = ?2 AND container != ''"
        with self._database.reading() as db:
            return [(file, source) for file in files for (source,) in db.execute(query, (collection, file))]

    def called(self, name: str, collection: str) -> list[ListedDocument]:
        """Documents of which a list shows this title, or its beginning before an ellipsis, and files of this name.

        An empty `collection` means any.
        """
        with self._database.reading() as db:
            db.create_function("called", 3, _caller(name))
            return self._select("?1 IN ('', collection) AND called(title, source, origin)", (collection,))

    def _select(self, condition: str, values: Sequence[str | int]) -> list[ListedDocument]:
        query = f"SELECT {ENTRY_COLUMNS} FROM documents WHERE {condition} ORDER BY id DESC"
        with self._database.reading() as db:
            return [ListedDocument(*row) for row in db.execute(query, values)]


def _condition(query: DocumentQuery) -> tuple[str, list[str]]:
    """The query as a condition of SQL, and its values."""
    conditions, values = ["1"], []
    for word in query.words:
        conditions.append("(instr(shown(title), ?) OR instr(shown(source), ?))")
        values += [shown(word)] * 2
    for column, wanted in (("origin", query.origins), ("collection", query.collections)):
        if wanted:
            conditions.append(f"{column} IN ({','.join('?' * len(wanted))})")
            values += wanted
    return " AND ".join(conditions), values


def _caller(name: str) -> Callable[[object, object, object], bool]:
    """What tells of title, source and origin whether a document is called so."""
    wanted = shown(name)
    beginning = wanted.removesuffix(ELLIPSIS) if wanted.endswith(ELLIPSIS) else None

    def called(title: object, source: object, origin: object) -> bool:
        told = shown(title) or shown(source)
        if told == wanted or (beginning and told.startswith(beginning)):
            return bool(wanted)
        return origin == "file" and bool(wanted) and shown(source).endswith(f"/{wanted}")

    return called

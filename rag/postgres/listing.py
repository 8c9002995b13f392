"""The documents in PostgreSQL as lists show them and as users name them, without their texts."""

from collections.abc import Sequence
from typing import Any

from rag.documents import Origin
from rag.postgres.database import PostgresDatabase
from rag.records.listing import ELLIPSIS, ENTRY_COLUMNS, LARGEST_NUMBER, ORIGIN_ORDER, shown
from rag.stored import DocumentQuery, ListedDocument, Sort

_DOCUMENT_ORDERS: dict[Sort, str] = {
    "date": "seen DESC, id DESC",
    "title": "shown_title, source",
    "size": "chunks DESC, id DESC",
}
_TOLD = "CASE shown_title WHEN '' THEN shown_source ELSE shown_title END"


class PostgresListing:
    """Lists the documents of all collections; its methods block and may be called from any thread."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    def counts(self, query: DocumentQuery) -> dict[Origin, int]:
        """How many documents of each origin there are; no origin that has none."""
        condition, values = _condition(query)
        text = f"SELECT origin, count(*) FROM documents WHERE {condition} GROUP BY origin ORDER BY {ORIGIN_ORDER}"
        return dict(self._database.read(text, values))

    def page(self, query: DocumentQuery, offset: int, limit: int) -> list[ListedDocument]:
        """So many documents behind the first `offset` ones."""
        condition, values = _condition(query)
        text = (
            f"SELECT {ENTRY_COLUMNS} FROM documents WHERE {condition}"
            f" ORDER BY {ORIGIN_ORDER}, {_DOCUMENT_ORDERS[query.sort]} LIMIT %s OFFSET %s"
        )
        first = min(offset, LARGEST_NUMBER)
        # Citus asks its servers for as many as both together.
        rows = self._database.read(text, (*values, min(limit, LARGEST_NUMBER - first), first))
        return [ListedDocument(*row) for row in rows]

    def with_source(self, source: str, collection: str) -> list[ListedDocument]:
        """The document with this source, if there is one."""
        return self._select("source = %s AND collection = %s", (source, collection))

    def with_number(self, number: int, collection: str) -> list[ListedDocument]:
        """The document with this number, if there is one; an empty `collection` means any."""
        return self._select("id = %s AND %s::text IN ('', collection)", (number, collection))

    def within(self, name: str, collection: str) -> list[str]:
        """Sources of the documents in a folder, on a site or in a file of records; none for a scheme alone."""
        if not name.rstrip("/") or name.rstrip("/").endswith(":"):
            return []
        query = (
            "SELECT source FROM documents WHERE collection = %(collection)s AND ("
            "starts_with(source, %(folder)s) AND source != %(folder)s"
            " OR starts_with(source, %(records)s) AND source != %(records)s"
            " OR container = %(name)s OR starts_with(container, %(folder)s) AND container != %(folder)s)"
        )
        values = {"collection": collection, "folder": f"{name.rstrip('/')}/", "records": f"{name}#", "name": name}
        return [source for (source,) in self._database.read(query, values)]

    def file_sources(self, path: str, collection: str) -> list[tuple[str, str]]:
        """The documents that were read from the files in a folder, or from a file: the file of each, and its source."""
        query = (
            "SELECT CASE container WHEN '' THEN source ELSE container END, source FROM documents"
            " WHERE collection = %(collection)s AND origin = 'file'"
            " AND (container = '' AND (source = %(path)s OR starts_with(source, %(folder)s))"
            " OR container != '' AND (container = %(path)s OR starts_with(container, %(folder)s)))"
        )
        values = {"collection": collection, "path": path, "folder": f"{path.rstrip('/')}/"}
        return [(file, source) for file, source in self._database.read(query, values)]

    def sources_of_files(self, files: Sequence[str], collection: str) -> list[tuple[str, str]]:
        """The documents that were read from files: the file of each, and its source."""
        kept = "FROM documents WHERE collection = %(collection)s AND origin = 'file' AND"
        query = (
            f"SELECT source, source {kept} source = ANY(%(files)s::text[]) AND container = '' UNION ALL"
            f" SELECT container, source {kept} container = ANY(%(files)s::text[]) AND container != ''"
        )
        values = {"collection": collection, "files": list(files)}
        return [(file, source) for file, source in self._database.read(query, values)]

    def called(self, name: str, collection: str) -> list[ListedDocument]:
        """Documents of which a list shows this title, or its beginning before an ellipsis, and files of this name.

        An empty `collection` means any.
        """
        wanted = shown(name)
        if not wanted:
            return []
        conditions, values = [f"{_TOLD} = %s", "origin = 'file' AND right(shown_source, length(%s)) = %s"], [wanted]
        values += [f"/{wanted}"] * 2
        if beginning := wanted.removesuffix(ELLIPSIS) if wanted.endswith(ELLIPSIS) else "":
            conditions.append(f"starts_with({_TOLD}, %s)")
            values.append(beginning)
        return self._select(f"%s::text IN ('', collection) AND ({' OR '.join(conditions)})", (collection, *values))

    def _select(self, condition: str, values: Sequence[str | int]) -> list[ListedDocument]:
        query = f"SELECT {ENTRY_COLUMNS} FROM documents WHERE {condition} ORDER BY id DESC"
        return [ListedDocument(*row) for row in self._database.read(query, values)]


def _condition(query: DocumentQuery) -> tuple[str, list[Any]]:
    """The query as a condition of SQL, and its values."""
    conditions: list[str] = ["TRUE"]
    values: list[Any] = []
    for word in query.words:
        conditions.append("(strpos(shown_title, %s) > 0 OR strpos(shown_source, %s) > 0)")
        values += [shown(word)] * 2
    for column, wanted in (("origin", query.origins), ("collection", query.collections)):
        if wanted:
            conditions.append(f"{column} = ANY(%s::text[])")
            values.append(list(wanted))
    return " AND ".join(conditions), values

"""library.db as all parts of a process share it, and its size on the disk."""

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from rag.sqlite.schema import LIBRARY_FORM, translate_unpacking
from rag.stored import damaged_library
from utils import sqlite

Row = tuple[Any, ...]
_TYPES: Mapping[str, type] = {"TEXT": str, "INTEGER": int, "BLOB": bytes}
WHOLE_TEXT_COLUMN = "whole"
"""What a query calls the packed text of a document: there is a `text` of chunks, which is none."""


class LibraryDatabase(sqlite.Database):
    """The connection to library.db; its methods block and may be called from any thread."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, LIBRARY_FORM)

    def prepare_connection(self, db: sqlite3.Connection) -> None:
        """Have each row checked."""
        with sqlite.translate_errors(self.path, LIBRARY_FORM):
            db.row_factory = row_checker(column_types(db))

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The connection, for statements that change nothing; raises `LibraryError`."""
        with super().reading() as db, translate_unpacking():
            yield db


def column_types(db: sqlite3.Connection) -> dict[str, tuple[type, ...]]:
    """What can stand in the columns of a name, in whichever tables there are some: SQLite itself takes anything."""
    types: dict[str, tuple[type, ...]] = {}
    for (table,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
        for name, kind in db.execute("SELECT name, type FROM pragma_table_info(?)", (table,)):
            if kind in _TYPES:
                types[name] = (*types.get(name, (type(None),)), _TYPES[kind])
    return {**types, WHOLE_TEXT_COLUMN: (type(None), bytes)}


def row_checker(types: Mapping[str, tuple[type, ...]]) -> Callable[[sqlite3.Cursor, Row], Row]:
    """What hands a row out where its values are of the types of their columns; raises `LibraryError`."""

    seen: object = None
    wanted: list[tuple[int, str, frozenset[type]]] = []

    def check_row(cursor: sqlite3.Cursor, row: Row) -> Row:
        nonlocal seen, wanted
        if cursor.description is not seen:
            # Once a question: a library has a hundred thousand rows.
            seen, names = cursor.description, [name for name, *_ in cursor.description]
            wanted = [(i, name, frozenset(types[name])) for i, name in enumerate(names) if name in types]
        for i, name, allowed in wanted:
            if type(row[i]) not in allowed:
                raise damaged_library(f"what is kept as {name} is none")
        return row

    return check_row


def as_it_is(db: sqlite3.Connection) -> sqlite3.Cursor:
    """A cursor whose rows are handed out whatever stands in them."""
    cursor = db.cursor()
    cursor.row_factory = None
    return cursor


def size_on_disk(database: Path) -> int:
    """Bytes of library.db with its side files, which may come and go at any moment."""
    size = 0
    for path in database.parent.glob(database.name + "*"):
        with suppress(FileNotFoundError):
            size += path.stat().st_size
    return size

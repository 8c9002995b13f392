"""The connection to library.db: one a process, its transactions, and whole copies of the file."""

import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from rag.schema import open_database, translated


class Database:
    """library.db as every part of a process shares it; its methods block and may be called from any thread."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        with translated(path):
            self._db = open_database(path)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The connection, for statements that change nothing; raises `LibraryError`."""
        with self._lock, translated(self.path):
            yield self._db

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction, which waits for those of other processes; raises `LibraryError`."""
        with self.reading() as db:
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
            except BaseException:
                db.rollback()
                raise
            db.commit()

    def close(self) -> None:
        """Close the file."""
        with self.reading() as db:
            db.close()


def size_on_disk(database: Path, indexes: Sequence[Path]) -> int:
    """Bytes of library.db with its side files, and of the indexes, which may be replaced at any moment."""
    files = [*database.parent.glob(database.name + "*")]
    files += [Path(folder, name) for index in indexes for folder, _, names in os.walk(index) for name in names]
    size = 0
    for path in files:
        with suppress(FileNotFoundError):
            size += path.stat().st_size
    return size

"""library.db as all parts of a process share it, and its size on the disk."""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from rag.schema import FORM, translated
from utils import sqlite


class Database(sqlite.Database):
    """The connection to library.db; its methods block and may be called from any thread."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, FORM)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The connection, for statements that change nothing; raises `LibraryError`."""
        with super().reading() as db, translated():
            yield db


def size_on_disk(database: Path, indexes: Sequence[Path]) -> int:
    """Bytes of library.db with its side files, and of the indexes, which may be replaced at any moment."""
    files = [*database.parent.glob(database.name + "*")]
    files += [Path(folder, name) for index in indexes for folder, _, names in os.walk(index) for name in names]
    size = 0
    for path in files:
        with suppress(FileNotFoundError):
            size += path.stat().st_size
    return size

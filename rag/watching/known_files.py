"""Which files of a watched folder were read as they are: a record that saves reading all of them at the next start."""

import os
import sqlite3
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from pathlib import Path

from rag.watching.scan import FileSignature, FolderIdentity
from utils.errors import LibraryError
from utils.sqlite import Database, FileForm

_MIGRATIONS = (
    """
    CREATE TABLE files (
        library TEXT NOT NULL,     -- the random name of a library
        collection TEXT NOT NULL,
        folder BLOB NOT NULL,      -- the watched one; paths are bytes, as the system has them
        path BLOB NOT NULL,
        modified INTEGER NOT NULL,
        changed INTEGER NOT NULL,
        size INTEGER NOT NULL,
        inode INTEGER NOT NULL,
        PRIMARY KEY (library, collection, folder, path)
    ) WITHOUT ROWID;
    CREATE TABLE folders (
        library TEXT NOT NULL,
        collection TEXT NOT NULL,
        folder BLOB NOT NULL,
        device INTEGER NOT NULL,
        inode INTEGER NOT NULL,
        PRIMARY KEY (library, collection, folder)
    ) WITHOUT ROWID;
    """,
)
_FORM = FileForm(
    "record of watched files", _MIGRATIONS, LibraryError, LibraryError, "Delete it: all files are then read again."
)
_RECORD_NAME = "watching.db"
_UNSIGNED = 1 << 64


@dataclass(frozen=True)
class WatchKey:
    """Which folder is followed by which collection of which library."""

    library: str
    collection: str
    folder: str

    @property
    def values(self) -> tuple[str, str, bytes]:
        """As the record has them."""
        return self.library, self.collection, os.fsencode(self.folder)


class KnownFiles:
    """The record of one watched folder; its methods block and raise `LibraryError`."""

    def __init__(self, folder: Path, key: WatchKey) -> None:
        """The record lies in `folder`, the library's."""
        self._path = folder / _RECORD_NAME
        self._key = key.values
        self._database: Database | None = None

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        self._database = self._database or Database(self._path, _FORM)
        with self._database.writing() as db:
            yield db

    def load(self) -> tuple[dict[str, FileSignature], FolderIdentity | None]:
        """The files that were read, and which folder it was."""
        with self._open() as db:
            files = {
                os.fsdecode(path): FileSignature(modified, changed, size, _from_signed(inode))
                for path, modified, changed, size, inode in db.execute(
                    "SELECT path, modified, changed, size, inode FROM files"
                    " WHERE library = ? AND collection = ? AND folder = ?",
                    self._key,
                )
            }
            row = db.execute(
                "SELECT device, inode FROM folders WHERE library = ? AND collection = ? AND folder = ?", self._key
            ).fetchone()
        return files, FolderIdentity(*map(_from_signed, row)) if row else None

    def note(self, read: Mapping[str, FileSignature], gone: Collection[str] = ()) -> None:
        """Files were read and kept; others are no longer."""
        with self._open() as db:
            db.executemany(
                "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (*self._key, os.fsencode(path), one.modified, one.changed, one.size, _to_signed(one.inode))
                    for path, one in read.items()
                ],
            )
            db.executemany(
                "DELETE FROM files WHERE library = ? AND collection = ? AND folder = ? AND path = ?",
                [(*self._key, os.fsencode(path)) for path in gone],
            )

    def note_folder(self, identity: FolderIdentity) -> None:
        """The folder is this one now."""
        with self._open() as db:
            numbers = map(_to_signed, astuple(identity))
            db.execute("INSERT OR REPLACE INTO folders VALUES (?, ?, ?, ?, ?)", (*self._key, *numbers))

    def close(self) -> None:
        """Let go of the file."""
        if self._database is not None:
            self._database.close()


def _to_signed(number: int) -> int:
    """A number of 64 bits as SQLite holds it."""
    return number - _UNSIGNED if number >= _UNSIGNED // 2 else number


def _from_signed(number: int) -> int:
    return number + _UNSIGNED if number < 0 else number

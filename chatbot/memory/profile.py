"""profile.db: what Magpie keeps of its user beside the conversations, that is facts and reminders."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from utils.errors import ProfileError
from utils.sqlite import Database, FileForm

PROFILE_MIGRATIONS = (
    """
    CREATE TABLE facts (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        text TEXT NOT NULL,
        kept INTEGER NOT NULL,  -- 0: proposed by the model, and not yet agreed to
        written REAL NOT NULL  -- seconds since 1970, UTC, as are all times here
    );
    CREATE TABLE reminders (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        text TEXT NOT NULL,
        due REAL NOT NULL,
        active INTEGER NOT NULL DEFAULT 1,
        told REAL  -- null until it was shown
    );
    CREATE INDEX reminders_by_due ON reminders (due) WHERE told IS NULL;
    """,
)
PROFILE_FORM = FileForm(
    "profile",
    PROFILE_MIGRATIONS,
    ProfileError,
    ProfileError,
    "Move the file away; Magpie then begins a new one.",
    readable=True,
)


class Profile:
    """profile.db as every part of a process shares it; its methods block and may be called from any thread.

    The file is made by the first write. With `read_only` nothing is ever written.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        self.read_only = read_only
        self._lock = threading.Lock()
        self._database: Database | None = None

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection | None]:
        """The connection, None while there is no file; raises `ProfileError`."""
        if not self.path.exists():
            yield None
            return
        with self._open_database().reading() as db:
            yield db

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction, which waits for those of other processes; raises `ProfileError`."""
        if self.read_only:
            raise ProfileError("This run is private: nothing of it is kept.", "Start Magpie without --private.")
        with self._open_database().writing() as db:
            yield db

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._database is not None:
                self._database.close()
                self._database = None

    def _open_database(self) -> Database:
        with self._lock:
            if self._database is None:
                self._database = Database(self.path, PROFILE_FORM)
            return self._database

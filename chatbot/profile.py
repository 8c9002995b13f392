"""profile.db: what Magpie keeps of its user beside the conversations, that is facts and reminders."""

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from utils.errors import ProfileError
from utils.paths import private_dir

# Seconds that a write waits for the writes of other processes.
WAIT = 60.0

MIGRATIONS = (
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


class Profile:
    """profile.db as every part of a process shares it; its methods block and may be called from any thread.

    The file is made by the first write. With `read_only` nothing is ever written.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        self.read_only = read_only
        self._lock = threading.RLock()
        self._db: sqlite3.Connection | None = None

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection | None]:
        """The connection, None while there is no file; raises `ProfileError`."""
        with self._lock, _translated(self.path):
            if self._db is None and self.path.exists():
                self._db = self._opened()
            yield self._db

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction, which waits for those of other processes; raises `ProfileError`."""
        if self.read_only:
            raise ProfileError("This run is private: nothing of it is kept.", "Start Magpie without --private.")
        with self._lock, _translated(self.path):
            if self._db is None:
                self._db = self._opened()
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.rollback()
                raise

    def close(self) -> None:
        """Close the file."""
        with self._lock, _translated(self.path):
            if self._db is not None:
                self._db.close()
                self._db = None

    def _opened(self) -> sqlite3.Connection:
        if not self.read_only:
            private_dir(self.path.parent)
            os.close(os.open(self.path, os.O_CREAT, 0o600))
        mode = "ro" if self.read_only else "rw"
        address = f"{self.path.absolute().as_uri()}?mode={mode}"
        db = sqlite3.connect(address, timeout=WAIT, isolation_level=None, check_same_thread=False, uri=True)
        try:
            if not self.read_only:
                db.execute("PRAGMA journal_mode = WAL")
                db.execute("PRAGMA synchronous = FULL")
            self._migrate(db)
        except BaseException:
            db.close()
            raise
        return db

    def _migrate(self, db: sqlite3.Connection) -> None:
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version > len(MIGRATIONS):
            raise ProfileError(
                f"The file {self.path} was written by a newer Magpie.", "Update Magpie, or choose another data_dir."
            )
        if version == len(MIGRATIONS) or self.read_only:
            return
        db.execute("BEGIN EXCLUSIVE")
        # Another process may have been faster.
        done = db.execute("PRAGMA user_version").fetchone()[0]
        for script in MIGRATIONS[done:]:
            for statement in script.split(";\n"):
                db.execute(statement)
        db.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        db.execute("COMMIT")


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    """Turn what SQLite and the file system complain of into `ProfileError`."""
    try:
        yield
    except sqlite3.ProgrammingError:
        raise
    except sqlite3.OperationalError as error:
        raise ProfileError(f"The file {path} cannot be used: {error}.", "Check the folder and the disk.") from error
    except sqlite3.DatabaseError as error:
        raise ProfileError(
            f"The file {path} is damaged: {error}.", "Move it away; Magpie then begins a new one."
        ) from error
    except OSError as error:
        raise ProfileError(
            f"The file {path} cannot be opened: {error.strerror or error}.", "Check data_dir."
        ) from error

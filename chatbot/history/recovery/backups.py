"""Whole copies of sessions.db: made of a file that SQLite calls sound, verified, the newest three kept."""

import logging
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path

import filelock

from chatbot.history.entries import EntryRow, number_of
from chatbot.history.log import COLUMNS, tolerate
from chatbot.history.recovery.session_locks import lock_of
from chatbot.history.schema import FORM, MIGRATIONS, UNREADABLE, Ruined
from chatbot.history.search.catalog import agrees, line_of
from chatbot.history.writing import delete
from utils.errors import SessionError
from utils.sqlite import MEMORY, WAIT, copy_into, open_file, translated

logger = logging.getLogger(__name__)

COPIES = 3
AGE = 24 * 3600.0
"""Seconds after which the newest copy is followed by another."""


def copies(path: Path) -> list[Path]:
    """Where the copies are, the newest first."""
    return [path.with_name(f"{path.name}.copy{number}") for number in range(1, COPIES + 1)]


def check(db: sqlite3.Connection, path: Path) -> None:
    """Raises `Ruined` unless SQLite calls the file sound, and its tables are those of this version or an older one."""
    found = "; ".join(str(line) for (line,) in db.execute("PRAGMA integrity_check(3)"))
    if found == "ok" and db.execute("PRAGMA user_version").fetchone()[0] == len(MIGRATIONS):
        found = "ok" if _tables(db) == _made_tables() else "its tables are not those that were made"
    if found != "ok":
        raise Ruined(f"The {FORM.noun} {path} is damaged: {found}.", FORM.ruin_remedy)


def _tables(db: sqlite3.Connection) -> list[tuple[str, str]]:
    return db.execute("SELECT name, sql FROM sqlite_master WHERE sql NOT NULL ORDER BY name").fetchall()


@cache
def _made_tables() -> list[tuple[str, str]]:
    with closing(open_file(MEMORY, FORM)) as db:
        return _tables(db)


class BackupMaker:
    """Makes copies of a file, in any thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._db: sqlite3.Connection | None = None
        self._stopped = False

    def stop(self) -> None:
        """Give up the copy that is being made, and make no more."""
        self._stopped = True
        if self._db is not None:
            with suppress(sqlite3.ProgrammingError):
                self._db.interrupt()

    def refresh(self, age: float) -> Ruined | frozenset[int]:
        """Examine and copy the file if the newest copy is older than so many seconds.

        Returns what is wrong with the file, or the numbers of sessions with damaged records; it is then not copied.
        A copy that cannot be made is noted in the log: the next start tries again.
        """
        damaged: frozenset[int] = frozenset()
        try:
            with translated(self._path, FORM), suppress(filelock.Timeout):
                lock = lock_of(self._path, "copying")
                with lock.acquire(timeout=0):
                    damaged = self._refresh(age)
        except Ruined as ruin:
            return ruin
        except SessionError as error:
            if not self._stopped:
                logger.warning("no copy of %s: %s", self._path, error)
        return damaged

    def _refresh(self, age: float) -> frozenset[int]:
        newest = copies(self._path)[0]
        # A time that is yet to come is none: the clock was ahead when that copy was made.
        if newest.exists() and 0 <= time.time() - newest.stat().st_mtime < age:
            return frozenset()
        draft = self._path.with_name(f"{self._path.name}.copying")
        try:
            with self._watched(self._path) as db:
                check(db, self._path)
                _check_derived(self._path, lambda: self._stopped)
                damaged = _damaged(db)
                if self._stopped or damaged or not db.execute("SELECT 1 FROM entries LIMIT 1").fetchone():
                    return damaged
                copy_into(db, draft)
            with self._watched(draft) as copy, _unsound_means_disk(draft):
                check(copy, draft)
            _rotate(self._path, draft)
        finally:
            draft.unlink(missing_ok=True)
        return frozenset()

    @contextmanager
    def _watched(self, path: Path) -> Iterator[sqlite3.Connection]:
        with reader(path) as db:
            self._db = db
            try:
                yield db
            finally:
                self._db = None


def _damaged(db: sqlite3.Connection) -> frozenset[int]:
    """The numbers of sessions in which a record is not as it was written."""
    rows = map(EntryRow._make, db.execute(f"SELECT {COLUMNS} FROM entries"))
    return frozenset(number_of(row.id) for row in rows if not row.sound)


def _check_derived(path: Path, stopped: Callable[[], bool]) -> None:
    """Raises `Ruined` unless list and words of the sessions are sound, as far as can be told."""
    with closing(sqlite3.connect(path, timeout=WAIT, isolation_level=None)) as db:
        # As of one moment: a session that begins meanwhile would be in the log and not in the list that was read.
        db.execute("BEGIN")
        sound = agrees(db, stopped)
        db.execute("COMMIT")
        if not sound:
            raise Ruined(f"The list of conversations in {path} is damaged.", FORM.ruin_remedy)
        if stopped():
            return
        # A command that changes nothing; it raises what an unsound page does.
        db.execute("INSERT INTO words (words) VALUES ('integrity-check')")


@contextmanager
def _unsound_means_disk(draft: Path) -> Iterator[None]:
    """A copy of a sound file that is not sound says nothing against the file."""
    try:
        yield
    except Ruined as ruin:
        raise SessionError(f"The copy {draft} was not written well.", "Check the disk.") from ruin


def _rotate(path: Path, draft: Path) -> None:
    with draft.open("rb") as file:
        os.fsync(file.fileno())
    newest, *older = copies(path)
    for target, source in reversed(list(zip(older, [newest, *older], strict=False))):
        if source.exists():
            source.replace(target)
    draft.replace(newest)


@contextmanager
def reader(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that only reads."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, check_same_thread=False)) as db:
        tolerate(db)
        yield db


def newest_sound(path: Path) -> Path | None:
    """The newest copy that is sound."""
    for copy in copies(path):
        with suppress(*UNREADABLE, Ruined), reader(copy) as db:
            check(db, copy)
            db.execute("SELECT count(*) FROM meta").fetchone()
            return copy
    return None


def forget(path: Path, sessions: Sequence[str]) -> None:
    """Delete sessions from each copy: what the user deletes is not kept."""
    for copy in copies(path):
        if not copy.exists():
            continue
        before = copy.stat()
        with suppress(*UNREADABLE), closing(sqlite3.connect(copy, isolation_level=None)) as db:
            db.execute("PRAGMA secure_delete = ON")
            db.execute("BEGIN IMMEDIATE")
            for line in filter(None, (line_of(db, session) for session in sessions)):
                delete(db, line)
            db.execute("COMMIT")
        os.utime(copy, (before.st_atime, before.st_mtime))

"""Whole copies of sessions.db: made of a file that SQLite calls sound, verified, the newest three kept.

What is deleted goes from them, and from those that were made before the file was brought to a newer form.
"""

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
from chatbot.history.log import COLUMNS, tolerate_damage
from chatbot.history.recovery.session_locks import lock_of
from chatbot.history.schema import SESSIONS_FORM, SESSIONS_MIGRATIONS, UNREADABLE, Ruined
from chatbot.history.search.catalog import Line, agrees_with_log, line_of
from chatbot.history.writing import delete_sessions
from utils.errors import SessionError
from utils.platform import is_running
from utils.sqlite import MEMORY, WAIT, copies_before, copy_into, open_file, translate_errors

logger = logging.getLogger(__name__)

COPIES = 3
AGE = 24 * 3600.0
"""Seconds after which the newest copy is followed by another."""


def list_copies(path: Path) -> list[Path]:
    """Where the copies are, the newest first."""
    return [path.with_name(f"{path.name}.copy{number}") for number in range(1, COPIES + 1)]


def _copies_to_clean(path: Path) -> list[Path]:
    """The copies that are there, those of older forms too: all that a deleted session may still be in.

    What a copy that was cut off has left is removed.
    """
    _draft_of(path).unlink(missing_ok=True)
    older = copies_before(path)
    for copy, process in older.items():
        if process and not is_running(process):
            copy.unlink(missing_ok=True)
    return [*filter(Path.exists, list_copies(path)), *(copy for copy, process in older.items() if not process)]


def check_file(db: sqlite3.Connection, path: Path) -> None:
    """Raises `Ruined` unless SQLite calls the file sound, and its tables are those of this version or an older one."""
    found = "; ".join(str(line) for (line,) in db.execute("PRAGMA integrity_check(3)"))
    if found == "ok" and db.execute("PRAGMA user_version").fetchone()[0] == len(SESSIONS_MIGRATIONS):
        found = "ok" if _read_tables(db) == _made_tables() else "its tables are not those that were made"
    if found != "ok":
        raise Ruined(f"The {SESSIONS_FORM.noun} {path} is damaged: {found}.", SESSIONS_FORM.ruin_remedy)


def _read_tables(db: sqlite3.Connection) -> list[tuple[str, str]]:
    return db.execute("SELECT name, sql FROM sqlite_master WHERE sql NOT NULL ORDER BY name").fetchall()


@cache
def _made_tables() -> list[tuple[str, str]]:
    with closing(open_file(MEMORY, SESSIONS_FORM)) as db:
        return _read_tables(db)


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

    def refresh_copy(self, age: float) -> Ruined | frozenset[int]:
        """Examine and copy the file if the newest copy is older than so many seconds.

        Returns what is wrong with the file, or the numbers of sessions with damaged records; it is then not copied.
        A copy that cannot be made is noted in the log: the next start tries again.
        """
        damaged: frozenset[int] = frozenset()
        try:
            with translate_errors(self._path, SESSIONS_FORM), suppress(filelock.Timeout):
                lock = lock_of(self._path, "copying")
                with lock.acquire(timeout=0):
                    damaged = self._check_and_copy(age)
        except Ruined as ruin:
            return ruin
        except SessionError as error:
            if not self._stopped:
                logger.warning("no copy of %s: %s", self._path, error)
        return damaged

    def _check_and_copy(self, age: float) -> frozenset[int]:
        _forget_deleted(self._path)
        newest = list_copies(self._path)[0]
        # A time that is yet to come is none: the clock was ahead when that copy was made.
        if newest.exists() and 0 <= time.time() - newest.stat().st_mtime < age:
            return frozenset()
        draft = _draft_of(self._path)
        try:
            with self._open_watched(self._path) as db:
                check_file(db, self._path)
                _check_derived(self._path, lambda: self._stopped)
                damaged = _damaged_sessions(db)
                if self._stopped or damaged or not db.execute("SELECT 1 FROM entries LIMIT 1").fetchone():
                    return damaged
                copy_into(db, draft)
            with self._open_watched(draft) as copy, _unsound_means_disk(draft):
                check_file(copy, draft)
            _rotate_copies(self._path, draft)
        finally:
            draft.unlink(missing_ok=True)
        return frozenset()

    @contextmanager
    def _open_watched(self, path: Path) -> Iterator[sqlite3.Connection]:
        with open_reader(path) as db:
            self._db = db
            try:
                yield db
            finally:
                self._db = None


def _damaged_sessions(db: sqlite3.Connection) -> frozenset[int]:
    """The numbers of sessions in which a record is not as it was written."""
    rows = map(EntryRow._make, db.execute(f"SELECT {COLUMNS} FROM entries"))
    return frozenset(number_of(row.id) for row in rows if not row.is_sound)


def _check_derived(path: Path, stopped: Callable[[], bool]) -> None:
    """Raises `Ruined` unless list and words of the sessions are sound, as far as can be told."""
    with closing(sqlite3.connect(path, timeout=WAIT, isolation_level=None)) as db:
        # As of one moment: a session that begins meanwhile would be in the log and not in the list that was read.
        db.execute("BEGIN")
        sound = agrees_with_log(db, stopped)
        db.execute("COMMIT")
        if not sound:
            raise Ruined(f"The list of conversations in {path} is damaged.", SESSIONS_FORM.ruin_remedy)
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


def _rotate_copies(path: Path, draft: Path) -> None:
    with draft.open("rb") as file:
        os.fsync(file.fileno())
    newest, *older = list_copies(path)
    for target, source in reversed(list(zip(older, [newest, *older], strict=False))):
        if source.exists():
            source.replace(target)
    draft.replace(newest)


@contextmanager
def open_reader(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that only reads."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, check_same_thread=False)) as db:
        tolerate_damage(db)
        yield db


def newest_sound(path: Path) -> Path | None:
    """The newest copy that is sound."""
    for copy in list_copies(path):
        with suppress(*UNREADABLE, Ruined), open_reader(copy) as db:
            check_file(db, copy)
            db.execute("SELECT count(*) FROM meta").fetchone()
            return copy
    return None


def forget_sessions(path: Path, sessions: Sequence[str]) -> None:
    """Delete sessions from each copy, while none is being made: what the user deletes is not kept."""
    if path == MEMORY:
        return
    with suppress(filelock.Timeout, OSError), lock_of(path, "copying").acquire(timeout=WAIT):
        for copy in _copies_to_clean(path):
            _forget_in_copy(copy, lambda db: [line_of(db, session) for session in sessions])


def _forget_deleted(path: Path) -> None:
    """Delete from the copies what was deleted since, where whoever did so was cut off before they were reached."""
    copies = _copies_to_clean(path)
    if not copies:
        return
    with open_reader(path) as db:
        deleted = [number_of(key) for (key,) in db.execute("SELECT id FROM entries WHERE label = 'deleted'")]

    def kept_lines(db: sqlite3.Connection) -> list[Line | None]:
        found = (db.execute("SELECT id FROM sessions WHERE number = ?", (number,)).fetchone() for number in deleted)
        return [line_of(db, row[0]) for row in found if row]

    for copy in copies:
        _forget_in_copy(copy, kept_lines)


def _forget_in_copy(copy: Path, find_lines: Callable[[sqlite3.Connection], Sequence[Line | None]]) -> None:
    """Delete sessions from a copy, with its words; one that is too damaged for that is no good and is deleted."""
    before = copy.stat()
    try:
        with closing(sqlite3.connect(copy, isolation_level=None)) as db:
            if not (lines := [line for line in find_lines(db) if line]):
                return
            db.execute("PRAGMA secure_delete = ON")
            db.execute("BEGIN IMMEDIATE")
            delete_sessions(db, lines)
            db.execute("COMMIT")
        os.utime(copy, (before.st_atime, before.st_mtime))
    except sqlite3.OperationalError as error:
        logger.warning("what was deleted is still in %s: %s", copy, error)
    except UNREADABLE as error:
        logger.warning("%s is deleted, for it cannot be written: %s", copy, error)
        copy.unlink(missing_ok=True)


def _draft_of(path: Path) -> Path:
    """Where a copy is written before it takes its place."""
    return path.with_name(f"{path.name}.copying")

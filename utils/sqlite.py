"""Files of SQLite: opened, brought to their newest form, shared by threads; and words for what goes wrong."""

import errno
import os
import re
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from utils.errors import MagpieError
from utils.files import open_regular
from utils.paths import private_dir

_COPY_NAME = re.compile(r"\.v\d+(?:\.(\d+))?")
"""How the copy of an older form is called behind the file's name; with its process while it is being written."""
# Seconds that a write waits for the writes of other processes.
WAIT = 60.0
MEMORY = Path(":memory:")
"""In the place of a file: a database that is on no disk, and gone with its connection."""


@dataclass(frozen=True)
class FileForm:
    """What a file holds, and how its failures are told."""

    noun: str
    """What the file is to the user, for instance `library`."""
    migrations: tuple[str, ...]
    """Scripts that lead from nothing to the newest tables; `user_version` says how many were run."""
    error: type[MagpieError]
    """Raised where the file cannot be used."""
    ruined: type[MagpieError]
    """Raised where what the file holds is not what was written to it."""
    ruin_remedy: str
    """What the user can do then."""
    pragmas: tuple[str, ...] = ()
    """For instance `cache_size = -65536`."""
    readable: bool = False
    """Whether what is kept is of use where nothing can be written: on a full disk, in a folder that is only read."""


class Database:
    """A file as every part of a process shares it; its methods block and may be called from any thread."""

    def __init__(self, path: Path, form: FileForm) -> None:
        self.path = path
        self.form = form
        self._lock = threading.RLock()
        self._refused: MagpieError | None = None
        """Why nothing can be written; the file is then only read."""
        self._read: tuple[float, ...] = ()
        """What the file was like when it was opened only to be read."""
        self._db = self._open_file()

    def prepare_connection(self, db: sqlite3.Connection) -> None:
        """Make ready a connection that was just opened."""

    def _open_file(self) -> sqlite3.Connection:
        """The file or, where nothing can be written and it is of use all the same, the file only read."""
        self._refused = None
        try:
            with translate_errors(self.path, self.form):
                db = open_file(self.path, self.form)
        except self.form.error as error:
            if not (self.form.readable and is_unwritable(error.__cause__)):
                raise
            refused = error if _no_room(error.__cause__) else _only_read(self.path, self.form)
            refused.__cause__ = error.__cause__
            self._read, self._refused = _file_marks(self.path), refused
            try:
                with translate_errors(self.path, self.form):
                    db = open_to_read(self.path, self.form)
            except self.form.error:
                raise error from error.__cause__
        except UnicodeDecodeError as error:
            # SQLite names the damaged table, and the name is damaged, too.
            told = f"The {self.form.noun} {self.path} is damaged: {error}."
            raise self.form.ruined(told, self.form.ruin_remedy) from error
        self.prepare_connection(db)
        return db

    def _reopen_file(self) -> None:
        old, state = self._db, (self._refused, self._read)
        try:
            self._db = self._open_file()
        except BaseException:
            # What could be read before still can be, and is tried anew the next time.
            self._refused, self._read = state
            raise
        old.close()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The connection, for statements that change nothing; raises the form's errors."""
        with self._lock, translate_errors(self.path, self.form):
            if self._refused and self._read != _file_marks(self.path):
                # Somebody could write after all, and what is only read takes no notice of that.
                self._reopen_file()
            yield self._db

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction, which waits for those of other processes; raises the form's errors."""
        with self._lock:
            if self._refused:
                self._reopen_file()
            if self._refused:
                raise self._refused
        with self.reading() as db:
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.commit()
            except BaseException:
                db.rollback()
                raise

    def close(self) -> None:
        """Close the file."""
        with self._lock, translate_errors(self.path, self.form):
            self._db.close()


def open_file(path: Path, form: FileForm) -> sqlite3.Connection:
    """Open a file that only its owner can read, made if it is not there, and bring it to its newest form."""
    if path != MEMORY:
        private_dir(path.parent)
        os.close(open_regular(path, os.O_RDONLY | os.O_CREAT))
    db = sqlite3.connect(path, timeout=WAIT, isolation_level=None, check_same_thread=False)
    try:
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", *form.pragmas):
            db.execute(f"PRAGMA {pragma}")
        _migrate_file(db, path, form)
    except BaseException:
        db.close()
        raise
    return db


def open_to_read(path: Path, form: FileForm) -> sqlite3.Connection:
    """Open a file beside which nothing can be written, not even what SQLite needs to read it with others.

    It must not be used once the file has changed.
    """
    log = path.with_name(f"{path.name}-wal")
    # What is still in the log can be read by one who has the file for himself, and needs no memory shared with others.
    how = "vfs=unix-none" if log.exists() and log.stat().st_size else "immutable=1"
    place = f"{path.absolute().as_uri()}?mode=ro&{how}"
    db = sqlite3.connect(place, uri=True, isolation_level=None, check_same_thread=False)
    try:
        for pragma in ("locking_mode = EXCLUSIVE", "query_only = ON", *form.pragmas):
            db.execute(f"PRAGMA {pragma}")
        if db.execute("PRAGMA user_version").fetchone()[0] != len(form.migrations):
            raise form.error(f"The {form.noun} {path} is of another form than this Magpie's.", "Make room.")
    except BaseException:
        db.close()
        raise
    return db


def _file_marks(path: Path) -> tuple[float, ...]:
    """What changes when anything is written to a file or to its log."""
    found: list[float] = []
    for file in (path, path.with_name(f"{path.name}-wal")):
        with suppress(OSError):
            state = file.stat()
            found += [state.st_ino, state.st_size, state.st_mtime_ns]
    return tuple(found)


def _migrate_file(db: sqlite3.Connection, path: Path, form: FileForm) -> None:
    newest = len(form.migrations)
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version > newest:
        raise form.error(
            f"The {form.noun} {path} was written by a newer Magpie.", "Update Magpie, or choose another data_dir."
        )
    if version == newest:
        return
    if version:
        copy_before(db, path, version)
    db.execute("BEGIN EXCLUSIVE")
    # Another process may have been faster.
    done = db.execute("PRAGMA user_version").fetchone()[0]
    for script in form.migrations[done:]:
        for statement in split_statements(script):
            db.execute(statement)
    db.execute(f"PRAGMA user_version = {newest}")
    db.execute("COMMIT")


def copy_before(db: sqlite3.Connection, path: Path, version: int) -> None:
    """A whole copy of the file before it is brought to a newer form, in the place of an older one of that form."""
    target = path.with_name(f"{path.name}.v{version}")
    draft = target.with_name(f"{target.name}.{os.getpid()}")
    copy_into(db, draft)
    with closing(sqlite3.connect(draft)) as copy:
        found = copy.execute("PRAGMA user_version").fetchone()[0]
    if found == version:
        draft.replace(target)
    else:
        # Another process was faster: it made the copy, and this one is of the newer form.
        draft.unlink()


def copy_into(db: sqlite3.Connection, target: Path) -> None:
    """Write the whole database to a new file that only its owner can read, in the place of what is there."""
    target.unlink(missing_ok=True)
    os.close(os.open(target, os.O_CREAT | os.O_EXCL, 0o600))
    db.execute("VACUUM INTO ?", (str(target),))


def copies_before(path: Path) -> dict[Path, int]:
    """The copies of older forms of a file that are there, each with the process that writes it; 0 once it is whole."""
    beside = (one for one in sorted(path.parent.iterdir()) if one.name.startswith(path.name))
    named = ((one, _COPY_NAME.fullmatch(one.name, len(path.name))) for one in beside)
    return {one: int(name[1] or 0) for one, name in named if name}


def split_statements(script: str) -> Iterator[str]:
    """The statements of a script; `executescript` would commit the transaction it is called in."""
    draft = ""
    for line in script.splitlines(keepends=True):
        draft += line
        if sqlite3.complete_statement(draft):
            yield draft
            draft = ""


# What the world around a file does to it; anything else that SQLite complains of is in the file itself.
_CODES_AROUND = frozenset(
    {
        sqlite3.SQLITE_AUTH,
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_INTERRUPT,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOLFS,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_PROTOCOL,
    }
)


@contextmanager
def translate_errors(path: Path, form: FileForm) -> Iterator[None]:
    """Turn what SQLite and the file system complain of into the form's errors."""
    try:
        yield
    except sqlite3.ProgrammingError:
        raise
    except (sqlite3.DatabaseError, OSError) as error:
        raise _tell_failure(error, path, form) from error
    except UnicodeDecodeError as error:
        # Damaged text in the words of SQLite's own complaint.
        raise form.ruined(f"The {form.noun} {path} is damaged.", form.ruin_remedy) from error


def _tell_failure(error: sqlite3.DatabaseError | OSError, path: Path, form: FileForm) -> MagpieError:
    if _no_room(error):
        return form.error(f"There is no room on the disk for the {form.noun} {path}.", "Make room.")
    if isinstance(error, OSError):
        return form.error(f"The {form.noun} {path} cannot be opened: {error.strerror or error}.", "Check data_dir.")
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
    if code == sqlite3.SQLITE_READONLY:
        return _only_read(path, form)
    if code in _CODES_AROUND:
        return form.error(f"The {form.noun} {path} cannot be used: {error}.", "Check the folder and the disk.")
    return form.ruined(f"The {form.noun} {path} is damaged: {error}.", form.ruin_remedy)


def _only_read(path: Path, form: FileForm) -> MagpieError:
    return form.error(f"The {form.noun} {path} can only be read.", "Check the folder and the disk.")


def _no_room(error: BaseException | None) -> bool:
    """Whether the disk is full; SQLite needs some room even to read, for what its readers share."""
    if isinstance(error, OSError):
        return error.errno in (errno.ENOSPC, errno.EDQUOT)
    code = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF == sqlite3.SQLITE_FULL or code == sqlite3.SQLITE_IOERR_SHMSIZE


def is_unwritable(error: BaseException | None) -> bool:
    """Whether what the file system or SQLite complains of is a want of room or of leave to write."""
    if isinstance(error, OSError):
        return _no_room(error) or error.errno in (errno.EROFS, errno.EACCES, errno.EPERM)
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)

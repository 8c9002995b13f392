"""sessions.db opened whatever has become of it: a destroyed file is moved aside, and all that is sound comes back."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

from chatbot.history.entries import EntryRow, number_of
from chatbot.history.log import COLUMNS
from chatbot.history.recovery.backups import check_file, list_copies, newest_sound, open_reader
from chatbot.history.recovery.page_recovery import carve_entries
from chatbot.history.recovery.session_locks import lock_of
from chatbot.history.schema import SESSIONS_FORM, SESSIONS_MIGRATIONS, UNREADABLE, Ruined
from chatbot.history.search import catalog
from chatbot.history.store import SessionStore
from utils.errors import SessionError
from utils.sqlite import MEMORY, WAIT, open_file, translate_errors

_FILE_HEADER_BYTES = 100
_INSERT = (
    "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET"
    " label = excluded.label, created = excluded.created, live = excluded.live, payload = excluded.payload,"
    " digest = excluded.digest WHERE excluded.live < entries.live"
)


def open_store(path: Path) -> tuple[SessionStore, list[str]]:
    """The store, and what there is to tell of how it was brought back; raises `SessionError`."""
    try:
        with translate_errors(path, SESSIONS_FORM):
            if path != MEMORY:
                _examine_file(path)
        return SessionStore(path), []
    except Ruined as ruin:
        said = bring_back(path, ruin)
        return SessionStore(path), said
    except SessionError as error:
        if not _says_newer_wrongly(path):
            raise
        said = bring_back(path, Ruined(error.problem, SESSIONS_FORM.ruin_remedy))
        return SessionStore(path), said


def _examine_file(path: Path) -> None:
    """Raises `Ruined` for a file that SQLite would take for an empty or a whole one although it is not."""
    size = path.stat().st_size if path.exists() else 0
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size:
        return
    if not size and any(copy.exists() for copy in list_copies(path)):
        raise Ruined(f"The {SESSIONS_FORM.noun} {path} is gone.", SESSIONS_FORM.ruin_remedy)
    if size:
        with path.open("rb") as file:
            header = file.read(_FILE_HEADER_BYTES)
        pages, page = int.from_bytes(header[28:32]), int.from_bytes(header[16:18])
        if size < pages * (page if page > 1 else 65536):
            raise Ruined(f"The {SESSIONS_FORM.noun} {path} is cut off.", SESSIONS_FORM.ruin_remedy)


def _says_newer_wrongly(path: Path) -> bool:
    """Whether the version is past the newest because it is damaged: a newer Magpie notes it twice."""
    try:
        with open_reader(path) as db:
            version = db.execute("PRAGMA user_version").fetchone()[0]
            noted = db.execute("SELECT value FROM meta WHERE key = 'version'").fetchone()
    except UNREADABLE:
        return False
    return bool(version > len(SESSIONS_MIGRATIONS) and noted != (str(version),))


def bring_back(path: Path, ruin: Ruined, *, whatever: bool = False) -> list[str]:
    """Put a file in the place of a damaged one, with everything that is sound in it or in the newest copy.

    Nothing is done, and told, where the file turns out to be sound, unless it is to be done `whatever` it looks like.
    """
    with translate_errors(path, SESSIONS_FORM), lock_of(path, "mending").acquire(timeout=WAIT):
        if not whatever and _is_sound(path):
            # Another process was faster, or only what is derived is damaged.
            return []
        draft = path.with_name(f"{path.name}.mending")
        _remove_draft(draft)
        try:
            saved, copied = _gather_entries(path, draft)
            aside = _swap_files(path, draft)
        finally:
            _remove_draft(draft)
    told = f"{ruin.problem} {saved} records were read from it"
    told += f", {copied} more come from its newest copy." if copied else "."
    return [f"{told} The damaged file is kept as {aside}." if aside else told]


def _is_sound(path: Path) -> bool:
    with suppress(*UNREADABLE, SessionError, OSError):
        _examine_file(path)
        with open_reader(path) as db:
            check_file(db, path)
            db.execute(f"SELECT {COLUMNS} FROM entries LIMIT 1").fetchone()
            db.execute(f"SELECT {catalog.FIELDS} FROM sessions LIMIT 1").fetchone()
            return bool(db.execute("PRAGMA user_version").fetchone()[0] == len(SESSIONS_MIGRATIONS))
    return False


def _gather_entries(path: Path, draft: Path) -> tuple[int, int]:
    """Write every sound entry into a new file; how many were in the old one, and how many only in its copy."""
    copy = newest_sound(path)
    with closing(open_file(draft, SESSIONS_FORM)) as db:
        db.execute("BEGIN")
        if path.exists():
            db.executemany(_INSERT, carve_entries(path))
        saved = _count_entries(db)
        if copy is not None:
            deleted = {number_of(key) for (key,) in db.execute("SELECT id FROM entries WHERE label = 'deleted'")}
            rows = (row for row in _copy_rows(copy) if row.is_sound and number_of(row.id) not in deleted)
            db.executemany("INSERT OR IGNORE INTO entries VALUES (?, ?, ?, ?, ?, ?)", rows)
        copied = _count_entries(db) - saved
        catalog.rebuild_catalog(db)
        db.execute("COMMIT")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return saved, copied


def _copy_rows(copy: Path) -> Iterator[EntryRow]:
    with open_reader(copy) as db:
        for row in db.execute(f"SELECT {COLUMNS} FROM entries ORDER BY id"):
            yield EntryRow(*row)


def _count_entries(db: sqlite3.Connection) -> int:
    return int(db.execute("SELECT count(*) FROM entries").fetchone()[0])


def _swap_files(path: Path, draft: Path) -> Path | None:
    """Move the damaged file aside and the new one to its place; where the damaged one is, if there was one."""
    aside = None
    if path.exists() and path.stat().st_size:
        aside = path.with_name(f"{path.name}.damaged-{time.strftime('%Y%m%d-%H%M%S')}")
        while aside.exists():
            aside = aside.with_name(f"{aside.name}-again")
        aside.hardlink_to(path)
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and aside is not None:
        log.replace(aside.with_name(f"{aside.name}-wal"))
    for side in ("-wal", "-shm"):
        path.with_name(path.name + side).unlink(missing_ok=True)
    draft.replace(path)
    return aside


def _remove_draft(draft: Path) -> None:
    for side in ("", "-wal", "-shm"):
        draft.with_name(draft.name + side).unlink(missing_ok=True)

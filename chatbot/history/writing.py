"""What is written of a session: its first entry, further ones, and its end; the log and what is derived from it."""

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from pathlib import Path

from chatbot.history import log
from chatbot.history.entries import AnyValue, Begun, Deleted, EntryRow, encode_value, key_of, make_row, utc_now
from chatbot.history.log import COLUMNS, Read
from chatbot.history.schema import UNREADABLE
from chatbot.history.search import catalog
from chatbot.history.search.catalog import Line
from utils.sqlite import WAIT

LOG_SECONDS = 2
"""For which whoever deletes waits until nobody reads what is still in the log."""


def begin_session(db: sqlite3.Connection, session: str, parent: str = "", created: str = "") -> Line:
    """The first entry of a new session: its line."""
    number = log.next_number(db)
    label, payload = encode_value(Begun(session, parent))
    row = make_row(key_of(number), label, created or utc_now(), payload)
    log.insert_rows(db, [row])
    return catalog.add_entries(db, Line(number), [Read(row, Begun(session, parent))])


def add_values(db: sqlite3.Connection, line: Line, values: Sequence[AnyValue], created: str) -> Line:
    """Further entries of a session: its line afterwards."""
    first = log.next_key(db, line.number)
    rows = [
        make_row(first + place, label, created, body) for place, (label, body) in enumerate(map(encode_value, values))
    ]
    log.insert_rows(db, rows)
    # As they can be written: what a value had beyond that, half a character say, is nowhere noted either.
    return catalog.add_entries(db, line, log.read_rows(rows)[0])


def delete_sessions(db: sqlite3.Connection, lines: Sequence[Line]) -> None:
    """Delete all of some sessions, in sessions.db or in a copy of it."""
    for line in lines:
        _delete_session(db, line)
    catalog.purge_words(db)


def _delete_session(db: sqlite3.Connection, line: Line) -> None:
    sound, _ = log.read_rows(log.rows_of(db, line.number))
    catalog.remove_session(db, line, sound)
    span = (key_of(line.number), key_of(line.number + 1))
    for table in ("entries", "damaged"):
        db.execute(f"DELETE FROM {table} WHERE id >= ? AND id < ?", span)
    db.execute("DELETE FROM drafts WHERE session = ?", (line.id,))
    label, payload = encode_value(Deleted())
    log.insert_rows(db, [make_row(key_of(line.number), label, utc_now(), payload)])


def empty_log(db: sqlite3.Connection) -> None:
    """Leave nothing in the write-ahead log; where somebody reads it is emptied later, at the latest by closing."""
    db.execute(f"PRAGMA busy_timeout = {LOG_SECONDS * 1000}")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    db.execute(f"PRAGMA busy_timeout = {WAIT * 1000:.0f}")


def heal_rows(db: sqlite3.Connection, line: Line, damaged: Sequence[EntryRow], copies: Iterable[Path]) -> list[Read]:
    """Put sound rows in the places of damaged ones: those of a copy, else what says that something is missing."""
    found = {row.id: row for row in (each.mended_row for each in damaged) if row.is_sound}
    for copy in copies:
        found = {**_sound_rows(copy, damaged), **found}
    healed = [_mark_undone(found[lost.id], lost) for lost in damaged if lost.id in found]
    log.replace_rows(db, healed)
    stand_ins = log.set_aside(db, [row for row in damaged if row.id not in found], Begun(line.id, line.parent))
    return log.read_rows([*healed, *stand_ins])[0]


def _mark_undone(row: EntryRow, lost: EntryRow) -> EntryRow:
    """A row of a copy; it may have been undone after the copy was made."""
    return row if lost.mended_row.is_sound or lost.live not in (0, 1) else row.with_key(row.id, live=lost.live)


def _sound_rows(copy: Path, damaged: Sequence[EntryRow]) -> dict[int, EntryRow]:
    """The sound rows of a copy with the ids of damaged ones."""
    rows: list[EntryRow] = []
    with suppress(*UNREADABLE), closing(sqlite3.connect(f"{copy.absolute().as_uri()}?mode=ro", uri=True)) as db:
        for row in damaged:
            rows += map(EntryRow._make, db.execute(f"SELECT {COLUMNS} FROM entries WHERE id = ?", (row.id,)))
    return {row.id: row for row in rows if row.is_sound}

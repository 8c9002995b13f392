"""The log of all sessions: rows are added to it and read back; what is not as it was written is set aside."""

import sqlite3
from collections.abc import Iterable, Sequence
from typing import NamedTuple, cast

import msgspec

from chatbot.conversation.messages import Message, Role
from chatbot.history.entries import (
    ROLES,
    AnyValue,
    Begun,
    EntryRow,
    decode_value,
    encode_value,
    key_of,
    make_row,
    number_of,
    ordinal_of,
    utc_now,
)

COLUMNS = "id, label, created, live, payload, digest"
DAMAGED = "(This message was damaged and has been set aside.)"


class Read(NamedTuple):
    """A sound row with its value."""

    row: EntryRow
    value: AnyValue


def tolerate_damage(db: sqlite3.Connection) -> None:
    """Have damaged text read as text: its digest tells that it is damaged."""
    db.text_factory = lambda raw: raw.decode(errors="replace")


def insert_rows(db: sqlite3.Connection, rows: Iterable[EntryRow]) -> None:
    """Add rows."""
    db.executemany("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?)", rows)


def next_key(db: sqlite3.Connection, number: int) -> int:
    """The id of the next entry of a session that has entries."""
    [last] = db.execute("SELECT max(id) FROM entries WHERE id < ?", (key_of(number + 1),)).fetchone()
    return int(last) + 1


def next_number(db: sqlite3.Connection) -> int:
    """The number of the next session; none is given twice, as deleted ones leave an entry behind."""
    [last] = db.execute("SELECT max(id) FROM entries").fetchone()
    return 1 if last is None else number_of(last) + 1


def replace_rows(db: sqlite3.Connection, rows: Iterable[EntryRow]) -> None:
    """Write other rows in the place of those with the same ids."""
    db.executemany("INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?, ?, ?)", rows)


def rows_of(db: sqlite3.Connection, number: int) -> list[EntryRow]:
    """Every row of a session, whatever its state, in order."""
    span = (key_of(number), key_of(number + 1))
    found = db.execute(f"SELECT {COLUMNS} FROM entries WHERE id >= ? AND id < ? ORDER BY id", span)
    return list(map(EntryRow._make, found))


def read_rows(rows: Sequence[EntryRow]) -> tuple[list[Read], list[EntryRow]]:
    """Sound rows with their values, and those that are not as they were written."""
    sound: list[Read] = []
    damaged: list[EntryRow] = []
    for row in rows:
        try:
            if row.is_sound:
                sound.append(Read(row, decode_value(row.label, row.payload)))
                continue
        except msgspec.MsgspecError:
            pass
        damaged.append(row)
    return sound, damaged


def set_aside(db: sqlite3.Connection, damaged: Sequence[EntryRow], begun: Begun) -> list[EntryRow]:
    """Move rows to the damaged ones; what stands in their places, so that all messages keep their numbers.

    `begun` takes the place of a session's first entry.
    """
    db.executemany("INSERT INTO damaged VALUES (?, ?, ?, ?, ?, ?, ?)", [(*row, utc_now()) for row in damaged])
    db.executemany("DELETE FROM entries WHERE id = ?", [(row.id,) for row in damaged])
    stand_ins = [_stand_in(row) for row in damaged if ordinal_of(row.id) and row.label in ROLES]
    stand_ins += [make_row(row.id, *_label_value(begun, utc_now())) for row in damaged if not ordinal_of(row.id)]
    insert_rows(db, stand_ins)
    return stand_ins


def _label_value(value: AnyValue, created: str) -> tuple[str, str, bytes]:
    label, payload = encode_value(value)
    return label, created, payload


def _stand_in(row: EntryRow) -> EntryRow:
    message = Message(cast("Role", row.label), DAMAGED, interrupted=True)
    return make_row(row.id, *_label_value(message, str(row.created)), row.live if row.live in (0, 1) else 1)

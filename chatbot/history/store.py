"""sessions.db: what is said is written down and read back; its methods block, one thread at a time calls them."""

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path

from chatbot.conversation.messages import Message
from chatbot.conversation.turns import questions_among
from chatbot.history import log
from chatbot.history.accounting import Spending, read_spending
from chatbot.history.entries import (
    AnyValue,
    Entry,
    Kind,
    TitleBy,
    Titled,
    key_of,
    ordinal_of,
    utc_now,
)
from chatbot.history.export import transfer
from chatbot.history.export.transfer import Imported, Item
from chatbot.history.log import Read
from chatbot.history.recovery.backups import list_copies
from chatbot.history.schema import SESSIONS_FORM
from chatbot.history.search import catalog
from chatbot.history.search import sessions as search
from chatbot.history.search.catalog import Line
from chatbot.history.search.sessions import SessionInfo
from chatbot.history.turns import last_change, place_marks, repair_entries, turn_ending
from chatbot.history.writing import add_values, begin_session, delete_sessions, heal_rows
from utils.errors import SessionError
from utils.sqlite import Database
from utils.text import one_line, well_formed


@dataclass(frozen=True)
class Loaded:
    """A session as it was read back."""

    info: SessionInfo
    entries: tuple[Entry, ...]
    """All that was not undone, in order; a message that was damaged says so in its place."""
    damaged: int = 0
    """Records of this session that are not as they were written; they were set aside."""

    @property
    def messages(self) -> list[Message]:
        """Its messages; pins and compactions speak of them by their place here."""
        return [entry.value for entry in self.entries if isinstance(entry.value, Message)]


@dataclass(frozen=True)
class Undone:
    """What was taken back."""

    kind: Kind
    """`compaction`, or `message` for a turn."""
    entries: tuple[Entry, ...]

    @property
    def messages(self) -> list[Message]:
        """The messages of a turn that was taken back."""
        return [entry.value for entry in self.entries if isinstance(entry.value, Message)]

    @property
    def question(self) -> str:
        """The question of a turn that was taken back."""
        return "".join(questions_among(self.messages)[:1])


@dataclass(frozen=True)
class Batch:
    """Entries that are to be written together."""

    session: str
    values: tuple[AnyValue, ...]
    model: str = ""
    created: str = ""


class SessionStore:
    """The file and everything that is done to it; each method is one transaction."""

    def __init__(self, path: Path) -> None:
        self._database = Database(path, SESSIONS_FORM)
        with self._database.reading() as db:
            log.tolerate_damage(db)
        self._file = _file_identity(path)
        self.path = path

    @property
    def is_replaced(self) -> bool:
        """Whether another file is in the place of the one that is open: another process mended it."""
        return _file_identity(self.path) != self._file

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def reading(self) -> AbstractContextManager[sqlite3.Connection]:
        """The connection, for statements that change nothing."""
        return self._database.reading()

    def writing(self) -> AbstractContextManager[sqlite3.Connection]:
        """One transaction."""
        return self._database.writing()

    def append(self, batches: Sequence[Batch]) -> None:
        """Write entries down, and drop the drafts that they finish."""
        with self.writing() as db:
            for batch in batches:
                line = catalog.line_of(db, batch.session) or begin_session(db, batch.session, created=batch.created)
                line = add_values(db, line, batch.values, batch.created)
                if batch.model and batch.model != line.model:
                    catalog.write_line(db, replace(line, model=batch.model))
                db.execute("DELETE FROM drafts WHERE session = ?", (batch.session,))

    def draft(self, session: str, text: str, thinking: str) -> bool:
        """Keep what has arrived of a reply, and whether there is a session that it belongs to.

        It outlives this process at once, but a power failure only once something else was written: a disk is not
        made to write twice a second.
        """
        text, thinking = well_formed(text), well_formed(thinking)
        with self.reading() as db:
            db.execute("PRAGMA synchronous = NORMAL")
            try:
                kept = db.execute(
                    "INSERT OR REPLACE INTO drafts SELECT ?1, ?2, ?3, ?4 FROM sessions WHERE id = ?1",
                    (session, text, thinking, _draft_digest(session, text, thinking)),
                ).rowcount
            finally:
                db.execute("PRAGMA synchronous = FULL")
        return kept > 0

    def load(self, session: str, going_on: bool) -> Loaded:
        """A session; one that no living process is `going_on` with is brought to an end where it was cut off."""
        with self.writing() as db:
            return self._load_session(db, session, going_on)

    def load_read_only(self, session: str, going_on: bool) -> Loaded:
        """The same where nothing can be written."""
        with self.reading() as db:
            db.execute("BEGIN")
            try:
                return self._load_session(db, session, going_on)
            finally:
                db.rollback()

    def _load_session(self, db: sqlite3.Connection, session: str, going_on: bool) -> Loaded:
        line = self.line(db, session)
        sound = self._read_sound(db, line)
        if not going_on:
            sound += self._finish_turn(db, line, sound)
            line = self.line(db, session)
        live = [read for read in sound if read.row.live]
        damaged = _count_damaged(db, line.number, {read.row.id for read in sound})
        return Loaded(search.make_info(line), tuple(place_marks(repair_entries(_make_entries(live)))), damaged)

    def line(self, db: sqlite3.Connection, session: str) -> Line:
        """The line of a session; raises `SessionError` where there is none."""
        line = catalog.line_of(db, session)
        if line is None:
            raise SessionError(f"There is no conversation {session}.", "/history lists them.")
        return line

    def _read_sound(self, db: sqlite3.Connection, line: Line) -> list[Read]:
        """The sound rows of a session, damaged ones healed as far as can be."""
        sound, damaged = log.read_rows(log.rows_of(db, line.number))
        if not damaged:
            return sound
        healed = heal_rows(db, line, damaged, list_copies(self.path))
        return sorted([*sound, *healed], key=lambda read: read.row.id)

    def _finish_turn(self, db: sqlite3.Connection, line: Line, sound: Sequence[Read]) -> list[Read]:
        row = db.execute("SELECT session, text, thinking, digest FROM drafts WHERE session = ?", (line.id,)).fetchone()
        text, thinking = (row[1], row[2]) if row and row[3] == _draft_digest(*row[:3]) else ("", "")
        db.execute("DELETE FROM drafts WHERE session = ?", (line.id,))
        said = [read.value for read in sound if read.row.live and isinstance(read.value, Message)]
        end = turn_ending(said, text, thinking)
        if not end:
            return []
        first = log.next_key(db, line.number)
        add_values(db, line, end, utc_now())
        return log.read_rows([row for row in log.rows_of(db, line.number) if row.id >= first])[0]

    def undo(self, session: str) -> Undone | None:
        """Take back the last change; None when there is none."""
        with self.writing() as db:
            line = self.line(db, session)
            sound = self._read_sound(db, line)
            live = [read for read in sound if read.row.live]
            undone = last_change(live)
            if not undone:
                return None
            log.replace_rows(db, [read.row.with_key(read.row.id, live=0) for read in undone])
            gone = {read.row.id for read in undone}
            catalog.take_back(db, line, undone, [read for read in live if read.row.id not in gone])
            entries = _make_entries(undone)
            turn = any(entry.kind == "message" for entry in entries)
            return Undone("message" if turn else "compaction", tuple(entries))

    def branch(self, session: str, new: str, upto: int | None) -> None:
        """Copy the live entries, up to and with the message of a number if one is given, into a new session."""
        with self.writing() as db:
            line = self.line(db, session)
            sound = self._read_sound(db, line)
            kept = [read for read in sound if read.row.live and ordinal_of(read.row.id)]
            if upto is not None:
                messages = [read for read in kept if isinstance(read.value, Message)][: upto + 1]
                last = messages[-1].row.id if messages else -1
                kept = [read for read in kept if read.row.id <= last or isinstance(read.value, Titled)]
            copy = begin_session(db, new, parent=session)
            first = log.next_key(db, copy.number)
            rows = [read.row.with_key(first + place) for place, read in enumerate(kept)]
            log.insert_rows(db, rows)
            copy = catalog.add_entries(db, copy, [Read(row, read.value) for row, read in zip(rows, kept, strict=True)])
            if upto is None:
                said = [read.value for read in kept if isinstance(read.value, Message)]
                copy = add_values(db, copy, turn_ending(said, "", ""), utc_now())
            catalog.write_line(db, replace(copy, updated=utc_now()))

    def title(self, session: str, text: str, by: TitleBy) -> bool:
        """Name a session, and whether that was done: the model never overrules the user."""
        text = one_line(text, catalog.TITLE)
        with self.writing() as db:
            line = self.line(db, session)
            if not text or (by == "model" and line.titled == "user"):
                return False
            add_values(db, line, [Titled(text, by)], utc_now())
        return True

    def delete(self, sessions: Sequence[str]) -> None:
        """Delete sessions; of each an entry stays behind that says so, and nothing else in the file."""
        with self.writing() as db:
            delete_sessions(db, [self.line(db, session) for session in sessions])

    def expired_sessions(self, keep_days: int) -> list[str]:
        """Sessions that were not gone on with for so many days."""
        before = (datetime.now(UTC) - timedelta(days=keep_days)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        with self.reading() as db:
            return [session for (session,) in db.execute("SELECT id FROM sessions WHERE updated < ?", (before,))]

    def export(self, session: str) -> str:
        """The session as JSON."""
        with self.reading() as db:
            return transfer.export_session(db, self.line(db, session))

    def import_items(self, items: Sequence[Item], new: str) -> Imported:
        """A session from a parsed document."""
        with self.writing() as db:
            return transfer.write_imported(db, items, new)

    def spending(self, since: datetime | None, session: str) -> list[Spending]:
        """Tokens by day, model and purpose, of one session if one is named."""
        with self.reading() as db:
            return read_spending(db, since, self.line(db, session).number if session else None)

    def heal_sessions(self, numbers: Iterable[int]) -> None:
        """Heal what is damaged in the sessions of these numbers."""
        with self.writing() as db:
            for number in numbers:
                row = db.execute("SELECT id FROM sessions WHERE number = ?", (number,)).fetchone()
                if row:
                    self._read_sound(db, self.line(db, row[0]))

    def rebuild_catalog(self) -> None:
        """Make everything anew that is derived from the log."""
        with self.writing() as db:
            catalog.rebuild_catalog(db)


def _file_identity(path: Path) -> tuple[int, int]:
    """What tells a file from another of its name; zeros where there is none."""
    with suppress(OSError):
        return (status := path.stat()).st_dev, status.st_ino
    return 0, 0


def _count_damaged(db: sqlite3.Connection, number: int, present: set[int]) -> int:
    """Records that were set aside, and those of which not even that is left."""
    rows = db.execute("SELECT id FROM damaged WHERE id >= ? AND id < ?", (key_of(number), key_of(number + 1)))
    aside = {key for (key,) in rows}
    return len(aside | (set(range(key_of(number), max(present, default=-1) + 1)) - present))


def _make_entries(reads: Sequence[Read]) -> list[Entry]:
    return [Entry(ordinal_of(read.row.id), read.row.created, read.value) for read in reads]


def _draft_digest(session: str, text: str, thinking: str) -> bytes:
    return blake2b("\0".join((session, text, thinking)).encode(errors="replace"), digest_size=16).digest()

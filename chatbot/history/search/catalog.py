"""What is derived from the log: a line for each session, and the words that its messages are found by."""

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from chatbot.conversation.messages import Message
from chatbot.history.accounting import note_spending
from chatbot.history.entries import Begun, Deleted, EntryRow, Titled, TurnAnswered, key_of, number_of
from chatbot.history.log import COLUMNS, Read, read_rows, rows_of
from chatbot.history.search.terms import HISTORY_TERMS_VERSION, text_terms
from utils.text import one_line

TITLE = 80
"""Characters of a question that stands for a title."""
FIELDS = "number, id, created, updated, title, titled, model, parent, messages"


@dataclass(frozen=True)
class Line:
    """A session in a few words."""

    number: int
    id: str = ""
    created: str = ""
    updated: str = ""
    title: str = ""
    titled: str = ""
    model: str = ""
    parent: str = ""
    messages: int = 0


def fold_entries(line: Line, reads: Iterable[Read]) -> Line:
    """The line after further entries; only live ones count."""
    for entry in reads:
        if entry.row.live:
            line = _fold_entry(line, entry)
    return line


def _fold_entry(line: Line, entry: Read) -> Line:
    created = entry.row.created
    match entry.value:
        case Begun(id, parent):
            return replace(line, id=id, parent=parent, created=created, updated=created)
        case Titled(text, by) if by == "user" or line.titled != "user":
            return replace(line, title=text, titled=by)
        case TurnAnswered(model=model):
            return replace(line, model=model or line.model, updated=created)
        case Message() as message:
            first = one_line(message.content, TITLE) if message.is_question and not line.title else line.title
            return replace(line, title=first, messages=line.messages + 1, updated=created)
    return line


def line_of(db: sqlite3.Connection, session: str) -> Line | None:
    """The line of a session."""
    row = db.execute(f"SELECT {FIELDS} FROM sessions WHERE id = ?", (session,)).fetchone()
    return Line(*row) if row else None


def write_line(db: sqlite3.Connection, line: Line) -> None:
    """Put a line in the place of the one with its number."""
    values = tuple(getattr(line, name) for name in FIELDS.split(", "))
    db.execute(f"INSERT OR REPLACE INTO sessions ({FIELDS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", values)


def add_entries(db: sqlite3.Connection, line: Line, reads: Sequence[Read]) -> Line:
    """Note further entries of a session: its line afterwards."""
    after = fold_entries(line, reads)
    if after.titled and after.title != line.title:
        _index_title(db, line, after)
    db.executemany("INSERT INTO words (rowid, terms) VALUES (?, ?)", _message_words(reads))
    note_spending(db, reads)
    write_line(db, after)
    return after


def take_back(db: sqlite3.Connection, line: Line, undone: Sequence[Read], left: Sequence[Read]) -> Line:
    """Note that entries were undone: the session's line without them."""
    db.executemany("INSERT INTO words (words, rowid, terms) VALUES ('delete', ?, ?)", _message_words(undone))
    after = fold_entries(Line(line.number), left)
    write_line(db, after)
    return after


def remove_session(db: sqlite3.Connection, line: Line, reads: Sequence[Read]) -> None:
    """Forget a session."""
    words = _message_words([entry for entry in reads if entry.row.live])
    if line.titled:
        words.append((key_of(line.number), " ".join(text_terms(line.title))))
    db.executemany("INSERT INTO words (words, rowid, terms) VALUES ('delete', ?, ?)", words)
    db.execute("DELETE FROM spent WHERE id >= ? AND id < ?", (key_of(line.number), key_of(line.number + 1)))
    db.execute("DELETE FROM sessions WHERE number = ?", (line.number,))


def purge_words(db: sqlite3.Connection) -> None:
    """Leave nothing of words that were taken out: until its parts are merged, the index holds them."""
    db.execute("INSERT INTO words (words) VALUES ('optimize')")


def _index_title(db: sqlite3.Connection, before: Line, after: Line) -> None:
    key = key_of(before.number)
    if before.titled:
        old = " ".join(text_terms(before.title))
        db.execute("INSERT INTO words (words, rowid, terms) VALUES ('delete', ?, ?)", (key, old))
    db.execute("INSERT INTO words (rowid, terms) VALUES (?, ?)", (key, " ".join(text_terms(after.title))))


def _message_words(reads: Iterable[Read]) -> list[tuple[int, str]]:
    return [
        (entry.row.id, " ".join(text_terms(entry.value.content))) for entry in reads if isinstance(entry.value, Message)
    ]


def rebuild_catalog(db: sqlite3.Connection) -> None:
    """Make everything anew that is derived from the log."""
    db.execute("DELETE FROM sessions")
    db.execute("DELETE FROM spent")
    db.execute("INSERT INTO words (words) VALUES ('delete-all')")
    for number in session_numbers(db):
        sound, _ = read_rows(rows_of(db, number))
        live = [entry for entry in sound if entry.row.live]
        if not live or any(isinstance(entry.value, Deleted) for entry in live):
            continue
        line = fold_entries(Line(number), live)
        # A session whose first entry was lost is still one.
        if not line.id:
            line = replace(line, id=f"found-{number}", created=line.updated)
        write_line(db, line)
        note_spending(db, sound)
        db.executemany("INSERT INTO words (rowid, terms) VALUES (?, ?)", _message_words(live))
        if line.titled:
            words = " ".join(text_terms(line.title))
            db.execute("INSERT INTO words (rowid, terms) VALUES (?, ?)", (key_of(number), words))
    db.execute("INSERT OR REPLACE INTO meta VALUES ('terms', ?)", (HISTORY_TERMS_VERSION,))


def agrees_with_log(db: sqlite3.Connection, stopped: Callable[[], bool]) -> bool:
    """Whether the lines are those of the sessions in the log, as far as was looked until it was `stopped`."""
    ids = {number: id for number, id in db.execute("SELECT number, id FROM sessions")}
    for number in session_numbers(db):
        if stopped():
            return True
        row = db.execute(f"SELECT {COLUMNS} FROM entries WHERE id = ?", (key_of(number),)).fetchone()
        first = read_rows([EntryRow(*row)] if row else [])[0]
        listed = ids.pop(number, None)
        if first and listed != (first[0].value.id if isinstance(first[0].value, Begun) else None):
            return False
    return not ids


def session_numbers(db: sqlite3.Connection) -> Iterable[int]:
    """The number of every session in the log: from one to the next, as many steps as there are sessions."""
    number = 0
    while True:
        row = db.execute("SELECT min(id) FROM entries WHERE id >= ?", (key_of(number + 1),)).fetchone()
        if row[0] is None:
            return
        number = number_of(row[0])
        yield number

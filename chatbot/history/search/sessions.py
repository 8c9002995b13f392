"""Sessions listed by date and found by their words, and answers of earlier sessions."""

import heapq
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from chatbot.conversation.messages import Message
from chatbot.history.entries import SPAN, EntryRow, key_of, number_of, ordinal_of, utc_now
from chatbot.history.log import COLUMNS, Read, read_rows, rows_of
from chatbot.history.search.catalog import FIELDS, Line
from chatbot.history.search.terms import fold_text, fts_phrase, text_terms, wanted_terms
from utils.text import one_line, well_formed

# Of a word that more messages have than this only the newest are read; older sessions are looked up one by one.
FREQUENT = 20_000
MAX_MESSAGES_READ = 50
"""Messages up to which a session is read for a word in the place of asking its index."""
MANY_SESSIONS = 1_000
"""Sessions from which on those that were found are looked for among all by date."""
SNIPPET = 160
"""Characters of a snippet."""


@dataclass(frozen=True)
class SessionInfo:
    """A session in a list."""

    id: str
    title: str
    created: str
    """ISO 8601, UTC, as all times are."""
    updated: str
    messages: int
    model: str = ""
    parent: str = ""
    """The session that it branched off."""
    snippet: str = ""
    """Where the words that were looked for occur."""


def make_info(line: Line, snippet: str = "") -> SessionInfo:
    """A session's line for others."""
    return SessionInfo(line.id, line.title, line.created, line.updated, line.messages, line.model, line.parent, snippet)


def list_sessions(db: sqlite3.Connection, text: str, limit: int, offset: int) -> list[SessionInfo]:
    """Sessions that have messages, newest first; with a text those in which all its words occur."""
    asked = wanted_terms(text)
    if not asked:
        return [make_info(line) for line in islice(_newest_sessions(db), offset, offset + limit)]
    found = islice(_matching_sessions(db, asked), offset, offset + limit)
    return [make_info(line, _make_snippet(db, key, asked)) for line, key in found]


def _newest_sessions(db: sqlite3.Connection) -> Iterator[Line]:
    """All sessions that have messages, newest first, as they are needed."""
    moment = utc_now()
    places = _future_places(db, moment)
    query = f"SELECT {FIELDS} FROM sessions WHERE messages > 0 AND updated {{}} ? ORDER BY updated DESC, number DESC"
    told = (Line(*row) for row in db.execute(query.format("<="), (moment,)))
    if not places:
        return told
    order = _sort_key(places)
    ahead = sorted((Line(*row) for row in db.execute(query.format(">"), (moment,))), key=order, reverse=True)
    return heapq.merge(told, ahead, key=order, reverse=True)


def _future_places(db: sqlite3.Connection, moment: str) -> dict[int, str]:
    """Where sessions stand whose time is yet to come, for a clock was wrong: by their numbers, as they were begun.

    Each stands behind the first that was begun after it. Of an imported session, which has its old times, those say
    nothing: they lie before some of a session that was begun earlier.
    """
    if not db.execute("SELECT 1 FROM sessions WHERE updated > ? LIMIT 1", (moment,)).fetchone():
        return {}
    rows = db.execute("SELECT number, created, updated FROM sessions").fetchall()
    begun = [(number, created) for number, created, _ in rows if created <= moment]
    places: dict[int, str] = {}
    for number in (number for number, _, updated in rows if updated > moment):
        before = max((created for other, created in begun if other < number), default="")
        later = (created for other, created in begun if other > number and created >= before)
        places[number] = min(later, default=moment)
    return places


def _sort_key(places: dict[int, str]) -> Callable[[Line], tuple[str, bool, str, int]]:
    """By what sessions are ordered."""
    return lambda line: (places.get(line.number, line.updated), line.number not in places, line.updated, line.number)


@dataclass(frozen=True)
class _Hits:
    """Where a term occurs: all of it if the term is not frequent, else what is in the newest sessions."""

    term: str
    open_end: bool
    keys: dict[int, int]
    """By number of the session the id of its first entry that has the term."""
    oldest: int
    """Sessions with a smaller number have to be looked into."""

    def first_entry(self, db: sqlite3.Connection, line: Line) -> int | None:
        """The first entry of a session that has the term."""
        if line.number >= self.oldest:
            return self.keys.get(line.number)
        # FTS5 reads all of a long beginning of words at each look, which takes as long as reading 50 messages.
        return _looked_up(db, self, line.number) if line.messages > MAX_MESSAGES_READ else _read_for(db, self, line)


def _looked_up(db: sqlite3.Connection, hits: _Hits, number: int) -> int | None:
    query = "SELECT rowid FROM words WHERE words MATCH ? AND rowid >= ? AND rowid < ? LIMIT 1"
    words = fts_phrase(hits.term, hits.open_end)
    row = db.execute(query, (words, key_of(number), key_of(number + 1))).fetchone()
    return row[0] if row else None


def _read_for(db: sqlite3.Connection, hits: _Hits, line: Line) -> int | None:
    live = [entry for entry in read_rows(rows_of(db, line.number))[0] if entry.row.live]
    texts = [(entry.row.id, entry.value.content) for entry in live if isinstance(entry.value, Message)]
    for key, text in [(key_of(line.number), line.title), *texts]:
        if any(term == hits.term or (hits.open_end and term.startswith(hits.term)) for term in text_terms(text)):
            return key
    return None


def _find_hits(db: sqlite3.Connection, term: str, open_end: bool) -> _Hits:
    query = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?"
    rows = db.execute(query, (fts_phrase(term, open_end), FREQUENT)).fetchall()
    oldest = number_of(rows[-1][0]) if len(rows) == FREQUENT else 0
    return _Hits(term, open_end, {key >> SPAN: key for (key,) in rows}, oldest)


def _matching_sessions(db: sqlite3.Connection, asked: Sequence[tuple[str, bool]]) -> Iterator[tuple[Line, int]]:
    """Sessions in which all terms occur, newest first, as they are needed, and where the last term does."""
    hits = [_find_hits(db, *term) for term in asked]
    few = [set(each.keys) for each in hits if not each.oldest]
    for line in _sessions_among(db, set.intersection(*few)) if few else _newest_sessions(db):
        keys = [key for each in hits if (key := each.first_entry(db, line)) is not None]
        if len(keys) == len(hits):
            yield line, next((key for key in reversed(keys) if ordinal_of(key)), keys[-1])


def _sessions_among(db: sqlite3.Connection, numbers: set[int]) -> Iterator[Line]:
    """The sessions of these numbers, newest first; of many the first ones are soon met among all."""
    if len(numbers) > MANY_SESSIONS:
        return (line for line in _newest_sessions(db) if line.number in numbers)
    lines = (db.execute(f"SELECT {FIELDS} FROM sessions WHERE number = ?", (number,)).fetchone() for number in numbers)
    found = [Line(*row) for row in lines if row]
    return iter(sorted(found, key=_sort_key(_future_places(db, utc_now())), reverse=True))


def _make_snippet(db: sqlite3.Connection, key: int, asked: Sequence[tuple[str, bool]]) -> str:
    message = _read_message(db, key) if ordinal_of(key) else None
    return _text_around(message.value.content, asked) if message and isinstance(message.value, Message) else ""


def _text_around(text: str, asked: Sequence[tuple[str, bool]]) -> str:
    """The part of a text in which a word stands, on one line."""
    plain = fold_text(text)
    places = [place for term, _ in asked if (place := plain.find(term)) >= 0]
    # Folding may have made the text shorter, so the place is only about right.
    start = max(0, min(places, default=0) - SNIPPET // 4)
    return ("…" if start else "") + one_line(text[start : start + 4 * SNIPPET], SNIPPET)


def _read_message(db: sqlite3.Connection, key: int) -> Read | None:
    row = db.execute(f"SELECT {COLUMNS} FROM entries WHERE id = ? AND live = 1", (key,)).fetchone()
    sound, _ = read_rows([EntryRow(*row)] if row else [])
    return sound[0] if sound and isinstance(sound[0].value, Message) else None


def find_session(db: sqlite3.Connection, text: str) -> str | None:
    """The id of the session that a text names: its id, the beginning of it, its title, or what was said in it."""
    text = well_formed(text).strip()
    query = "SELECT id FROM sessions WHERE substr(id, 1, length(?1)) = ?1 ORDER BY id != ?1 LIMIT 2"
    named = [session for (session,) in db.execute(query, (text.lower(),))] if text else []
    if named and (len(named) == 1 or named[0] == text.lower()):
        return str(named[0])
    found = list_sessions(db, text, 50, 0) if wanted_terms(text) else []
    return next((each.id for each in found if fold_text(text) in fold_text(each.title)), found[0].id if found else None)


def latest_session(db: sqlite3.Connection) -> str | None:
    """The id of the session that was gone on with last."""
    return next((line.id for line in _newest_sessions(db)), None)


def marked_sessions(db: sqlite3.Connection) -> list[str]:
    """The ids of sessions in which answers were marked, oldest first."""
    query = (
        "SELECT id FROM sessions WHERE number IN (SELECT id >> ? FROM entries WHERE label = 'feedback' AND live)"
        " ORDER BY number"
    )
    return [session for (session,) in db.execute(query, (SPAN,))]

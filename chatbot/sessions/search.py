"""Sessions listed by date and found by their words, and answers of earlier sessions."""

import math
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from chatbot.messages import Message
from chatbot.sessions.catalog import FIELDS, Line
from chatbot.sessions.entries import Row, key_of, number_of, ordinal_of
from chatbot.sessions.log import COLUMNS, Read, read
from chatbot.sessions.terms import folded, phrase, terms, wanted
from utils.text import one_line

# A word that more messages have than this is looked up session by session instead of being read to its end.
FREQUENT = 30_000
SNIPPET = 160
"""Characters of a snippet."""
# Of one word in other forms (stone, stones) the beginning is looked for, but not of a short one (is, island).
_STEM = 4


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


@dataclass(frozen=True)
class FoundAnswer:
    """An answer of an earlier session."""

    session: str
    title: str
    created: str
    question: str
    answer: str


def info(line: Line, snippet: str = "") -> SessionInfo:
    """A session's line for others."""
    return SessionInfo(line.id, line.title, line.created, line.updated, line.messages, line.model, line.parent, snippet)


def listed(db: sqlite3.Connection, text: str, limit: int, offset: int) -> list[SessionInfo]:
    """Sessions that have messages, newest first; with a text those in which all its words occur."""
    asked = wanted(text)
    if not asked:
        return [info(line) for line in _newest(db, "LIMIT ? OFFSET ?", (limit, offset))]
    lines = islice(_matching(db, asked), offset, offset + limit)
    return [info(line, _snippet(db, line.number, asked)) for line in lines]


def _newest(db: sqlite3.Connection, rest: str, values: Sequence[object] = ()) -> Iterator[Line]:
    query = f"SELECT {FIELDS} FROM sessions WHERE messages > 0 ORDER BY updated DESC, number DESC {rest}"
    return (Line(*row) for row in db.execute(query, values))


def _matching(db: sqlite3.Connection, asked: Sequence[tuple[str, bool]]) -> Iterator[Line]:
    """Sessions in which all terms occur, newest first, as they are needed."""
    few: set[int] | None = None
    many: list[tuple[str, set[int]]] = []
    for term, open_end in asked:
        words = phrase(term, open_end)
        rows = db.execute("SELECT rowid FROM words WHERE words MATCH ? LIMIT ?", (words, FREQUENT)).fetchall()
        found = {number_of(key) for (key,) in rows}
        if len(rows) == FREQUENT:
            many.append((words, found))
        else:
            few = found if few is None else few & found
    lines = _newest(db, "") if few is None else iter(_lines(db, few))
    for line in lines:
        if all(line.number in found or _occurs(db, words, line.number) for words, found in many):
            yield line


def _lines(db: sqlite3.Connection, numbers: Iterable[int]) -> list[Line]:
    db.execute("CREATE TEMP TABLE IF NOT EXISTS wanted (number INTEGER PRIMARY KEY)")
    db.execute("DELETE FROM wanted")
    db.executemany("INSERT INTO wanted VALUES (?)", ((number,) for number in numbers))
    query = (
        f"SELECT {FIELDS} FROM sessions JOIN wanted USING (number) WHERE messages > 0"
        " ORDER BY updated DESC, number DESC"
    )
    return [Line(*row) for row in db.execute(query)]


def _occurs(db: sqlite3.Connection, words: str, number: int) -> int | None:
    """The id of a session's first message with these words; of its first entry when its title has them."""
    query = "SELECT rowid FROM words WHERE words MATCH ? AND rowid >= ? AND rowid < ? LIMIT 1"
    row = db.execute(query, (words, key_of(number), key_of(number + 1))).fetchone()
    return row[0] if row else None


def _snippet(db: sqlite3.Connection, number: int, asked: Sequence[tuple[str, bool]]) -> str:
    words = " OR ".join(phrase(*term) for term in asked)
    key = _occurs(db, words, number)
    if key is None or not ordinal_of(key):
        return ""
    message = _message(db, key)
    return _around(message.value.content, asked) if message and isinstance(message.value, Message) else ""


def _around(text: str, asked: Sequence[tuple[str, bool]]) -> str:
    """The part of a text in which a word stands, on one line."""
    plain = folded(text)
    places = [place for term, _ in asked if (place := plain.find(term)) >= 0]
    # Folding may have made the text shorter, so the place is only about right.
    start = max(0, min(places, default=0) - SNIPPET // 4)
    return ("…" if start else "") + one_line(text[start : start + 4 * SNIPPET], SNIPPET)


def _message(db: sqlite3.Connection, key: int) -> Read | None:
    row = db.execute(f"SELECT {COLUMNS} FROM entries WHERE id = ? AND live = 1", (key,)).fetchone()
    sound, _ = read([Row(*row)] if row else [])
    return sound[0] if sound and isinstance(sound[0].value, Message) else None


def find(db: sqlite3.Connection, text: str) -> str | None:
    """The id of the session that a text names: its id, the beginning of it, its title, or what was said in it."""
    text = text.strip()
    query = "SELECT id FROM sessions WHERE substr(id, 1, length(?1)) = ?1 ORDER BY id != ?1 LIMIT 2"
    named = [session for (session,) in db.execute(query, (text.lower(),))] if text else []
    if named and (len(named) == 1 or named[0] == text.lower()):
        return str(named[0])
    found = listed(db, text, 50, 0) if wanted(text) else []
    return next((each.id for each in found if folded(text) in folded(each.title)), found[0].id if found else None)


def latest(db: sqlite3.Connection) -> str | None:
    """The id of the session that was gone on with last."""
    return next((line.id for line in _newest(db, "LIMIT 1")), None)


def answers(db: sqlite3.Connection, query: str, limit: int, exclude: str) -> list[FoundAnswer]:
    """Answers that have most of a question's words, rare ones counting more; of equals the newest first."""
    row = db.execute("SELECT count(*), max(id) FROM entries").fetchone()
    scores: Counter[int] = Counter()
    for term in terms(query):
        words = phrase(term, len(term) >= _STEM)
        found = db.execute(
            "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?", (words, FREQUENT)
        ).fetchall()
        weight = math.log(1 + row[0] / (1 + len(found)))
        scores.update({key: weight for (key,) in found})
    best = sorted(scores, key=lambda key: (-scores[key], -key))
    told = (_answer(db, key, exclude) for key in best if ordinal_of(key))
    return list(islice((answer for answer in told if answer), limit))


def _answer(db: sqlite3.Connection, key: int, exclude: str) -> FoundAnswer | None:
    """The answer with this id and its question; None when it is no answer, or of the session that is left out."""
    row = db.execute(f"SELECT {FIELDS} FROM sessions WHERE number = ?", (number_of(key),)).fetchone()
    said = _message(db, key)
    if row is None or said is None or (line := Line(*row)).id == exclude:
        return None
    message = said.value
    if not isinstance(message, Message) or message.role != "assistant" or message.tool_calls:
        return None
    asked = db.execute(
        "SELECT max(id) FROM entries WHERE id < ? AND id > ? AND label = 'user' AND live = 1",
        (key, key_of(line.number)),
    ).fetchone()[0]
    question = _message(db, asked) if asked else None
    words = question.value.content if question and isinstance(question.value, Message) else ""
    return FoundAnswer(line.id, line.title, said.row.created, words, message.content)

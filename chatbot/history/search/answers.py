"""Answers of earlier sessions, found by the words of a question."""

import math
import sqlite3
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from chatbot.conversation.messages import Message
from chatbot.history.entries import EntryRow, key_of, number_of
from chatbot.history.log import COLUMNS, Read, read_rows
from chatbot.history.search.catalog import FIELDS, Line
from chatbot.history.search.sessions import FREQUENT
from chatbot.history.search.terms import fts_phrase, text_terms

# Of a word in other forms (stone, stones) the beginning is looked for, but not of a short one (is, island).
_STEM_LETTERS = 4


@dataclass(frozen=True)
class FoundAnswer:
    """An answer of an earlier session."""

    session: str
    title: str
    created: str
    question: str
    answer: str


def search_answers(db: sqlite3.Connection, query: str, limit: int, exclude: str) -> list[FoundAnswer]:
    """Answers of turns in which words of a query were said, rare words counting more; of equals the newest first."""
    scores: Counter[int] = Counter()
    for term in text_terms(query):
        words = fts_phrase(term, len(term) >= _STEM_LETTERS)
        rows = db.execute("SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?", (words, FREQUENT))
        keys = [key for (key,) in rows]
        weight = math.log(2 + FREQUENT / (1 + len(keys)))
        scores.update(dict.fromkeys(keys, weight))
    best = sorted(scores, key=lambda key: (-scores[key], -key))
    return list(islice(_find_answers(db, best, exclude), limit))


def _find_answers(db: sqlite3.Connection, keys: list[int], exclude: str) -> Iterator[FoundAnswer]:
    """The answers of the turns that these entries are of, each once."""
    told: set[int] = set()
    for key in keys:
        row = db.execute(f"SELECT {FIELDS} FROM sessions WHERE number = ?", (number_of(key),)).fetchone()
        if row is None or (line := Line(*row)).id == exclude:
            continue
        turn = _turn_entries(db, key)
        if turn and turn[0].row.id not in told:
            told.add(turn[0].row.id)
            yield from _turn_answers(line, turn)


def _turn_entries(db: sqlite3.Connection, key: int) -> list[Read]:
    """The entries of the turn that an entry is of, its question first."""
    users = f"FROM entries WHERE label = 'user' AND live = 1 AND id >= {key_of(number_of(key))}"
    [first] = db.execute(f"SELECT max(id) {users} AND id <= ?", (key,)).fetchone()
    if first is None:
        return []
    end = key_of(number_of(key) + 1)
    [following] = db.execute(f"SELECT min(id) {users} AND id > ? AND id < ?", (first, end)).fetchone()
    query = f"SELECT {COLUMNS} FROM entries WHERE id >= ? AND id < ? AND live = 1 ORDER BY id"
    return read_rows(list(map(EntryRow._make, db.execute(query, (first, following or end)))))[0]


def _turn_answers(line: Line, turn: list[Read]) -> Iterator[FoundAnswer]:
    question = turn[0].value
    for entry in reversed(turn):
        match entry.value:
            case Message(role="assistant", tool_calls=(), content=content) if isinstance(question, Message):
                yield FoundAnswer(line.id, line.title, entry.row.created, question.content, content)
                return

"""The tables of sessions.db, and the words for what goes wrong with it."""

import sqlite3

from utils.errors import SessionError
from utils.sqlite import FileForm

SESSIONS_MIGRATIONS = (
    """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    INSERT INTO meta VALUES ('version', '1');
    -- The log, which alone is true; only rows that were written down as undone ever change.
    CREATE TABLE entries (
        id INTEGER PRIMARY KEY,  -- the session's number times 2^24, plus the ordinal
        label TEXT NOT NULL,  -- a message's role, else the kind
        created TEXT NOT NULL,
        live INTEGER NOT NULL,
        payload BLOB NOT NULL,  -- canonical JSON
        digest BLOB NOT NULL
    );
    -- Derived from the log, and made anew when it does not fit.
    CREATE TABLE sessions (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        created TEXT NOT NULL,
        updated TEXT NOT NULL,
        title TEXT NOT NULL,
        titled TEXT NOT NULL,  -- '' (the first question), model or user
        model TEXT NOT NULL,
        parent TEXT NOT NULL,
        messages INTEGER NOT NULL
    );
    CREATE INDEX sessions_by_time ON sessions (updated);
    -- Terms of messages by their id, those of a title by the session's first; what they are of is in the log.
    CREATE VIRTUAL TABLE words USING fts5 (
        terms, content='', detail=none, columnsize=0, prefix='1 2 3', tokenize="ascii tokenchars '_'"
    );
    CREATE TABLE spent (
        id INTEGER PRIMARY KEY,  -- of the entry
        created TEXT NOT NULL,
        model TEXT NOT NULL,
        answers INTEGER NOT NULL,
        prompt_tokens INTEGER NOT NULL,
        cached_tokens INTEGER NOT NULL,
        reply_tokens INTEGER NOT NULL,
        prompt_seconds REAL NOT NULL,
        reply_seconds REAL NOT NULL
    );
    CREATE INDEX spent_by_time ON spent (created);
    CREATE TABLE drafts (
        session TEXT PRIMARY KEY, text TEXT NOT NULL, thinking TEXT NOT NULL, digest BLOB NOT NULL
    ) WITHOUT ROWID;
    -- What is not as it was written. Anything may stand in it.
    CREATE TABLE damaged (id, label, created, live, payload, digest, found);
    """,
    """
    -- '' for answers.
    ALTER TABLE spent ADD COLUMN purpose TEXT NOT NULL DEFAULT '';
    ALTER TABLE spent ADD COLUMN written_tokens INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE spent ADD COLUMN hour_tokens INTEGER NOT NULL DEFAULT 0;
    UPDATE spent SET purpose = 'compaction' WHERE answers = 0;
    """,
)


UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
"""What reading a damaged file raises; the latter where SQLite's complaint quotes what is damaged."""


class Ruined(SessionError):
    """What sessions.db holds is not what was written to it."""


SESSIONS_FORM = FileForm(
    "history",
    SESSIONS_MIGRATIONS,
    SessionError,
    Ruined,
    "Start Magpie again: what can be read of it is brought into a new one.",
    # What is deleted is overwritten. The size of a page is the one that `carving` takes for granted.
    ("secure_delete = ON", "page_size = 4096", "cache_size = -16384"),
)

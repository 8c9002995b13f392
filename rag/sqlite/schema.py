"""The tables of library.db, the steps that lead to them, and what its failures mean to the user."""

import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from rag.embedding.base import ESTIMATED_TOKENS
from rag.stored import damaged_library
from utils.errors import LibraryError
from utils.sqlite import FileForm

# Kilobytes of library.db that stay in memory once they were read: a search reads 200 vectors from all over it.
CACHE = 65_536

NAME_ANEW = "INSERT OR REPLACE INTO meta VALUES ('library', lower(hex(randomblob(16)))), ('generation', '0')"
"""Gives a library a random name of its own: indexes that were made under another are made anew."""

# `3 300/50 tokens all-MiniLM-L6-v2`; a cast to a number reads the digits that something begins with.
SHAPE_OF_DOCUMENTS = """
    UPDATE collections SET (chunk_size, chunk_overlap, chunk_unit, chunk_tokenizer) = (
        SELECT CAST(substr(chunker, instr(chunker, ' ') + 1) AS INTEGER),
            CAST(substr(chunker, instr(chunker, '/') + 1) AS INTEGER),
            iif(chunker GLOB '* tokens*', 'tokens', 'characters'),
            iif(chunker GLOB '* tokens *', substr(chunker, instr(chunker, ' tokens ') + 8), '')
        FROM documents WHERE collection = collections.name AND chunker GLOB '[0-9]* [0-9]*/[0-9]* [ct]*'
        GROUP BY chunker ORDER BY count(*) DESC LIMIT 1
    ) WHERE chunk_size IS NULL
"""
"""Keeps with collections of which it was never said, or lost, how most of their documents are cut."""
# Its name as `tokenizer_name` gives it, of the model that answers or embedded most.
_TOKENIZER = f"""
    SELECT iif(model GLOB '*@*', '{ESTIMATED_TOKENS}', substr(model, 1, instr(model || ':', ':') - 1))
    FROM (SELECT substr(fingerprint, 1, instr(fingerprint || ' ', ' ') - 1) AS model FROM (
        SELECT coalesce(
            (SELECT value FROM meta WHERE key = 'note answering'),
            (SELECT fingerprint FROM vectors GROUP BY fingerprint ORDER BY count(*) DESC LIMIT 1), '') AS fingerprint))
"""

LIBRARY_MIGRATIONS = (
    f"""
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    {NAME_ANEW};
    CREATE TABLE documents (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        collection TEXT NOT NULL,
        source TEXT NOT NULL,
        title TEXT NOT NULL,
        origin TEXT NOT NULL,
        media_type TEXT NOT NULL,
        fetched TEXT NOT NULL,
        content_hash TEXT NOT NULL,
        chunks INTEGER NOT NULL,
        text BLOB NOT NULL,  -- zlib, UTF-8
        UNIQUE (collection, source)
    );
    CREATE TABLE chunks (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        document INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
        ordinal INTEGER NOT NULL,
        start INTEGER NOT NULL,
        end INTEGER NOT NULL,
        text TEXT NOT NULL,
        text_hash BLOB NOT NULL,
        UNIQUE (document, ordinal)
    );
    CREATE INDEX chunks_by_hash ON chunks (text_hash);
    CREATE TABLE vectors (
        text_hash BLOB NOT NULL,
        fingerprint TEXT NOT NULL,  -- of the embedding model
        pieces INTEGER NOT NULL,
        vector BLOB NOT NULL,  -- float32, little-endian, pieces times dimensions
        PRIMARY KEY (text_hash, fingerprint)
    ) WITHOUT ROWID;
    CREATE TABLE removed (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        chunk INTEGER NOT NULL,
        pieces INTEGER NOT NULL
    );
    CREATE TRIGGER chunk_removed AFTER DELETE ON chunks BEGIN
        INSERT INTO removed (chunk, pieces) VALUES (
            OLD.id, coalesce((SELECT max(pieces) FROM vectors WHERE text_hash = OLD.text_hash), 1)
        );
    END;
    """,
    """
    CREATE TABLE collections (
        name TEXT PRIMARY KEY,
        chunk_size INTEGER,  -- these three: null where nothing was cut yet
        chunk_overlap INTEGER,
        chunk_unit TEXT,
        created TEXT NOT NULL
    ) WITHOUT ROWID;
    INSERT INTO collections (name, created)
        SELECT DISTINCT collection, strftime('%Y-%m-%dT%H:%M:%SZ', 'now') FROM documents;
    ALTER TABLE documents ADD COLUMN language TEXT NOT NULL DEFAULT '';
    ALTER TABLE documents ADD COLUMN chunker TEXT NOT NULL DEFAULT '';  -- what cut it; another cuts it anew
    ALTER TABLE documents ADD COLUMN seen TEXT NOT NULL DEFAULT '';  -- when it was last added, UTC
    ALTER TABLE documents ADD COLUMN cited INTEGER NOT NULL DEFAULT 0;
    UPDATE documents SET seen = strftime('%Y-%m-%dT%H:%M:%SZ', 'now');
    CREATE INDEX documents_by_language ON documents (collection, language);
    ALTER TABLE chunks ADD COLUMN heading TEXT NOT NULL DEFAULT '';  -- its path, outermost first, one a line
    """,
    # A row of a table WITHOUT ROWID has room for 1,002 bytes on its page; vectors have 1,536. With rows they take half
    # the disk, and a search reads its 200 in 2 ms in the place of 7.
    """
    DROP TRIGGER chunk_removed;
    ALTER TABLE vectors RENAME TO old_vectors;
    CREATE TABLE vectors (
        text_hash BLOB NOT NULL,
        fingerprint TEXT NOT NULL,  -- of the embedding model
        pieces INTEGER NOT NULL,
        vector BLOB NOT NULL,  -- float32, little-endian, pieces times dimensions
        UNIQUE (text_hash, fingerprint)
    );
    INSERT INTO vectors SELECT v.* FROM old_vectors v
        LEFT JOIN (SELECT text_hash, min(id) AS chunk FROM chunks GROUP BY text_hash) c ON c.text_hash = v.text_hash
        ORDER BY c.chunk;
    DROP TABLE old_vectors;
    CREATE INDEX documents_by_chunker ON documents (collection, chunker);
    CREATE TRIGGER chunk_removed AFTER DELETE ON chunks BEGIN
        INSERT INTO removed (chunk, pieces) VALUES (
            OLD.id, coalesce((SELECT max(pieces) FROM vectors WHERE text_hash = OLD.text_hash), 1)
        );
    END;
    """,
    """
    ALTER TABLE documents ADD COLUMN container TEXT NOT NULL DEFAULT '';  -- the file that it is a record of
    UPDATE documents SET container = rtrim(rtrim(source, '0123456789'), '#')
        WHERE origin = 'file' AND media_type = 'application/jsonl' AND source GLOB '/*#[0-9]*';
    CREATE INDEX documents_by_container ON documents (collection, container) WHERE container != '';
    """,
    """
    ALTER TABLE documents ADD COLUMN properties TEXT NOT NULL DEFAULT '{}';  -- JSON: author, published, tags, language
    """,
    f"""
    ALTER TABLE collections ADD COLUMN chunk_tokenizer TEXT;  -- the model whose tokens are meant
    UPDATE documents SET chunker = rtrim(chunker || ' ' || ({_TOKENIZER})) WHERE chunker GLOB '* tokens';
    UPDATE collections SET chunk_tokenizer = ({_TOKENIZER}) WHERE chunk_unit = 'tokens';
    {SHAPE_OF_DOCUMENTS};
    """,
)


def library_identity(db: sqlite3.Connection) -> tuple[str, int]:
    """The library's random name, and how often a rebuild of its indexes was ordered; raises `LibraryError`."""
    meta = dict(db.execute("SELECT key, value FROM meta WHERE key IN ('library', 'generation')").fetchall())
    try:
        return str(meta["library"]), int(meta["generation"])
    except (KeyError, ValueError, TypeError) as error:
        raise damaged_library("what names it was lost") from error


LIBRARY_FORM = FileForm(
    "library",
    LIBRARY_MIGRATIONS,
    LibraryError,
    LibraryError,
    "Move the file away; Magpie then begins a new one.",
    (f"cache_size = -{CACHE}",),
    readable=True,
)


@contextmanager
def translate_unpacking() -> Iterator[None]:
    """Turn what unpacking a text complains of into `LibraryError`."""
    try:
        yield
    except (zlib.error, UnicodeDecodeError) as error:
        raise damaged_library(str(error)) from error

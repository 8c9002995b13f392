"""The tables of library.db, the steps that lead to them, and what SQLite's failures mean to the user."""

import os
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from utils.errors import LibraryError
from utils.paths import private_dir

# Seconds that a write waits for the writes of other processes.
WAIT = 60.0
# Kilobytes of library.db that stay in memory once they were read: a search reads 200 vectors from all over it.
CACHE = 65_536

MIGRATIONS = (
    """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    INSERT INTO meta VALUES ('library', lower(hex(randomblob(16)))), ('generation', '0');
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
        chunk_size INTEGER,  -- these three: null where the settings decide
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
    CREATE TRIGGER chunk_removed AFTER DELETE ON chunks BEGIN
        INSERT INTO removed (chunk, pieces) VALUES (
            OLD.id, coalesce((SELECT max(pieces) FROM vectors WHERE text_hash = OLD.text_hash), 1)
        );
    END;
    """,
)


def open_database(path: Path) -> sqlite3.Connection:
    """Open the file, made if it is not there, and bring it to the newest form; raises `LibraryError`."""
    private_dir(path.parent)
    os.close(os.open(path, os.O_CREAT, 0o600))
    db = sqlite3.connect(path, timeout=WAIT, isolation_level=None, check_same_thread=False)
    try:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA foreign_keys = ON")
        db.execute(f"PRAGMA cache_size = -{CACHE}")
        _migrate(db, path)
    except BaseException:
        db.close()
        raise
    return db


def _migrate(db: sqlite3.Connection, path: Path) -> None:
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version > len(MIGRATIONS):
        raise LibraryError(
            f"The library {path} was written by a newer Magpie.", "Update Magpie, or choose another data_dir."
        )
    if version == len(MIGRATIONS):
        return
    if version:
        _copy(db, path, version)
    db.execute("BEGIN EXCLUSIVE")
    # Another process may have been faster.
    done = db.execute("PRAGMA user_version").fetchone()[0]
    for script in MIGRATIONS[done:]:
        for statement in _statements(script):
            db.execute(statement)
    db.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
    db.execute("COMMIT")


def _copy(db: sqlite3.Connection, path: Path, version: int) -> None:
    """A whole copy of the file before it is brought to a newer form, in the place of an older one of that form."""
    target = path.with_name(f"{path.name}.v{version}")
    draft = target.with_name(f"{target.name}.{os.getpid()}")
    draft.unlink(missing_ok=True)
    db.execute("VACUUM INTO ?", (str(draft),))
    draft.chmod(0o600)
    with closing(sqlite3.connect(draft)) as copy:
        found = copy.execute("PRAGMA user_version").fetchone()[0]
    if found == version:
        draft.replace(target)
    else:
        # Another process was faster: it made the copy, and this one is of the newer form.
        draft.unlink()


def _statements(script: str) -> Iterator[str]:
    """The statements of a script; `executescript` would commit the transaction it is called in."""
    draft = ""
    for line in script.splitlines(keepends=True):
        draft += line
        if sqlite3.complete_statement(draft):
            yield draft
            draft = ""


def damaged(what: str) -> LibraryError:
    """The failure of a library in which something is not as it was kept."""
    return LibraryError(f"The library is damaged: {what}.", "Type /rag-doctor, which mends what can be mended.")


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn what SQLite and the file system complain of into `LibraryError`."""
    try:
        yield
    except sqlite3.ProgrammingError:
        raise
    except sqlite3.OperationalError as error:
        raise LibraryError(f"The library {path} cannot be used: {error}.", "Check the folder and the disk.") from error
    except (zlib.error, UnicodeDecodeError) as error:
        raise damaged(str(error)) from error
    except sqlite3.DatabaseError as error:
        raise LibraryError(
            f"The library {path} is damaged: {error}.", "Move the file away; Magpie then begins a new one."
        ) from error
    except OSError as error:
        reason = error.strerror or error
        raise LibraryError(f"The library {path} cannot be opened: {reason}.", "Check data_dir.") from error

"""What the tests of the library know of the backend that keeps it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.fakes.postgres import NamedServer, PostgresServer
from tests.fakes.torture import executed, put_into_postgres

BEFORE_SERVER_SEARCH = (
    "DROP TABLE terms, chunk_vectors, totals",
    "ALTER TABLE chunks DROP CONSTRAINT chunks_pkey, ADD PRIMARY KEY (id),"
    " ADD CONSTRAINT chunks_document_fkey FOREIGN KEY (document) REFERENCES documents ON DELETE CASCADE",
    "INSERT INTO waiting SELECT DISTINCT ON (text_hash, fingerprint, piece) text_hash, fingerprint, piece, vector"
    " FROM vectors",
    "DROP TABLE vectors",
    "ALTER TABLE waiting RENAME TO vectors",
    "ALTER INDEX waiting_pkey RENAME TO vectors_pkey",
    "ALTER TABLE documents DROP COLUMN terms, DROP COLUMN chunk_terms, DROP COLUMN terms_version",
    "ALTER TABLE positions ADD COLUMN removal BIGINT NOT NULL DEFAULT 0",
    "CREATE TABLE removed (number BIGINT PRIMARY KEY, chunk BIGINT NOT NULL, pieces INTEGER NOT NULL)",
    "CREATE FUNCTION note_removed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
    "CREATE TRIGGER chunk_removed AFTER DELETE ON chunks EXECUTE FUNCTION note_removed()",
    "UPDATE form SET version = 3",
)
"""Puts a library in PostgreSQL back into the form in which indexes on each machine followed it."""


@dataclass(frozen=True)
class KeptIn:
    """The backend of a test's library."""

    backend: str
    execute: Callable[..., None]
    """Changes it behind everybody's back, by statements of SQL."""
    begin: Callable[[Path], None]
    """Has a new library kept so in a folder."""
    server: PostgresServer | None = None
    """The server of the tests' own, which may be killed."""


def kept_in_sqlite(folder: Path) -> KeptIn:
    """A library in its folder."""
    return KeptIn("sqlite", lambda *statements: executed(folder, *statements), lambda _: None)


def kept_in_postgres(server: PostgresServer) -> KeptIn:
    """A library in PostgreSQL, the only one there."""

    def begin(folder: Path) -> None:
        server.empty()
        put_into_postgres(folder, server.address)

    return KeptIn("postgres", server.execute, begin, None if isinstance(server, NamedServer) else server)

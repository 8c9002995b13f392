"""What the tests of the library know of the backend that keeps it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.fakes.postgres import PostgresServer
from tests.fakes.torture import executed, put_into_postgres


@dataclass(frozen=True)
class KeptIn:
    """The backend of a test's library."""

    backend: str
    execute: Callable[..., None]
    """Changes it behind everybody's back, by statements of SQL."""
    begin: Callable[[Path], None]
    """Has a new library kept so in a folder."""


def kept_in_sqlite(folder: Path) -> KeptIn:
    """A library in its folder."""
    return KeptIn("sqlite", lambda *statements: executed(folder, *statements), lambda _: None)


def kept_in_postgres(server: PostgresServer) -> KeptIn:
    """A library in PostgreSQL, the only one there."""

    def begin(folder: Path) -> None:
        server.empty()
        put_into_postgres(folder, server.address)

    return KeptIn("postgres", server.execute, begin)

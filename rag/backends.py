"""The stores that a library can be kept in, by the name that `rag.backend` gives them: the one list of them."""

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from rag.backend import LibraryBackend
from rag.settings import RagSettings
from rag.sqlite.backend import FILE, SqliteBackend
from utils.errors import LibraryError
from utils.network.offline import OfflineSwitch


def _open_sqlite(folder: Path, settings: RagSettings, _: OfflineSwitch, __: Callable[[str], None]) -> LibraryBackend:
    return SqliteBackend(folder, settings.chroma_db_path)


def _open_postgres(
    _: Path, settings: RagSettings, network: OfflineSwitch, tell: Callable[[str], None], address: str = ""
) -> LibraryBackend:
    """Its packages are the extra `postgres`, and loaded by those alone who use it."""
    if not (find_spec("psycopg") and find_spec("psycopg_pool")):
        raise LibraryError(
            "What speaks with PostgreSQL is not installed.", "Install it: pip install 'magpie-assistant[postgres]'"
        )
    backend: LibraryBackend = import_module("rag.postgres.backend").PostgresBackend(settings, network, tell, address)
    return backend


POSTGRES_SCHEMES = ("postgres://", "postgresql://")
"""What the address of a PostgreSQL begins with."""
LIBRARY_BACKENDS: dict[str, Callable[[Path, RagSettings, OfflineSwitch, Callable[[str], None]], LibraryBackend]] = {
    "sqlite": _open_sqlite,
    "postgres": _open_postgres,
}
"""Each opens or begins the library of a folder; it blocks, and raises `LibraryError`. What comes last shows the user a
sentence, in any thread."""


def is_begun(folder: Path, settings: RagSettings) -> bool:
    """Whether a library may be there already; only of one on this disk that is known before it is opened."""
    return settings.backend != "sqlite" or (folder / FILE).exists()


def open_backend(
    folder: Path, settings: RagSettings, network: OfflineSwitch, tell: Callable[[str], None] = lambda said: None
) -> LibraryBackend:
    """Open or begin the library in a folder; `tell` is called in any thread.

    Raises `LibraryError`, also where no backend has the name it is given.
    """
    if settings.backend not in LIBRARY_BACKENDS:
        known = ", ".join(sorted(LIBRARY_BACKENDS))
        raise LibraryError(f"A library cannot be kept in {settings.backend!r}.", f"Set rag.backend to one of: {known}.")
    return LIBRARY_BACKENDS[settings.backend](folder, settings, network, tell)


def open_copy(
    folder: Path, settings: RagSettings, network: OfflineSwitch, to: str, tell: Callable[[str], None]
) -> LibraryBackend:
    """Open or begin the library that another one is copied into: a backend by its name, or a PostgreSQL by its address.

    Raises `LibraryError`.
    """
    if to.startswith(POSTGRES_SCHEMES):
        return _open_postgres(folder, settings, network, tell, to)
    return open_backend(folder, replace(settings, backend=to), network, tell)

"""The stores that a library can be kept in, by the name that `rag.backend` gives them: the one list of them."""

from collections.abc import Callable
from pathlib import Path

from rag.backend import LibraryBackend
from rag.sqlite.backend import SqliteBackend
from utils.errors import LibraryError

LIBRARY_BACKENDS: dict[str, Callable[[Path], LibraryBackend]] = {"sqlite": SqliteBackend}
"""Each opens or begins the library of a folder; it blocks, and raises `LibraryError`."""


def open_backend(name: str, folder: Path) -> LibraryBackend:
    """Open or begin the library in a folder; raises `LibraryError`, also where no backend has that name."""
    if name not in LIBRARY_BACKENDS:
        known = ", ".join(sorted(LIBRARY_BACKENDS))
        raise LibraryError(f"A library cannot be kept in {name!r}.", f"Set rag.backend to one of: {known}.")
    return LIBRARY_BACKENDS[name](folder)

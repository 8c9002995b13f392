"""The collections of a store: what is kept of each beside its documents."""

import re
from collections.abc import Sequence
from typing import Protocol

from rag.chunk_size import ChunkShape
from rag.stored import Collection, DocumentEntry
from utils.errors import LibraryError

# What Chroma takes as the name of a collection; one that is copied from store to store can have it in each.
_COLLECTION_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,100}[A-Za-z0-9]")


def require_collection_name(name: str) -> None:
    """Raise `LibraryError` for a name that no collection can have."""
    if not _COLLECTION_NAME.fullmatch(name):
        raise LibraryError(
            f"{name!r} cannot be the name of a collection.",
            "Use 3 to 102 letters, digits, dots, hyphens and underscores; a letter or digit at either end.",
        )


class StoredCollections(Protocol):
    """The collections of a library."""

    def all_collections(self) -> list[Collection]:
        """Every collection, by name."""
        ...

    def entries(self, collections: Sequence[str], before: int | None, limit: int) -> list[DocumentEntry]:
        """Documents with ids below `before`, newest first, of these collections, or of all where none is named."""
        ...

    def chunk_shape(self, name: str) -> ChunkShape | None:
        """How the documents of a collection are cut, None where that was never said."""
        ...

    def keep_shape(self, name: str, shape: ChunkShape) -> None:
        """Cut the documents of a collection so from now on."""
        ...

    def begin_shape(self, name: str, shape: ChunkShape) -> ChunkShape:
        """Keep how a collection is cut where nothing says it: as most of its documents, else so; what is kept."""
        ...

    def remove(self, name: str) -> int:
        """Remove a collection with all that is in it; the number of its documents."""
        ...

"""The embedded backend: a library in one file of SQLite, library.db."""

from collections.abc import Sequence
from pathlib import Path

from rag.indexes.index_check import remove_strange_indexes
from rag.indexes.index_owner import Folders
from rag.indexes.local import LocalIndexes
from rag.sqlite.change_feed import ChangeFeed
from rag.sqlite.collections import Collections
from rag.sqlite.copies import LibraryCopies
from rag.sqlite.database import LibraryDatabase, size_on_disk
from rag.sqlite.documents import DocumentStore
from rag.sqlite.integrity_check import check_documents, check_file, drop_damaged_vectors, drop_unused_vectors
from rag.sqlite.listing import DocumentListing
from rag.sqlite.models import ModelRecords
from rag.sqlite.vectors import VectorStore
from rag.stored import Finding
from utils.platform import is_running
from utils.sqlite import copies_before

FILE = "library.db"


class SqliteBackend:
    """library.db in a folder, for any number of processes; see `LibraryBackend`."""

    shared = False

    def __init__(self, folder: Path, chroma: Path | None = None) -> None:
        """`chroma` is the folder of the vector index where that is not the usual one."""
        self._folder, self._chroma = folder, chroma
        self.database = LibraryDatabase(folder / FILE)

    def documents(self, collection: str) -> DocumentStore:
        """The documents of a collection."""
        return DocumentStore(self.database, collection)

    def indexes(self, collection: str, fingerprint: str) -> LocalIndexes:
        """The indexes in the folder, which follow library.db."""
        folders = Folders.of(self._folder, self._chroma, collection)
        store, feed = self.documents(collection), ChangeFeed(self.database, collection)
        return LocalIndexes(store, feed, self.vectors(fingerprint), fingerprint, folders)

    def vectors(self, fingerprint: str) -> VectorStore:
        """The vectors of a model."""
        return VectorStore(self.database, fingerprint)

    def models(self) -> ModelRecords:
        """What is kept of embedding models."""
        return ModelRecords(self.database)

    def collections(self) -> Collections:
        """All collections."""
        return Collections(self.database)

    def listing(self) -> DocumentListing:
        """The documents of all of them, for lists."""
        return DocumentListing(self.database)

    def copies(self) -> LibraryCopies:
        """All of it, to be copied."""
        return LibraryCopies(self.database)

    def check(self) -> list[Finding]:
        """SQLite's own checks, and whether the library has a name."""
        return check_file(self.database)

    def check_documents(self, collection: str) -> list[Finding]:
        """Texts against their digests, and chunks against the texts."""
        return check_documents(self.database, collection)

    def check_vectors(self, fingerprint: str) -> list[Finding]:
        """Remove vectors that the model cannot have given."""
        return drop_damaged_vectors(self.database, fingerprint)

    def drop_leftovers(self, collections: Sequence[str], *, alone: bool) -> list[Finding]:
        """Remove vectors of texts that are gone, copies of library.db that were never finished, and strange indexes."""
        findings = drop_unused_vectors(self.database) if alone else []
        for copy, process in copies_before(self.database.path).items():
            if process and not is_running(process):
                copy.unlink(missing_ok=True)
                findings.append(Finding(f"{copy.name}, a copy that was never finished, was removed.", True))
        return findings + remove_strange_indexes(self._folder, self._chroma, collections)

    def library_name(self) -> str:
        """The random name that stands in it; raises `LibraryError`."""
        return ChangeFeed(self.database, "").library_identity()[0]

    def size(self) -> int:
        """Bytes of library.db with its side files."""
        return size_on_disk(self.database.path)

    def close(self) -> None:
        """Close the file."""
        self.database.close()

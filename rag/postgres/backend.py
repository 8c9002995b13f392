"""The backend for several machines: a library in PostgreSQL with pgvector."""

from collections.abc import Callable, Sequence

from rag.postgres.collections import PostgresCollections
from rag.postgres.connection_string import checked_address, read_connection_string
from rag.postgres.copies import PostgresCopies
from rag.postgres.database import PostgresDatabase
from rag.postgres.distribution import library_size
from rag.postgres.documents import PostgresDocuments
from rag.postgres.integrity_check import (
    check_database,
    check_documents,
    drop_damaged_vectors,
    drop_unused_vectors,
    library_name,
)
from rag.postgres.listing import PostgresListing
from rag.postgres.models import PostgresModels
from rag.postgres.search.server_indexes import ServerIndexes
from rag.postgres.vectors import PostgresVectors
from rag.records.collections import require_collection_name
from rag.settings import RagSettings
from rag.stored import Finding
from utils.network.offline import OfflineSwitch


class PostgresBackend:
    """The schema `magpie` of a database, for any number of processes and machines; see `LibraryBackend`.

    It is searched where it is: nothing of it is in the library's folder.
    """

    shared = True

    def __init__(
        self,
        settings: RagSettings,
        network: OfflineSwitch,
        tell: Callable[[str], None] = lambda said: None,
        address: str = "",
    ) -> None:
        """The database of an address, or of the one that the environment or a file has; see `PostgresDatabase`."""
        known = checked_address(address) if address else read_connection_string(settings.postgres_url_file)
        self.database = PostgresDatabase(known, network, tell)

    def documents(self, collection: str) -> PostgresDocuments:
        """The documents of a collection."""
        return PostgresDocuments(self.database, collection)

    def indexes(self, collection: str, fingerprint: str) -> ServerIndexes:
        """The search of its chunks in the server."""
        require_collection_name(collection)
        return ServerIndexes(self.database, collection, fingerprint)

    def vectors(self, fingerprint: str) -> PostgresVectors:
        """The vectors of a model."""
        return PostgresVectors(self.database, fingerprint)

    def models(self) -> PostgresModels:
        """What is kept of embedding models."""
        return PostgresModels(self.database)

    def collections(self) -> PostgresCollections:
        """All collections."""
        return PostgresCollections(self.database)

    def listing(self) -> PostgresListing:
        """The documents of all of them, for lists."""
        return PostgresListing(self.database)

    def copies(self) -> PostgresCopies:
        """All of it, to be copied."""
        return PostgresCopies(self.database)

    def check(self) -> list[Finding]:
        """Whether the library has a name, and gives numbers that nothing has."""
        return check_database(self.database)

    def check_documents(self, collection: str) -> list[Finding]:
        """Texts against their digests, and chunks against the texts."""
        return check_documents(self.database, collection)

    def check_vectors(self, fingerprint: str) -> list[Finding]:
        """Remove vectors that the model cannot have given."""
        return drop_damaged_vectors(self.database, fingerprint)

    def drop_leftovers(self, collections: Sequence[str], *, alone: bool) -> list[Finding]:
        """Remove vectors of texts that are gone, where no other process of any machine is connected."""
        return drop_unused_vectors(self.database) if alone else []

    def library_name(self) -> str:
        """The random name that stands in it; raises `LibraryError`."""
        return library_name(self.database)

    def size(self) -> int:
        """Bytes of the tables with their indexes on the server."""
        return self.database.write(library_size)

    def close(self) -> None:
        """Close all connections."""
        self.database.close()

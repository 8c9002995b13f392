"""The chunks of one collection as indexes on this machine follow them.

Chunks have ids and removals have numbers that only grow, in the order of commits, over all processes.
"""

from collections.abc import Sequence
from typing import Protocol

from rag.embedding.base import Vectors
from rag.stored import Filters, Removal, Run, StoredChunk, TextEntry, VectorEntry


class ChunkFeed(Protocol):
    """The chunks of one collection, in the order in which they came and went."""

    @property
    def collection(self) -> str:
        """Its name."""
        ...

    def read_vectors(self, fingerprint: str, after: int, limit: int) -> list[VectorEntry]:
        """Chunks with ids above `after`, in their order, with the vectors of a model."""
        ...

    def read_run(self, fingerprint: str, after: int, limit: int) -> tuple[list[Run], bool]:
        """The chunks with ids above `after` as one run, if there are any; and whether the next is not embedded yet."""
        ...

    def read_texts(self, after: int, limit: int) -> list[TextEntry]:
        """Chunks with ids above `after`, in their order, as text."""
        ...

    def chunk_ids(self) -> set[int]:
        """All chunks of the collection."""
        ...

    def read_chunks(self, ids: Sequence[int]) -> dict[int, StoredChunk]:
        """Those of the chunks that still exist, by id."""
        ...

    def documents_of(self, ids: Sequence[int]) -> dict[int, int]:
        """The documents of chunks that still exist, by the chunks' ids."""
        ...

    def matching_chunks(self, filters: Filters) -> list[int]:
        """Ids of the chunks whose documents pass the filters, ascending."""
        ...

    def removals_after(self, after: int) -> list[Removal]:
        """Chunks, of whatever collection, that were deleted since removal number `after`."""
        ...

    def feed_position(self) -> tuple[int, int]:
        """The last chunk that was ever added to the library, to whatever collection, and the newest removal."""
        ...

    def last_removal(self) -> int:
        """The number of the newest removal."""
        ...

    def library_identity(self) -> tuple[str, int]:
        """The library's random name, and how often a rebuild of its indexes was ordered."""
        ...

    def order_rebuild(self) -> None:
        """Make every index that follows, in whatever process, begin anew; drop what only the old ones needed."""
        ...


class SpokenLanguages(Protocol):
    """The documents of a collection, as a search by words has to know them."""

    def language_codes(self) -> list[str]:
        """Languages that documents are written in, by code."""
        ...


class ChunkCosines(Protocol):
    """The vectors of one model, for chunks that no index in memory has."""

    def chunk_similarities(self, vector: Vectors, chunks: Sequence[int]) -> dict[int, float]:
        """Cosine of a unit vector, shape (dimensions,), and the best piece of each chunk that is embedded."""
        ...

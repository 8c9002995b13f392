"""Documents with all that a store knows of them, as they go from one store to another."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from rag.documents import Document
from rag.embedding.base import Vectors
from rag.stored import Prepared


@dataclass(frozen=True)
class KeptDocument:
    """A document with its chunks; of what was prepared, the texts are left out."""

    document: Document
    prepared: Prepared
    seen: str
    """When it was last added, UTC."""
    cited: int

    def digest(self, vectors: Sequence[Mapping[bytes, Vectors]]) -> bytes:
        """SHA-256 of all that is kept of it, and of its vectors in some order of the models."""
        made = hashlib.sha256(repr((self.document, self.prepared, self.seen, self.cited)).encode())
        for known in vectors:
            for key in self.prepared.hashes:
                made.update(known[key].astype("<f4").tobytes() if key in known else b"none")
        return made.digest()


class StoredCopies(Protocol):
    """The documents of a store for a copy of it; its methods block."""

    def next_documents(self, collection: str, after: int, limit: int) -> dict[int, KeptDocument]:
        """Those with ids above `after`, by id, ascending."""
        ...

    def find_documents(self, collection: str, sources: Sequence[str]) -> dict[str, KeptDocument]:
        """Those with these sources, by source."""
        ...

    def put_documents(self, collection: str, documents: Sequence[KeptDocument]) -> None:
        """Put all of them, or none, each in the place of the one with its source."""
        ...

    def find_vectors(self, fingerprint: str, hashes: Sequence[bytes]) -> dict[bytes, Vectors]:
        """The vectors that a model gave of texts, by the texts' hashes."""
        ...

    def all_notes(self) -> dict[str, str]:
        """What is noted of embedding models, by name."""
        ...

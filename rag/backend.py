"""What a store of documents, chunks and vectors must do for a library: take them in, and hand them out to searches.

It knows nothing of embedding models and of chunking, and brings what finds its chunks. Every method blocks, may be
called from any thread, and raises `LibraryError` where the store cannot be read or written.
"""

from collections.abc import Sequence
from typing import Literal, Protocol

from rag.documents import Chunk, Document, Origin
from rag.embedding.base import Vectors
from rag.records.collections import StoredCollections
from rag.records.copies import StoredCopies
from rag.search.candidates import CandidateFinder
from rag.stored import DocumentQuery, Finding, ListedDocument, Prepared
from rag.stored_models import StoredModels


class StoredDocuments(Protocol):
    """The documents of one collection."""

    @property
    def collection(self) -> str:
        """Its name."""
        ...

    def accepted_sources(self, documents: Sequence[Document]) -> set[str]:
        """Those that would change anything: new, or changed, and no snippet where the page itself is kept."""
        ...

    def touch_documents(self, documents: Sequence[Document]) -> None:
        """Note that documents were met again, unchanged, and where."""
        ...

    def replace_documents(self, cut: Sequence[tuple[Document, Prepared]]) -> list[int]:
        """Put documents in the places of those with their sources, all or none; chunks of each, 0 if not accepted."""
        ...

    def cut_anew(self, source: str, prepared: Prepared) -> None:
        """Replace the chunks of a document whose text is as it was."""
        ...

    def cut_otherwise(self, chunker: str, limit: int) -> list[str]:
        """Sources of documents that something else than this chunker cut, at most `limit`."""
        ...

    def delete_documents(self, sources: Sequence[str]) -> int:
        """Delete documents and the vectors that nothing else uses; the number of documents."""
        ...

    def find_document(self, source: str) -> Document | None:
        """The document with this source."""
        ...

    def first_chunks(self, source: str, limit: int) -> list[Chunk]:
        """The first chunks of a document."""
        ...

    def newest_titles(self, limit: int) -> list[str]:
        """So many titles, those of the newest documents first, each once."""
        ...

    def note_cited(self, sources: Sequence[str]) -> None:
        """Note that documents were cited in an answer: they are kept from then on."""
        ...

    def expired_sources(self, days: int) -> list[str]:
        """Pages and snippets that were last met more than so many days ago and never cited."""
        ...

    def count_by_origin(self) -> dict[Origin, tuple[int, int]]:
        """Documents and chunks by origin."""
        ...

    def is_empty(self) -> bool:
        """Whether there is no document."""
        ...


State = Literal["ready", "building", "elsewhere", "not open"]
Answering = Literal["exact", "chroma", "hnsw"]


class CollectionIndexes(CandidateFinder, Protocol):
    """What finds the chunks of one collection by their words and by the vectors of one model, and is kept true."""

    writes: bool
    """Whether this process changed what is kept."""

    @property
    def state(self) -> State:
        """Who holds what this process needs of them."""
        ...

    @property
    def behind(self) -> bool:
        """Whether chunks wait to be embedded, as far as was seen."""
        ...

    def answering(self, chunks: int) -> Answering:
        """Which of them answers what goes by meaning, in a collection of so many chunks."""
        ...

    def is_opened(self, meaning: bool) -> bool:
        """Whether `open_indexes` has nothing left to do; does not block."""
        ...

    def open_indexes(self, meaning: bool) -> None:
        """Open what opens at once and what a search needs, for one by words alone without `meaning`."""
        ...

    def tend_indexes(self) -> None:
        """Make what is missing, and let all of them have what was added and removed."""
        ...

    def try_to_own(self) -> bool:
        """Whether it is this process that looks after the collection."""
        ...

    def order_rebuild(self) -> None:
        """Have all of them made anew the next time they are looked after."""
        ...

    def check_indexes(self) -> tuple[list[Finding], bool]:
        """Compare them with what is kept and mend them; False where another process holds some of them."""
        ...

    def size(self) -> int:
        """Bytes that they take on this machine."""
        ...

    def discard(self) -> None:
        """Remove them: the collection is gone. They are closed."""
        ...

    def hurry_builds(self) -> None:
        """From now on what is being made has little time."""
        ...

    def close(self) -> None:
        """Finish the work; nothing is found any more."""
        ...


class StoredVectors(Protocol):
    """The vectors of one model, by what was embedded."""

    def keep_vectors(self, vectors: dict[bytes, Vectors]) -> None:
        """Keep the vectors of texts, shape (pieces, dimensions), by the texts' hashes."""
        ...

    def missing_hashes(self, hashes: Sequence[bytes]) -> set[bytes]:
        """Those of the hashes for which no vector is kept."""
        ...

    def not_embedded(self, collection: str) -> dict[bytes, str]:
        """What is to be embedded of the chunks that have no vector of this model, by hash, oldest first."""
        ...

    def missing_size(self) -> tuple[int, int]:
        """How many texts of the whole library have no vector of this model, and their characters."""
        ...

    def sample_text(self) -> tuple[str, Vectors] | None:
        """A short text of one piece that was embedded, and its vector, (1, dimensions); None where there is none."""
        ...

    def forget_all(self) -> None:
        """Remove all vectors of this model; every index that follows, in whatever process, begins anew."""
        ...


class StoredListing(Protocol):
    """The documents of all collections as lists show them and as users name them, without their texts."""

    def counts(self, query: DocumentQuery) -> dict[Origin, int]:
        """How many documents of each origin there are; no origin that has none."""
        ...

    def page(self, query: DocumentQuery, offset: int, limit: int) -> list[ListedDocument]:
        """So many documents behind the first `offset` ones."""
        ...

    def with_source(self, source: str, collection: str) -> list[ListedDocument]:
        """The document with this source, if there is one."""
        ...

    def with_number(self, number: int, collection: str) -> list[ListedDocument]:
        """The document with this number, if there is one; an empty `collection` means any."""
        ...

    def within(self, name: str, collection: str) -> list[str]:
        """Sources of the documents in a folder, on a site, or in a file of records."""
        ...

    def file_sources(self, path: str, collection: str) -> list[tuple[str, str]]:
        """The documents that were read from the files in a folder, or from a file: the file of each, and its source."""
        ...

    def sources_of_files(self, files: Sequence[str], collection: str) -> list[tuple[str, str]]:
        """The documents that were read from files: the file of each, and its source."""
        ...

    def called(self, name: str, collection: str) -> list[ListedDocument]:
        """Documents of which a list shows this title, or its beginning before an ellipsis, and files of this name.

        An empty `collection` means any.
        """
        ...


class LibraryBackend(Protocol):
    """A store of documents, chunks and vectors, open."""

    @property
    def shared(self) -> bool:
        """Whether other machines keep documents in it, of files that are not on this one."""
        ...

    def documents(self, collection: str) -> StoredDocuments:
        """The documents of a collection, which begins with its first one."""
        ...

    def indexes(self, collection: str, fingerprint: str) -> CollectionIndexes:
        """What finds its chunks, by the vectors of a model; raises `LibraryError` for what cannot be its name."""
        ...

    def vectors(self, fingerprint: str) -> StoredVectors:
        """The vectors of a model."""
        ...

    def models(self) -> StoredModels:
        """What is kept of embedding models."""
        ...

    def collections(self) -> StoredCollections:
        """All collections."""
        ...

    def listing(self) -> StoredListing:
        """The documents of all of them, for lists."""
        ...

    def copies(self) -> StoredCopies:
        """All of it, to be copied."""
        ...

    def check(self) -> list[Finding]:
        """Check the store as a whole, mend what can be mended, and tell what was found."""
        ...

    def check_documents(self, collection: str) -> list[Finding]:
        """Check the texts and the chunks of a collection; what is not as it was kept is marked to be cut anew."""
        ...

    def check_vectors(self, fingerprint: str) -> list[Finding]:
        """Remove vectors that the model cannot have given; the chunks are then embedded anew."""
        ...

    def drop_leftovers(self, collections: Sequence[str], *, alone: bool) -> list[Finding]:
        """Remove what killed processes and other collections than these left; vectors that no chunk has only where
        this process is `alone`.
        """
        ...

    def library_name(self) -> str:
        """The random name that it was given when it was begun; raises `LibraryError` where that was lost."""
        ...

    def size(self) -> int:
        """Bytes that it takes on the disk."""
        ...

    def close(self) -> None:
        """Let go of every file."""
        ...

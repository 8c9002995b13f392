"""A library backend in plain Python that lasts as long as the process: what `rag/backend.py` asks for."""

import calendar
import itertools
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from rag.chunk_size import ChunkShape
from rag.documents import Chunk, Document, Origin, contextual_text
from rag.embedding.base import Vectors
from rag.indexes.index_owner import Folders
from rag.indexes.local import LocalIndexes
from rag.records.copies import KeptDocument
from rag.records.documents import changes_anything
from rag.settings import RagSettings
from rag.stored import (
    Collection,
    DocumentEntry,
    DocumentQuery,
    Filters,
    Finding,
    ListedDocument,
    Prepared,
    Removal,
    Run,
    StoredChunk,
    TextEntry,
    VectorEntry,
    matches_properties,
)
from utils.network.offline import OfflineSwitch

SEEN = "%Y-%m-%dT%H:%M:%SZ"


@dataclass
class Kept:
    """A document with the ids of its chunks."""

    id: int
    collection: str
    document: Document
    prepared: Prepared
    chunks: dict[int, int]
    """The place of each chunk in what was prepared, by its id."""
    seen: float = field(default_factory=time.time)
    cited: bool = False


class MemoryBackend:
    """All documents, chunks and vectors of a library, in dictionaries."""

    shared = False

    def __init__(self, folder: Path, _: RagSettings, __: OfflineSwitch, ___: object = None) -> None:
        self.folder = folder
        self.kept: dict[tuple[str, str], Kept] = {}
        self.known: dict[tuple[str, bytes], Vectors] = {}
        self.shapes: dict[str, ChunkShape] = {}
        self.removed: list[Removal] = []
        self.name, self.generation, self.last_chunk = uuid.uuid4().hex, 0, 0
        self.numbers = itertools.count(1)
        self.notes: dict[str, str] = {}
        self.tokens: Counter[str] = Counter()

    def documents(self, collection: str) -> "MemoryDocuments":
        return MemoryDocuments(self, collection)

    def indexes(self, collection: str, fingerprint: str) -> LocalIndexes:
        folders = Folders.of(self.folder, None, collection)
        store, feed = self.documents(collection), MemoryFeed(self, collection)
        return LocalIndexes(store, feed, self.vectors(fingerprint), fingerprint, folders)

    def vectors(self, fingerprint: str) -> "MemoryVectors":
        return MemoryVectors(self, fingerprint)

    def models(self) -> "MemoryModels":
        return MemoryModels(self)

    def collections(self) -> "MemoryCollections":
        return MemoryCollections(self)

    def listing(self) -> "MemoryListing":
        return MemoryListing(self)

    def of(self, collection: str) -> list[Kept]:
        """The documents of a collection, oldest first."""
        return [one for one in list(self.kept.values()) if one.collection == collection]

    def put(self, collection: str, document: Document, prepared: Prepared) -> None:
        """Put a document in the place of the one with its source."""
        self.drop(collection, document.source)
        first = self.last_chunk + 1
        chunks = {first + place: place for place in range(len(prepared.chunks))}
        self.kept[collection, document.source] = Kept(next(self.numbers), collection, document, prepared, chunks)
        self.last_chunk += len(chunks)

    def drop(self, collection: str, source: str) -> bool:
        """Forget a document, if there is one."""
        old = self.kept.pop((collection, source), None)
        if old is None:
            return False
        for chunk, place in old.chunks.items():
            pieces = [len(v) for (_, key), v in list(self.known.items()) if key == old.prepared.hashes[place]]
            self.removed.append(Removal(len(self.removed) + 1, chunk, max(pieces, default=1)))
        return True

    def copies(self) -> "MemoryCopies":
        return MemoryCopies(self)

    def check(self) -> list[Finding]:
        return []

    def check_documents(self, collection: str) -> list[Finding]:
        return []

    def check_vectors(self, fingerprint: str) -> list[Finding]:
        return []

    def drop_leftovers(self, collections: Sequence[str], *, alone: bool) -> list[Finding]:
        return []

    def library_name(self) -> str:
        return self.name

    def size(self) -> int:
        return 0

    def close(self) -> None:
        """Nothing is open."""


class MemoryDocuments:
    """The documents of one collection."""

    def __init__(self, backend: MemoryBackend, collection: str) -> None:
        self.collection = collection
        self._backend = backend

    def _find(self, source: str) -> Kept | None:
        return self._backend.kept.get((self.collection, source))

    def _sources(self, wanted: Callable[[Kept], bool]) -> list[str]:
        return [one.document.source for one in self._backend.of(self.collection) if wanted(one)]

    def accepted_sources(self, documents: Sequence[Document]) -> set[str]:
        return {one.source for one in documents if self._accepts(one)}

    def _accepts(self, document: Document) -> bool:
        old = self._find(document.source)
        return changes_anything(document, (old.document.origin, old.document.content_hash) if old else None)

    def touch_documents(self, documents: Sequence[Document]) -> None:
        for document in documents:
            if old := self._find(document.source):
                old.seen = time.time()

    def replace_documents(self, cut: Sequence[tuple[Document, Prepared]]) -> list[int]:
        added = []
        for document, prepared in cut:
            accepted = self._accepts(document)
            added.append(len(prepared.chunks) if accepted else 0)
            if accepted:
                self._backend.put(self.collection, document, prepared)
        return added

    def cut_anew(self, source: str, prepared: Prepared) -> None:
        if old := self._find(source):
            self._backend.put(self.collection, old.document, prepared)

    def cut_otherwise(self, chunker: str, limit: int) -> list[str]:
        return self._sources(lambda one: one.prepared.chunker != chunker)[:limit]

    def delete_documents(self, sources: Sequence[str]) -> int:
        return sum(self._backend.drop(self.collection, source) for source in sources)

    def find_document(self, source: str) -> Document | None:
        old = self._find(source)
        return old.document if old else None

    def first_chunks(self, source: str, limit: int) -> list[Chunk]:
        old = self._find(source)
        return list(old.prepared.chunks[:limit]) if old else []

    def newest_titles(self, limit: int) -> list[str]:
        newest = reversed(self._backend.of(self.collection))
        return list(dict.fromkeys(one.document.title for one in newest))[:limit]

    def note_cited(self, sources: Sequence[str]) -> None:
        for source in sources:
            if old := self._find(source):
                old.cited = True

    def expired_sources(self, days: int) -> list[str]:
        before = time.time() - days * 86_400
        return self._sources(lambda one: one.document.origin != "file" and not one.cited and one.seen < before)

    def count_by_origin(self) -> dict[Origin, tuple[int, int]]:
        found: dict[Origin, tuple[int, int]] = {}
        for one in self._backend.of(self.collection):
            documents, chunks = found.get(one.document.origin, (0, 0))
            found[one.document.origin] = documents + 1, chunks + len(one.chunks)
        return found

    def language_codes(self) -> list[str]:
        return sorted({one.prepared.language for one in self._backend.of(self.collection)} - {""})

    def is_empty(self) -> bool:
        return not self._backend.of(self.collection)


class MemoryFeed:
    """The chunks of one collection, in the order in which they came."""

    def __init__(self, backend: MemoryBackend, collection: str) -> None:
        self.collection = collection
        self._backend = backend

    def _all(self) -> dict[int, tuple[Kept, int]]:
        """Each chunk's document and its place there, by id, ascending."""
        return {key: (one, place) for one in self._backend.of(self.collection) for key, place in one.chunks.items()}

    def _after(self, after: int, limit: int) -> Iterator[tuple[int, Kept, int]]:
        chunks = self._all()
        for key in sorted(key for key in chunks if key > after)[:limit]:
            yield key, *chunks[key]

    def read_vectors(self, fingerprint: str, after: int, limit: int) -> list[VectorEntry]:
        known = self._backend.known
        return [
            VectorEntry(stored(key, one, place), known.get((fingerprint, one.prepared.hashes[place])))
            for key, one, place in self._after(after, limit)
        ]

    def read_run(self, fingerprint: str, after: int, limit: int) -> tuple[list[Run], bool]:
        entries = self.read_vectors(fingerprint, after, limit)
        ready = list(itertools.takewhile(lambda entry: entry.vectors is not None, entries))
        pieces = [entry.vectors for entry in ready if entry.vectors is not None]
        ids = np.repeat(np.array([entry.id for entry in ready], np.int64), [len(rows) for rows in pieces])
        return [Run(ids, np.concatenate(pieces))] if ready else [], len(ready) < len(entries)

    def read_texts(self, after: int, limit: int) -> list[TextEntry]:
        found = []
        for key, one, place in self._after(after, limit):
            chunk, document = one.prepared.chunks[place], one.document
            text = contextual_text(document.title, chunk.heading, chunk.text)
            whole = None if place else f"{document.title}\n{document.text}"
            found.append(TextEntry(key, text, one.prepared.language, whole))
        return found

    def chunk_ids(self) -> set[int]:
        return set(self._all())

    def read_chunks(self, ids: Sequence[int]) -> dict[int, StoredChunk]:
        known = self._all()
        return {key: stored(key, *known[key]) for key in ids if key in known}

    def documents_of(self, ids: Sequence[int]) -> dict[int, int]:
        known = self._all()
        return {key: known[key][0].id for key in ids if key in known}

    def matching_chunks(self, filters: Filters) -> list[int]:
        return sorted(key for key, (one, _) in self._all().items() if passes(one.document, filters))

    def removals_after(self, after: int) -> list[Removal]:
        return self._backend.removed[after:]

    def feed_position(self) -> tuple[int, int]:
        return self._backend.last_chunk, self.last_removal()

    def last_removal(self) -> int:
        return len(self._backend.removed)

    def library_identity(self) -> tuple[str, int]:
        return self._backend.name, self._backend.generation

    def order_rebuild(self) -> None:
        self._backend.generation += 1


class MemoryModels:
    def __init__(self, backend: MemoryBackend) -> None:
        self._backend = backend

    def count_texts(self) -> dict[str, int]:
        return dict(Counter(fingerprint for fingerprint, _ in self._backend.known))

    def read_note(self, name: str) -> str:
        return self._backend.notes.get(name, "")

    def write_note(self, name: str, text: str) -> None:
        self._backend.notes[name] = text

    def add_tokens(self, model: str, tokens: int) -> None:
        self._backend.tokens[model] += tokens

    def count_tokens(self) -> dict[str, int]:
        return dict(self._backend.tokens)


class MemoryVectors:
    """The vectors of one model."""

    def __init__(self, backend: MemoryBackend, fingerprint: str) -> None:
        self._backend = backend
        self._fingerprint = fingerprint

    def keep_vectors(self, vectors: dict[bytes, Vectors]) -> None:
        self._backend.known |= {(self._fingerprint, key): rows for key, rows in vectors.items()}

    def missing_hashes(self, hashes: Sequence[bytes]) -> set[bytes]:
        return {key for key in hashes if (self._fingerprint, key) not in self._backend.known}

    def not_embedded(self, collection: str) -> dict[bytes, str]:
        texts = {key: text for one in self._backend.of(collection) for key, text in one.prepared.texts.items()}
        return {key: texts[key] for key in self.missing_hashes(list(texts))}

    def missing_size(self) -> tuple[int, int]:
        texts = {key: text for one in list(self._backend.kept.values()) for key, text in one.prepared.texts.items()}
        missing = self.missing_hashes(list(texts))
        return len(missing), sum(len(texts[key]) for key in missing)

    def sample_text(self) -> tuple[str, Vectors] | None:
        for one in list(self._backend.kept.values()):
            for key, text in one.prepared.texts.items():
                rows = self._backend.known.get((self._fingerprint, key))
                if rows is not None and len(rows) == 1:
                    return text, rows
        return None

    def forget_all(self) -> None:
        for known in [known for known in self._backend.known if known[0] == self._fingerprint]:
            del self._backend.known[known]
        self._backend.generation += 1

    def chunk_similarities(self, vector: Vectors, chunks: Sequence[int]) -> dict[int, float]:
        hashes = {
            key: one.prepared.hashes[place]
            for one in list(self._backend.kept.values())
            for key, place in one.chunks.items()
        }
        rows = {key: self._backend.known.get((self._fingerprint, hashes[key])) for key in chunks if key in hashes}
        return {key: float((found @ vector).max()) for key, found in rows.items() if found is not None}


class MemoryCollections:
    """The collections."""

    def __init__(self, backend: MemoryBackend) -> None:
        self._backend = backend

    def all_collections(self) -> list[Collection]:
        names = sorted({one.collection for one in list(self._backend.kept.values())} | set(self._backend.shapes))
        kept = {name: self._backend.of(name) for name in names}
        return [
            Collection(name, len(all_of), sum(len(one.chunks) for one in all_of), self.chunk_shape(name))
            for name, all_of in kept.items()
        ]

    def entries(self, collections: Sequence[str], before: int | None, limit: int) -> list[DocumentEntry]:
        found = [
            DocumentEntry(one.id, one.collection, d.source, d.title, d.media_type, d.fetched)
            for one in list(self._backend.kept.values())
            if (d := one.document) and (before is None or one.id < before)
        ]
        wanted = [entry for entry in found if not collections or entry.collection in collections]
        return sorted(wanted, key=lambda entry: -entry.id)[:limit]

    def chunk_shape(self, name: str) -> ChunkShape | None:
        return self._backend.shapes.get(name)

    def keep_shape(self, name: str, shape: ChunkShape) -> None:
        self._backend.shapes[name] = shape

    def begin_shape(self, name: str, shape: ChunkShape) -> ChunkShape:
        return self._backend.shapes.setdefault(name, shape)

    def remove(self, name: str) -> int:
        self._backend.shapes.pop(name, None)
        return sum(self._backend.drop(name, one.document.source) for one in self._backend.of(name))


class MemoryListing:
    """The documents of all collections, without their texts."""

    def __init__(self, backend: MemoryBackend) -> None:
        self._backend = backend

    def _find(self, wanted: Callable[[Kept], bool]) -> list[ListedDocument]:
        return [listed(one) for one in reversed(list(self._backend.kept.values())) if wanted(one)]

    def counts(self, query: DocumentQuery) -> dict[Origin, int]:
        return dict(Counter(one.document.origin for one in self._backend.kept.values() if asked_for(one, query)))

    def page(self, query: DocumentQuery, offset: int, limit: int) -> list[ListedDocument]:
        found = self._find(lambda one: asked_for(one, query))
        if query.sort != "date":
            found.sort(key=lambda one: one.title.casefold() if query.sort == "title" else f"{-one.chunks:09}")
        return sorted(found, key=lambda one: ("file", "web", "snippet").index(one.origin))[offset : offset + limit]

    def with_source(self, source: str, collection: str) -> list[ListedDocument]:
        return self._find(lambda one: (one.document.source, one.collection) == (source, collection))

    def with_number(self, number: int, collection: str) -> list[ListedDocument]:
        return self._find(lambda one: one.id == number and collection in ("", one.collection))

    def within(self, name: str, collection: str) -> list[str]:
        ends = (name.rstrip("/") + "/", name + "#")
        return [one.document.source for one in self._backend.of(collection) if one.document.source.startswith(ends)]

    def file_sources(self, path: str, collection: str) -> list[tuple[str, str]]:
        files = [one.document for one in self._backend.of(collection) if one.document.origin == "file"]
        found = [(one.container or one.source, one.source) for one in files]
        return [one for one in found if one[0] == path or one[0].startswith(f"{path.rstrip('/')}/")]

    def sources_of_files(self, files: Sequence[str], collection: str) -> list[tuple[str, str]]:
        return [one for file in files for one in self.file_sources(file, collection) if one[0] == file]

    def called(self, name: str, collection: str) -> list[ListedDocument]:
        return self._find(
            lambda one: one.document.title.casefold() == name.casefold() and collection in ("", one.collection)
        )


class MemoryCopies:
    """All of it, to be copied."""

    def __init__(self, backend: MemoryBackend) -> None:
        self._backend = backend

    def next_documents(self, collection: str, after: int, limit: int) -> dict[int, KeptDocument]:
        found = [one for one in self._backend.of(collection) if one.id > after]
        return {one.id: copied(one) for one in found[:limit]}

    def find_documents(self, collection: str, sources: Sequence[str]) -> dict[str, KeptDocument]:
        found = [one for one in self._backend.of(collection) if one.document.source in sources]
        return {one.document.source: copied(one) for one in found}

    def put_documents(self, collection: str, documents: Sequence[KeptDocument]) -> None:
        for one in documents:
            self._backend.put(collection, one.document, one.prepared)
            kept = self._backend.kept[collection, one.document.source]
            kept.seen = calendar.timegm(time.strptime(one.seen, SEEN))
            kept.cited = bool(one.cited)

    def find_vectors(self, fingerprint: str, hashes: Sequence[bytes]) -> dict[bytes, Vectors]:
        known = self._backend.known
        return {key: known[fingerprint, key] for key in hashes if (fingerprint, key) in known}

    def all_notes(self) -> dict[str, str]:
        return dict(self._backend.notes)


def copied(one: Kept) -> KeptDocument:
    """A document as it is copied."""
    prepared = replace(one.prepared, chunks=list(one.prepared.chunks), hashes=list(one.prepared.hashes), texts={})
    return KeptDocument(one.document, prepared, time.strftime(SEEN, time.gmtime(one.seen)), int(one.cited))


def asked_for(one: Kept, query: DocumentQuery) -> bool:
    """Whether a list shows the document."""
    shown = f"{one.document.title} {one.document.source}".casefold()
    return (
        all(word.casefold() in shown for word in query.words)
        and (not query.origins or one.document.origin in query.origins)
        and (not query.collections or one.collection in query.collections)
    )


def listed(one: Kept) -> ListedDocument:
    """A document as a list shows it."""
    d, added = one.document, time.strftime(SEEN, time.gmtime(one.seen))
    about = (d.source, d.title, d.origin, d.media_type, d.fetched, d.container)
    return ListedDocument(one.id, one.collection, *about, len(one.chunks), added)


def stored(key: int, one: Kept, place: int) -> StoredChunk:
    """A chunk with all that a search result says of it."""
    chunk, d = one.prepared.chunks[place], one.document
    about = (d.source, d.title, d.origin, d.media_type, d.fetched)
    return StoredChunk(
        key, chunk.text, chunk.heading, *about, chunk.index, len(one.prepared.chunks), chunk.start, chunk.end
    )


def passes(document: Document, filters: Filters) -> bool:
    """Whether the filters let a document through; of names, those of sources and titles."""
    return (
        (not filters.sources or document.source in filters.sources or document.title in filters.sources)
        and (not filters.origins or document.origin in filters.origins)
        and (not filters.media_types or document.media_type in filters.media_types)
        and (not filters.since or (document.properties.published or document.fetched) >= filters.since)
        and (not filters.until or (document.properties.published or document.fetched) <= filters.until)
        and matches_properties(document.properties, filters)
    )

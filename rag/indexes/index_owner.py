"""Which indexes answer for a collection: those on disk in the one process that owns them, others in memory.

Every chunk is in two indexes of vectors. The exact one answers as long as it compares them all in no time. Chroma takes
a second to load: it is opened by a process that changes what is kept, and where it has to answer.
"""

import hashlib
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rag.backend import Answering, State
from rag.embedding.base import Vectors
from rag.indexes.chroma import VECTORS_VERSION, ChromaIndex, VectorIndex
from rag.indexes.chunk_feed import ChunkFeed
from rag.indexes.exact import ExactIndex, Hits
from rag.indexes.exact_on_disk import MATRIX_VERSION, MatrixIndex
from rag.indexes.index_lock import IndexLock
from rag.indexes.index_sync import EntrySource, InMemory
from rag.indexes.keywords import KeywordIndex
from rag.indexes.manifest import clear_place, draft_folder
from rag.indexes.persistent_index import PersistentIndex
from rag.records.collections import require_collection_name
from rag.search.tokenization import LIBRARY_TERMS_VERSION
from rag.stored import FEED_VERSION, Run, TextEntry, VectorEntry
from utils.errors import LibraryError
from utils.files import expand_home, is_folder

# Seconds that closing waits for an index that is being made; it is dropped then, and made at the next start.
BUILD_PATIENCE_SECONDS = 5.0

FULL_SCAN = 500_000
"""Vectors up to which each is compared with the question, in 20 ms; of more, a graph finds many of the nearest in 3."""

# Ends the name of the file beside Chroma's folder that the owner of the other indexes has locked.
LOCK = ".lock"
# The same for Chroma: no collection can have a plus in its name.
CHROMA_LOCK = f"+chroma{LOCK}"


@dataclass(frozen=True)
class Folders:
    """Where the indexes of a collection lie."""

    vectors: Path
    matrix: Path
    keywords: Path

    @classmethod
    def named(cls, base: Path, data_dir: Path, name: str) -> "Folders":
        """Those with this name, that of Chroma in a folder of its own choice."""
        return cls(base / name, data_dir / "matrix" / name, data_dir / "keywords" / name)

    @classmethod
    def of(cls, data_dir: Path, chroma: Path | None, collection: str) -> "Folders":
        """Those of a collection; raises `LibraryError` for a name that cannot be one."""
        require_collection_name(collection)
        # Names that differ in their case only must not share a folder where the file system sees no difference.
        digest = hashlib.sha256(collection.encode()).hexdigest()[:8]
        name = collection if collection == collection.lower() else f"{collection}-{digest}"
        base = expand_home(chroma or data_dir / "chroma").absolute()
        folders = cls.named(base, data_dir.absolute(), name)
        # What is in the place of an index itself is damage, and the index is made anew; above it lies what is not ours.
        for place in (folder.parent for folder in folders.all):
            if place.exists() and not is_folder(place):
                told = f"An index of the library cannot be in {place}, which is no folder."
                raise LibraryError(told, "Move it away, or name another folder with rag.chroma_db_path.")
        return folders

    @property
    def all(self) -> tuple[Path, ...]:
        """Each of them."""
        return self.vectors, self.matrix, self.keywords

    def size(self) -> int:
        """Bytes of all indexes, which may be replaced at any moment."""
        size = 0
        for file in (Path(top, name) for folder in self.all for top, _, names in os.walk(folder) for name in names):
            with suppress(FileNotFoundError):
                size += file.stat().st_size
        return size

    def locks(self) -> tuple[IndexLock, IndexLock]:
        """Of the indexes that every search asks, and of Chroma: who writes may own that while another chats."""
        beside, name = self.vectors.parent, self.vectors.name
        lean = IndexLock(beside / f"{name}{LOCK}", (self.matrix, self.keywords))
        return lean, IndexLock(beside / f"{name}{CHROMA_LOCK}", (self.vectors,))


class IndexOwner:
    """Owns the indexes of a collection if it can, and keeps them true; its methods block and may run in any thread."""

    def __init__(self, feed: ChunkFeed, fingerprint: str, folders: Folders) -> None:
        self._feed = feed
        self._model = fingerprint
        self.folders = folders
        self.writes = False
        """Whether this process changed what is kept: it then sees to it that Chroma has it."""
        self._large = False
        self._lean, self._chroma = folders.locks()
        self._until = float("inf")
        lean = EntrySource(self._feed, f"{fingerprint} matrix {MATRIX_VERSION} tables {FEED_VERSION}", self._read_rows)
        self.matrix: PersistentIndex[Run, ExactIndex] = PersistentIndex(
            lean, folders.matrix, MatrixIndex, InMemory(lean, ExactIndex), still=True
        )
        self.vectors: PersistentIndex[VectorEntry, VectorIndex] = PersistentIndex(
            EntrySource(
                self._feed, f"{fingerprint} vectors {VECTORS_VERSION} tables {FEED_VERSION}", self._read_vectors
            ),
            folders.vectors,
            lambda folder: ChromaIndex(folder, feed.collection),
            self.matrix,
        )
        texts = EntrySource(self._feed, f"terms {LIBRARY_TERMS_VERSION} tables {FEED_VERSION}", self._read_texts)
        self.keywords: PersistentIndex[TextEntry, KeywordIndex] = PersistentIndex(
            texts, folders.keywords, KeywordIndex, InMemory(texts, KeywordIndex), still=True
        )

    def _read_vectors(self, after: int, limit: int) -> tuple[Sequence[VectorEntry], bool]:
        entries = self._feed.read_vectors(self._model, after, limit)
        waiting = next((i for i, entry in enumerate(entries) if entry.vectors is None), None)
        return (entries, False) if waiting is None else (entries[:waiting], True)

    def _read_rows(self, after: int, limit: int) -> tuple[Sequence[Run], bool]:
        return self._feed.read_run(self._model, after, limit)

    def _read_texts(self, after: int, limit: int) -> tuple[Sequence[TextEntry], bool]:
        return self._feed.read_texts(after, limit), False

    @property
    def state(self) -> State:
        """Who holds the indexes that this process needs."""
        if all(index.on_disk for index in self.lean) and (self.vectors.on_disk or not self._needs_chroma):
            return "ready"
        if self._lean.held:
            return "building"
        return "elsewhere" if any(index.used for index in self.all) else "not open"

    @property
    def _needs_chroma(self) -> bool:
        return (self.writes or self._large) and not self._chroma.elsewhere

    def answering(self, chunks: int) -> Answering:
        """Which index answers what goes by meaning, in a collection of so many chunks."""
        large = self._large or chunks > FULL_SCAN
        return "chroma" if large and (self.vectors.on_disk or not self.vectors.used) else "exact"

    def nearest(self, vector: Vectors, limit: int) -> tuple[Hits, bool, bool]:
        """At most `limit` chunks with their cosines, best first; whether a chunk has no vector yet, and whether the
        cosines are only near the truth.
        """
        scanned, lacking = self.matrix.ask(
            lambda index: index.query(vector, limit) if len(index) <= FULL_SCAN else None
        )
        self._large = scanned is None
        if scanned is not None:
            return scanned, lacking, False
        return *self.vectors.ask(lambda index: index.query(vector, limit)), True

    @property
    def lean(self) -> tuple[PersistentIndex[Any, Any], ...]:
        """Those that every search asks: they open and are made in no time."""
        return self.keywords, self.matrix

    @property
    def all(self) -> tuple[PersistentIndex[Any, Any], ...]:
        """Each index, those first that open and are made in no time."""
        return *self.lean, self.vectors

    @property
    def behind(self) -> bool:
        """Whether chunks wait to be embedded."""
        return self.matrix.behind or self.vectors.behind

    def is_opened(self, meaning: bool) -> bool:
        """Whether `open_indexes` has nothing left to do."""
        return self.keywords.used and (self.matrix.used or not meaning)

    def open_indexes(self, meaning: bool) -> None:
        """Own the indexes if nobody else does, and open what opens at once and is sound: those of words and, where
        `meaning` counts, the matrix.
        """
        if self.try_to_own():
            for index in (self.keywords, self.matrix) if meaning else (self.keywords,):
                if not index.used:
                    index.open()

    def tend_indexes(self) -> None:
        """Own the indexes if nobody else does, open them or make them anew, and let them catch up.

        Chroma is left alone by a process that only searches what the exact index answers.
        """
        if self.try_to_own():
            for index in self.lean:
                index.tend(self.build_deadline)
        if (self.writes or self._large or self.vectors.on_disk) and self.own_chroma():
            self.vectors.tend(self.build_deadline)

    def build_deadline(self) -> float:
        """The moment by which an index has to be made, of `time.monotonic`."""
        return self._until

    def hurry_builds(self) -> None:
        """From now on an index that is being made has no more than `BUILD_PATIENCE_SECONDS` to be finished."""
        self._until = time.monotonic() + BUILD_PATIENCE_SECONDS

    def close(self) -> None:
        """Close the indexes, note what they then hold, and leave them to others."""
        for index in reversed(self.all):
            index.close()
        self._lean.release()
        self._chroma.release()

    def try_to_own(self) -> bool:
        """Whether this process owns the indexes that every search asks, from now on if nobody else does."""
        return self._lean.own()

    def own_chroma(self) -> bool:
        """Whether this process owns Chroma, from now on if nobody else does."""
        return self._chroma.own()


def discard_indexes(folders: Folders) -> bool:
    """Remove indexes that nobody owns; whether there were any."""
    lean, chroma = folders.locks()
    removed = [
        _discard(lock, [place for folder in owned for place in (folder, draft_folder(folder))])
        for lock, owned in ((lean, (folders.matrix, folders.keywords)), (chroma, (folders.vectors,)))
    ]
    return any(removed)


def _discard(lock: IndexLock, places: Sequence[Path]) -> bool:
    if not any(place.exists() for place in places) or not lock.own():
        return False
    for place in places:
        clear_place(place)
    lock.release()
    return True

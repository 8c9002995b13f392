"""Which indexes answer for a collection: those on disk in the one process that owns them, others in memory."""

import hashlib
import logging
import re
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import filelock

from rag.indexes.change_feed import FEED_VERSION, ChangeFeed, Run, TextEntry, VectorEntry
from rag.indexes.chroma import VECTORS_VERSION, ChromaIndex, VectorIndex
from rag.indexes.exact import ExactIndex
from rag.indexes.exact_on_disk import MATRIX_VERSION, MatrixIndex
from rag.indexes.index_sync import EntrySource, InMemory
from rag.indexes.keywords import KeywordIndex
from rag.indexes.manifest import clear, drafted
from rag.indexes.persistent_index import PersistentIndex
from rag.search.tokenization import TERMS_VERSION
from rag.sqlite.database import LibraryDatabase
from utils.errors import LibraryError
from utils.files import expanded, is_folder
from utils.paths import private_dir

log = logging.getLogger(__name__)

# Seconds that closing waits for an index that is being made; it is dropped then, and made at the next start.
PATIENCE = 5.0
# What Chroma takes as the name of a collection.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,100}[A-Za-z0-9]")

# Ends the name of the file beside the folder of a vector index that its owner has locked.
LOCK = ".lock"

State = Literal["ready", "building", "elsewhere", "not open"]


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
        if not _NAME.fullmatch(collection):
            raise LibraryError(
                f"{collection!r} cannot be the name of a collection.",
                "Use 3 to 102 letters, digits, dots, hyphens and underscores; a letter or digit at either end.",
            )
        # Names that differ in their case only must not share a folder where the file system sees no difference.
        digest = hashlib.sha256(collection.encode()).hexdigest()[:8]
        name = collection if collection == collection.lower() else f"{collection}-{digest}"
        base = expanded(chroma or data_dir / "chroma").absolute()
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


class IndexOwner:
    """Owns the indexes of a collection if it can, and keeps them true; its methods block and may run in any thread."""

    def __init__(self, database: LibraryDatabase, collection: str, fingerprint: str, folders: Folders) -> None:
        self._feed = ChangeFeed(database, collection)
        self._model = fingerprint
        self.folders = folders
        self._owned = lock_of(folders)
        self._owning = threading.Lock()
        self._closed = False
        self._refused = False
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
            lambda folder: ChromaIndex(folder, collection),
            self.matrix,
        )
        texts = EntrySource(self._feed, f"terms {TERMS_VERSION} tables {FEED_VERSION}", self._read_texts)
        self.keywords: PersistentIndex[TextEntry, KeywordIndex] = PersistentIndex(
            texts, folders.keywords, KeywordIndex, InMemory(texts, KeywordIndex), still=True
        )

    def _read_vectors(self, after: int, limit: int) -> tuple[Sequence[VectorEntry], bool]:
        entries = self._feed.vectors(self._model, after, limit)
        waiting = next((i for i, entry in enumerate(entries) if entry.vectors is None), None)
        return (entries, False) if waiting is None else (entries[:waiting], True)

    def _read_rows(self, after: int, limit: int) -> tuple[Sequence[Run], bool]:
        return self._feed.run(self._model, after, limit)

    def _read_texts(self, after: int, limit: int) -> tuple[Sequence[TextEntry], bool]:
        return self._feed.texts(after, limit), False

    @property
    def state(self) -> State:
        """Who holds the indexes."""
        if all(index.on_disk for index in self.all):
            return "ready"
        if self._owned.is_locked:
            return "building"
        return "elsewhere" if any(index.used for index in self.all) else "not open"

    @property
    def all(self) -> tuple[PersistentIndex[Any, Any], ...]:
        """Each index, those first that open and are made in no time."""
        return self.keywords, self.matrix, self.vectors

    @property
    def behind(self) -> bool:
        """Whether chunks wait to be embedded."""
        return self.matrix.behind or self.vectors.behind

    def opened(self, meaning: bool) -> bool:
        """Whether `open` has nothing left to do."""
        return self.keywords.used and (self.matrix.used or not meaning)

    def open(self, meaning: bool) -> None:
        """Own the indexes if nobody else does, and open what opens at once and is sound: those of words and, where
        `meaning` counts, the matrix.
        """
        if self.own():
            for index in (self.keywords, self.matrix) if meaning else (self.keywords,):
                if not index.used:
                    index.open()

    def tend(self) -> None:
        """Own the indexes if nobody else does, open them or make them anew, and let them catch up."""
        if self.own():
            for index in self.all:
                index.tend(self.until)

    def until(self) -> float:
        """The moment by which an index has to be made, of `time.monotonic`."""
        return self._until

    def hurry(self) -> None:
        """From now on an index that is being made has no more than `PATIENCE` to be finished."""
        self._until = time.monotonic() + PATIENCE

    def close(self) -> None:
        """Close the indexes, note what they then hold, and leave them to others."""
        for index in reversed(self.all):
            index.close()
        with self._owning:
            # A thread that is late must not take the indexes again.
            self._closed = True
            self._owned.release()

    def own(self) -> bool:
        """Whether this process owns the indexes, from now on if nobody else does."""
        with self._owning:
            return self._owned.is_locked or (not self._closed and self._acquire())

    def _acquire(self) -> bool:
        try:
            for folder in self.folders.all:
                private_dir(folder.parent)
            self._owned.acquire(timeout=0)
        except filelock.Timeout:
            return False
        except (OSError, NotImplementedError) as error:
            # A full disk, or a folder that is only read: what is in memory answers.
            if not self._refused:
                log.warning("The indexes in %s cannot be owned: %s", self.folders.vectors.parent, error)
            self._refused = True
            return False
        return True


def lock_of(folders: Folders) -> filelock.BaseFileLock:
    """The lock that the owner of these folders holds; it dies with its holder."""
    return filelock.FileLock(folders.vectors.with_name(folders.vectors.name + LOCK), thread_local=False)


def discard(folders: Folders) -> bool:
    """Remove indexes that nobody owns; whether there were any."""
    places = [place for folder in folders.all for place in (folder, drafted(folder))]
    lock = lock_of(folders)
    if not any(place.exists() for place in places):
        return False
    try:
        lock.acquire(timeout=0)
    except filelock.Timeout:
        return False
    for place in places:
        clear(place)
    lock.release()
    return True

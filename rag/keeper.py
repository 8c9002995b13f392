"""Which index answers: Chroma in the one process that owns its folder, exact search in all others and meanwhile."""

import contextlib
import hashlib
import json
import logging
import shutil
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import filelock

from rag.embedding import Vectors
from rag.store import Store
from rag.vectors import ChromaIndex, ExactIndex, Hits, IndexBroken, VectorIndex
from utils.errors import LibraryError
from utils.paths import private_dir, write_private

log = logging.getLogger(__name__)

# Chunks that are read from SQLite and given to an index at once.
BLOCK = 500
MANIFEST = "magpie.json"
# Seconds that closing waits for an index that is being made; it is dropped then, and made at the next start.
PATIENCE = 5.0

State = Literal["ready", "building", "elsewhere", "not open"]


@dataclass
class Basis:
    """What an index was made from, and how far it has followed."""

    library: str
    generation: int
    collection: str
    fingerprint: str
    chunk: int = 0
    removal: int = 0

    def fits(self, other: "Basis") -> bool:
        """Whether both are of the same library, model and generation."""
        mine, theirs = asdict(self), asdict(other)
        return all(mine[key] == theirs[key] for key in ("library", "generation", "collection", "fingerprint"))


class Follower:
    """An index with how far it has followed the store."""

    def __init__(self, store: Store, index: VectorIndex, basis: Basis) -> None:
        self.index = index
        self.basis = basis
        self.behind = False
        """It waits for a chunk that is not embedded yet."""
        self._store = store

    def catch_up(self, until: float = float("inf")) -> bool:
        """Take over what was deleted and added since; whether it got through before that moment."""
        if removals := self._store.removals(self.basis.removal):
            self.index.delete(removals)
            self.basis.removal = removals[-1].number
        while entries := self._store.entries(self.basis.fingerprint, self.basis.chunk, BLOCK):
            ready = [entry for entry in entries if entry.vectors is not None]
            self.behind = len(ready) < len(entries)
            if self.behind:
                first = next(i for i, entry in enumerate(entries) if entry.vectors is None)
                ready = ready[:first]
            if ready:
                self.index.add(ready)
                self.basis.chunk = ready[-1].chunk.id
            if self.behind or time.monotonic() > until:
                return not self.behind
        self.behind = False
        return True


class IndexKeeper:
    """Answers searches, owns Chroma if it can, and keeps it true; its methods block and may run in any thread."""

    def __init__(self, store: Store, fingerprint: str, folder: Path) -> None:
        self.folder = folder
        self._store = store
        self._fingerprint = fingerprint
        self._owned = filelock.FileLock(folder.with_name(folder.name + ".lock"), thread_local=False)
        self._tending = threading.Lock()
        self._searching = threading.Lock()
        self._chroma: Follower | None = None
        self._exact: Follower | None = None
        self._until = float("inf")

    @property
    def state(self) -> State:
        """Who holds the vector index."""
        if self._chroma is not None:
            return "ready"
        if self._owned.is_locked:
            return "building"
        return "elsewhere" if self._exact is not None else "not open"

    @property
    def behind(self) -> bool:
        """Whether chunks wait to be embedded."""
        return any(follower.behind for follower in (self._chroma, self._exact) if follower is not None)

    def search(self, vector: Vectors, limit: int) -> Hits:
        """The nearest chunks, also those that other processes have just added."""
        with self._searching:
            if self._chroma is not None:
                try:
                    return self._ask(self._chroma, vector, limit)
                except IndexBroken as error:
                    log.warning("The vector index failed while it was in use: %s", error)
                    self._forget()
            if self._exact is None or not self._exact.basis.fits(self._beginning()):
                self._exact = Follower(self._store, ExactIndex(), self._beginning())
            return self._ask(self._exact, vector, limit)

    def _ask(self, follower: Follower, vector: Vectors, limit: int) -> Hits:
        follower.catch_up()
        return follower.index.query(vector, limit)

    def tend(self) -> None:
        """Own Chroma if nobody else does, open it or make it anew, and let it catch up."""
        with self._tending:
            try:
                if self._own():
                    self._tend()
            except (IndexBroken, OSError, LibraryError) as error:
                # The folder has no manifest now, so the next time it is made anew; exact search answers until then.
                log.warning("The vector index cannot be used: %s", error)
                self._drop()

    def _tend(self) -> None:
        with self._searching:
            if self._chroma is not None and not self._chroma.basis.fits(self._beginning()):
                self._forget()
            if self._chroma is not None:
                self._chroma.catch_up()
                return
        # Searches go on meanwhile, by exact search.
        opened = self._open() or self._build()
        with self._searching:
            self._chroma = opened
            self._exact = None if opened else self._exact

    def hurry(self) -> None:
        """From now on an index that is being made has no more than `PATIENCE` to be finished."""
        self._until = time.monotonic() + PATIENCE

    def close(self) -> None:
        """Close Chroma, note what it then holds, and leave it to others."""
        with self._tending, self._searching:
            if self._chroma is not None:
                try:
                    self._chroma.catch_up()
                    self._chroma.index.close()
                    self._write_manifest(self._chroma.basis)
                except (IndexBroken, OSError, LibraryError) as error:
                    # Without a manifest it is made anew at the next start.
                    log.warning("The vector index could not be closed: %s", error)
                self._chroma = None
            self._owned.release()

    def _own(self) -> bool:
        if self._owned.is_locked:
            return True
        private_dir(self.folder.parent)
        try:
            self._owned.acquire(timeout=0)
        except filelock.Timeout:
            return False
        return True

    def _drop(self) -> None:
        with self._searching:
            self._forget()

    def _forget(self) -> None:
        if self._chroma is not None:
            # What cannot be closed is thrown away all the same.
            with contextlib.suppress(IndexBroken):
                self._chroma.index.close()
        self._chroma = None

    def _beginning(self) -> Basis:
        library, generation = self._store.identity()
        basis = Basis(library, generation, self._store.collection, self._fingerprint)
        basis.removal = self._store.last_removal()
        return basis

    def _open(self) -> Follower | None:
        """The index on disk, if it is what was left at the last close; a damaged one can crash the process."""
        basis = self._read_manifest()
        if basis is None or not basis.fits(self._beginning()):
            return None
        (self.folder / MANIFEST).unlink()
        follower = Follower(self._store, ChromaIndex(self.folder, self._store.collection), basis)
        follower.catch_up()
        return follower

    def _build(self) -> Follower | None:
        """Make the index in a new folder and put it in the old one's place; None when there is no time."""
        draft = self.folder.with_name(self.folder.name + ".new")
        shutil.rmtree(draft, ignore_errors=True)
        private_dir(draft)
        basis = self._beginning()
        index = ChromaIndex(draft, self._store.collection)
        complete = Follower(self._store, index, basis).catch_up(self._until)
        index.close()
        if not complete and time.monotonic() > self._until:
            return None
        shutil.rmtree(self.folder, ignore_errors=True)
        draft.rename(self.folder)
        return Follower(self._store, ChromaIndex(self.folder, self._store.collection), basis)

    def _write_manifest(self, basis: Basis) -> None:
        if self.folder.is_dir():
            text = json.dumps({"basis": asdict(basis), "files": digests(self.folder)})
            write_private(self.folder / MANIFEST, text)

    def _read_manifest(self) -> Basis | None:
        try:
            manifest = json.loads((self.folder / MANIFEST).read_text(encoding="utf-8"))
            basis, files = Basis(**manifest["basis"]), manifest["files"]
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return basis if files == digests(self.folder) else None


def digests(folder: Path) -> dict[str, str]:
    """SHA-256 of every file in a folder but the manifest, by its path in it."""
    found: dict[str, str] = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and path.name != MANIFEST):
        with path.open("rb") as file:
            found[str(path.relative_to(folder))] = hashlib.file_digest(file, "sha256").hexdigest()
    return found

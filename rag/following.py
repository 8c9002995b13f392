"""An index that follows the library: on disk in the process that owns it, in memory in all others and meanwhile."""

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from rag.feed import Feed, Removal
from rag.manifest import MANIFEST, Basis, clear, drafted, read_manifest, write_manifest
from utils.errors import LibraryError
from utils.paths import private_dir

log = logging.getLogger(__name__)

# Chunks that are read from SQLite and given to an index at once.
BLOCK = 500


class IndexBroken(Exception):
    """The index on disk cannot be used; it has to be made anew."""


class Numbered(Protocol):
    """What an index takes in: something of a chunk."""

    @property
    def id(self) -> int:
        """The chunk's."""
        ...


EntryT = TypeVar("EntryT", bound=Numbered)
Taken = TypeVar("Taken", bound=Numbered, contravariant=True)


class Index(Protocol[Taken]):
    """Knows chunks by their ids; its methods block, and are called by one thread at a time."""

    def add(self, entries: Sequence[Taken]) -> None:
        """Take in chunks."""
        ...

    def delete(self, removals: Sequence[Removal]) -> None:
        """Forget chunks; those it does not know are passed over."""
        ...

    def settle(self) -> None:
        """Make what was added and deleted seen by searches."""
        ...

    def ids(self) -> set[int]:
        """The chunks that it knows."""
        ...

    def close(self) -> None:
        """Let go of files."""
        ...


Answer = TypeVar("Answer")
IndexT = TypeVar("IndexT", bound=Index)  # type: ignore[type-arg]


@dataclass(frozen=True)
class Source(Generic[EntryT]):
    """Where the entries of an index come from."""

    feed: Feed
    fingerprint: str
    read: Callable[[int, int], tuple[Sequence[EntryT], bool]]
    """From the id of a chunk and a number of chunks: the entries after it, and whether one more is not ready yet."""

    def beginning(self) -> Basis:
        """The basis of an index that has nothing in it yet."""
        library, generation = self.feed.identity()
        return Basis(library, generation, self.feed.collection, self.fingerprint, removal=self.feed.last_removal())


class Follower(Generic[EntryT, IndexT]):
    """An index with how far it has followed the library."""

    def __init__(self, source: Source[EntryT], index: IndexT, basis: Basis) -> None:
        self.index = index
        self.basis = basis
        self.behind = False
        """It waits for a chunk that is not ready yet."""
        self._source = source

    def catch_up(self, until: float = float("inf")) -> bool:
        """Take over what was deleted and added since; whether it got through before that moment."""
        changed = False
        if removals := self._source.feed.removals(self.basis.removal):
            self.index.delete(removals)
            self.basis.removal = removals[-1].number
            changed = True
        while True:
            entries, self.behind = self._source.read(self.basis.chunk, BLOCK)
            if entries:
                self.index.add(entries)
                self.basis.chunk = entries[-1].id
                changed = True
            if self.behind or not entries or time.monotonic() > until:
                break
        if changed:
            self.index.settle()
        return not self.behind and not entries


class Kept(Generic[EntryT, IndexT]):
    """The index in its folder, once it is open there, else one in memory; safe to be used by several threads."""

    def __init__(
        self,
        source: Source[EntryT],
        folder: Path,
        on_disk: Callable[[Path], IndexT],
        in_memory: Callable[[], IndexT],
    ) -> None:
        self.folder = folder
        self._source = source
        self._on_disk = on_disk
        self._in_memory = in_memory
        self._disk: Follower[EntryT, IndexT] | None = None
        self._memory: Follower[EntryT, IndexT] | None = None
        self._tending = threading.Lock()
        self._searching = threading.RLock()

    @property
    def draft(self) -> Path:
        """Where it is made."""
        return drafted(self.folder)

    @property
    def on_disk(self) -> bool:
        """Whether the one in the folder is open."""
        return self._disk is not None

    @property
    def used(self) -> bool:
        """Whether anything was asked of it or is open."""
        return self._disk is not None or self._memory is not None

    @property
    def behind(self) -> bool:
        """Whether a chunk is not ready for it."""
        return any(follower.behind for follower in (self._disk, self._memory) if follower is not None)

    def ask(self, question: Callable[[IndexT], Answer]) -> tuple[Answer, bool]:
        """What the index says, with all in it that any process has added; and whether a chunk was not ready for it."""
        with self._searching:
            if self._disk is not None:
                try:
                    self._disk.catch_up()
                    return question(self._disk.index), self._disk.behind
                except IndexBroken as error:
                    log.warning("The index %s failed while it was in use: %s", self.folder, error)
                    self.drop()
            memory = self._in_memory_now()
            memory.catch_up()
            return question(memory.index), memory.behind

    def _in_memory_now(self) -> Follower[EntryT, IndexT]:
        beginning = self._source.beginning()
        if self._memory is None or not self._memory.basis.fits(beginning):
            self._memory = Follower(self._source, self._in_memory(), beginning)
        return self._memory

    def tend(self, until: Callable[[], float]) -> None:
        """Open the index in the folder or make it anew, and let it catch up; for the process that owns the folder."""
        with self._tending:
            try:
                self._tend(until)
            except (IndexBroken, OSError, LibraryError) as error:
                # Without a manifest it is made anew the next time; the one in memory answers until then.
                log.warning("The index %s cannot be used: %s", self.folder, error)
                self.drop()

    def _tend(self, until: Callable[[], float]) -> None:
        with self._searching:
            if self._disk is not None and not self._disk.basis.fits(self._source.beginning()):
                self.drop()
            if self._disk is not None:
                self._disk.catch_up()
                return
        # Searches go on meanwhile, by the one in memory.
        opened = self._open() or self._build(until)
        with self._searching:
            self._disk = opened
            self._memory = None if opened else self._memory

    def open(self) -> None:
        """Open the index in the folder where that takes no time; for the process that owns the folder."""
        with self._tending:
            if self._disk is None:
                with contextlib.suppress(IndexBroken, OSError):
                    self._disk = self._open()

    def drop(self) -> None:
        """Close the index in the folder and use it no more; it has no manifest, so it will be made anew."""
        with self._searching:
            if self._disk is not None:
                # What cannot be closed is thrown away all the same.
                with contextlib.suppress(IndexBroken):
                    self._disk.index.close()
            self._disk = None

    def sound(self) -> bool:
        """Whether the index in the folder is open, or is what was left at the last close and fits the library."""
        with self._tending:
            if self._disk is not None:
                return True
            basis = read_manifest(self.folder)
            return basis is not None and basis.fits(self._source.beginning())

    def clear_draft(self) -> bool:
        """Remove what is left of an index that was never finished; for the process that owns the folder."""
        with self._tending:
            left = self.draft.exists()
            clear(self.draft)
            return left

    def close(self) -> None:
        """Close the index in the folder and note what it then holds."""
        with self._tending, self._searching:
            if self._disk is not None:
                try:
                    self._disk.catch_up()
                    self._disk.index.close()
                    write_manifest(self.folder, self._disk.basis)
                except (IndexBroken, OSError, LibraryError) as error:
                    # Without a manifest it is made anew at the next start.
                    log.warning("The index %s could not be closed: %s", self.folder, error)
            self._disk = self._memory = None

    def _open(self) -> Follower[EntryT, IndexT] | None:
        """The index on disk, if it is what was left at the last close; a damaged one can crash the process."""
        basis = read_manifest(self.folder)
        if basis is None or not basis.fits(self._source.beginning()):
            return None
        (self.folder / MANIFEST).unlink()
        follower = Follower(self._source, self._on_disk(self.folder), basis)
        follower.catch_up()
        return follower

    def _build(self, until: Callable[[], float]) -> Follower[EntryT, IndexT] | None:
        """Make the index in a new folder and put it in the old one's place; None when there is no time."""
        log.log(
            logging.WARNING if self.folder.exists() else logging.INFO,
            "The index %s does not fit the library; it is made anew",
            self.folder,
        )
        clear(self.draft)
        private_dir(self.draft)
        basis = self._source.beginning()
        index = self._on_disk(self.draft)
        try:
            made = Follower(self._source, index, basis)
            while not (complete := made.catch_up(time.monotonic() + 1)) and not made.behind:
                if time.monotonic() > until():
                    break
        finally:
            index.close()
        if not complete and not made.behind:
            return None
        clear(self.folder)
        self.draft.rename(self.folder)
        return Follower(self._source, self._on_disk(self.folder), basis)

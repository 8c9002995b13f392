"""An index that follows the library, and one in memory that does so while it is asked."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from rag.indexes.chunk_feed import ChunkFeed
from rag.indexes.manifest import Basis
from rag.stored import Removal, damaged_library

# Chunks that are read from SQLite and given to an index at once.
CHUNKS_AT_ONCE = 500


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
class EntrySource(Generic[EntryT]):
    """Where the entries of an index come from."""

    feed: ChunkFeed
    fingerprint: str
    read: Callable[[int, int], tuple[Sequence[EntryT], bool]]
    """From the id of a chunk and a number of chunks: the entries after it, and whether one more is not ready yet."""

    def empty_basis(self) -> Basis:
        """The basis of an index that has nothing in it yet."""
        library, generation = self.feed.library_identity()
        return Basis(library, generation, self.feed.collection, self.fingerprint, removal=self.feed.last_removal())


class IndexSync(Generic[EntryT, IndexT]):
    """An index with how far it has followed the library."""

    def __init__(
        self, source: EntrySource[EntryT], index: IndexT, basis: Basis, before: Callable[[], None] = lambda: None
    ) -> None:
        """`before` is called before the index is changed."""
        self.index = index
        self.basis = basis
        self.behind = False
        """It waits for a chunk that is not ready yet."""
        self._source = source
        self._before = before
        self._reached: tuple[int, int] | None = None
        self._unsettled = False

    def catch_up(self, until: float = float("inf")) -> bool:
        """Take over what was deleted and added since; whether it got through before that moment."""
        position = self._source.feed.feed_position()
        if position == self._reached:
            return True
        if removals := self._source.feed.removals_after(self.basis.removal):
            self._note_changing()
            self.index.delete(removals)
            self.basis.removal = removals[-1].number
        while True:
            entries, self.behind = self._source.read(self.basis.chunk, CHUNKS_AT_ONCE)
            if entries:
                if entries[-1].id <= self.basis.chunk:
                    # Read on like this it would be read for ever.
                    raise damaged_library("its chunks are not in their order")
                self._note_changing()
                self.index.add(entries)
                self.basis.chunk = entries[-1].id
            if self.behind or not entries or time.monotonic() > until:
                break
        if self._unsettled:
            self.index.settle()
            self._unsettled = False
        complete = not self.behind and not entries
        self._reached = position if complete else None
        return complete

    def _note_changing(self) -> None:
        """From here on it has to be settled, even if what comes next fails and it is only done the next time."""
        self._before()
        self._unsettled = True


class InMemory(Generic[EntryT, IndexT]):
    """An index that is made when it is asked, and lasts no longer than the process; called by one thread at a time."""

    def __init__(self, source: EntrySource[EntryT], make: Callable[[], IndexT]) -> None:
        self._source = source
        self._make = make
        self._follower: IndexSync[EntryT, IndexT] | None = None

    @property
    def used(self) -> bool:
        """Whether anything was asked of it."""
        return self._follower is not None

    @property
    def behind(self) -> bool:
        """Whether a chunk is not ready for it."""
        return self._follower is not None and self._follower.behind

    def ask(self, question: Callable[[IndexT], Answer]) -> tuple[Answer, bool]:
        """What it says, with all in it that any process has added; and whether a chunk was not ready for it."""
        beginning = self._source.empty_basis()
        if self._follower is None or not self._follower.basis.fits(beginning):
            self._follower = IndexSync(self._source, self._make(), beginning)
        self._follower.catch_up()
        return question(self._follower.index), self._follower.behind

    def spare(self) -> None:
        """Forget it all: the one on disk answers."""
        self._follower = None

"""An index on disk, kept true by the process that owns it; something else answers meanwhile, and in all others."""

import contextlib
import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from rag.indexes.index_sync import Answer, EntrySource, EntryT, IndexBroken, IndexSync, IndexT
from rag.indexes.manifest import MANIFEST, Basis, clear_place, draft_folder, read_manifest, write_manifest
from utils.errors import LibraryError
from utils.paths import private_dir

log = logging.getLogger(__name__)

Asked = TypeVar("Asked", covariant=True)


class Fallback(Protocol[Asked]):
    """What answers in the place of an index that is not open."""

    @property
    def used(self) -> bool:
        """Whether anything was asked of it or is open."""
        ...

    @property
    def behind(self) -> bool:
        """Whether a chunk is not ready for it."""
        ...

    def ask(self, question: Callable[[Asked], Answer]) -> tuple[Answer, bool]:
        """What it says, with all in it that any process has added; and whether a chunk was not ready for it."""
        ...

    def spare(self) -> None:
        """Forget what is only needed as long as the index is not open."""
        ...


class PersistentIndex(Generic[EntryT, IndexT]):
    """The index in its folder, once it is open there, else its substitute; safe to be used by several threads.

    One that is `still` leaves its files as they are until it is changed: a process that only searched then need not
    note at its end what it left, and leaves a sound index even where it is killed.
    """

    def __init__(
        self,
        source: EntrySource[EntryT],
        folder: Path,
        on_disk: Callable[[Path], IndexT],
        substitute: Fallback[IndexT],
        still: bool = False,
    ) -> None:
        self.folder = folder
        self._source = source
        self._on_disk = on_disk
        self._substitute = substitute
        self._still = still
        self._disk: IndexSync[EntryT, IndexT] | None = None
        self._closed = False
        self._tending = threading.Lock()
        self._searching = threading.RLock()

    @property
    def draft_folder(self) -> Path:
        """Where it is made."""
        return draft_folder(self.folder)

    @property
    def on_disk(self) -> bool:
        """Whether the one in the folder is open."""
        return self._disk is not None

    @property
    def used(self) -> bool:
        """Whether anything was asked of it or is open."""
        return self._disk is not None or self._substitute.used

    @property
    def behind(self) -> bool:
        """Whether a chunk is not ready for it."""
        return self._substitute.behind if self._disk is None else self._disk.behind

    @property
    def reached(self) -> int:
        """The chunk up to which the one in the folder has all: those behind it may not be ready. 0 without one."""
        return 0 if self._disk is None else self._disk.basis.chunk

    def ask(self, question: Callable[[IndexT], Answer]) -> tuple[Answer, bool]:
        """What the index says, with all in it that any process has added; and whether a chunk was not ready for it."""
        with self._searching:
            if self._disk is not None and not self._disk.basis.fits(self._source.empty_basis()):
                # Another process had all made anew: the vectors of a model that is gone can no longer be compared.
                self.drop()
            if self._disk is not None:
                try:
                    self._disk.catch_up()
                    return question(self._disk.index), self._disk.behind
                except IndexBroken as error:
                    log.warning("The index %s failed while it was in use: %s", self.folder, error)
                    self.drop()
            return self._substitute.ask(question)

    def spare(self) -> None:
        """Forget nothing: what is on disk takes no memory that others could need."""

    def tend(self, until: Callable[[], float]) -> None:
        """Open the index in the folder or make it anew, and let it catch up; for the process that owns the folder."""
        with self._tending:
            if self._closed:
                # A thread that is late must not open what somebody else may own by now.
                return
            try:
                self._open_or_build(until)
            except (IndexBroken, OSError, LibraryError) as error:
                # Without a manifest it is made anew the next time; the substitute answers until then.
                log.warning("The index %s cannot be used: %s", self.folder, error)
                self.drop()

    def _open_or_build(self, until: Callable[[], float]) -> None:
        with self._searching:
            if self._disk is not None and not self._disk.basis.fits(self._source.empty_basis()):
                self.drop()
            if self._disk is not None:
                self._disk.catch_up()
                return
        # Searches go on meanwhile, by the substitute.
        opened = self._open_on_disk() or self._build_draft(until)
        with self._searching:
            self._disk = opened
            if opened:
                self._substitute.spare()

    def open(self) -> None:
        """Open the index in the folder where that takes no time; for the process that owns the folder."""
        if not self._tending.acquire(blocking=False):
            # It is being opened or made by another thread, which can take long.
            return
        try:
            if self._disk is None and not self._closed:
                with contextlib.suppress(IndexBroken, OSError):
                    self._disk = self._open_on_disk()
        finally:
            self._tending.release()

    def drop(self) -> None:
        """Close the index in the folder and use it no more; without its manifest it will be made anew."""
        with self._searching:
            with contextlib.suppress(IndexBroken):
                self._remove_manifest()
            if self._disk is not None:
                # What cannot be closed is thrown away all the same.
                with contextlib.suppress(IndexBroken):
                    self._disk.index.close()
            self._disk = None

    def is_sound(self) -> bool:
        """Whether the index in the folder is open, or is what was left at the last close and of this library.

        That of another model is sound, too: it is made anew for this one as soon as it is looked after.
        """
        with self._tending:
            if self._disk is not None:
                return True
            basis = read_manifest(self.folder)
            return basis is not None and basis.is_as_new_as(self._source.empty_basis())

    def clear_draft(self) -> bool:
        """Remove what is left of an index that was never finished; for the process that owns the folder."""
        with self._tending:
            left = self.draft_folder.exists()
            clear_place(self.draft_folder)
            return left

    def close(self) -> None:
        """Close the index in the folder for good, and note what it then holds."""
        with self._tending, self._searching:
            self._closed = True
            if self._disk is not None:
                try:
                    self._disk.catch_up()
                    self._disk.index.close()
                    if not (self.folder / MANIFEST).exists():
                        write_manifest(self.folder, self._disk.basis)
                except (IndexBroken, OSError, LibraryError) as error:
                    # Without a manifest it is made anew at the next start.
                    log.warning("The index %s could not be closed: %s", self.folder, error)
            self._disk = None
            self._substitute.spare()

    def _open_on_disk(self) -> IndexSync[EntryT, IndexT] | None:
        """The index on disk, if it is what was left at the last close; a damaged one can crash the process."""
        basis = read_manifest(self.folder)
        if basis is None or not basis.fits(self._source.empty_basis()):
            return None
        if not self._still:
            self._remove_manifest()
        follower = self._make_sync(basis)
        try:
            follower.catch_up()
        except BaseException:
            with contextlib.suppress(IndexBroken):
                follower.index.close()
            raise
        return follower

    def _make_sync(self, basis: Basis) -> IndexSync[EntryT, IndexT]:
        return IndexSync(self._source, self._on_disk(self.folder), basis, self._remove_manifest)

    def _remove_manifest(self) -> None:
        """Remove the manifest: the folder is not any more what that says."""
        try:
            (self.folder / MANIFEST).unlink(missing_ok=True)
        except OSError as error:
            raise IndexBroken(str(error)) from error

    def _build_draft(self, until: Callable[[], float]) -> IndexSync[EntryT, IndexT] | None:
        """Make the index in a new folder and put it in the old one's place; None when there is no time."""
        log.log(
            logging.WARNING if self.folder.exists() else logging.INFO,
            "The index %s does not fit the library; it is made anew",
            self.folder,
        )
        clear_place(self.draft_folder)
        private_dir(self.draft_folder)
        basis = self._source.empty_basis()
        index = self._on_disk(self.draft_folder)
        try:
            made = IndexSync(self._source, index, basis)
            while not (complete := made.catch_up(time.monotonic() + 1)) and not made.behind:
                if time.monotonic() > until():
                    break
        finally:
            index.close()
        if not complete and not made.behind:
            return None
        clear_place(self.folder)
        self.draft_folder.rename(self.folder)
        return self._make_sync(basis)

"""Where in a folder something may have changed: by what the system tells or, where it does not, again and again."""

import asyncio
import time
from collections.abc import Callable, Iterable
from contextlib import suppress

from watchfiles import Change

from rag.watching.notifier import CannotWatch, ChangeNotifier
from rag.watching.quiet import QUIET
from rag.watching.scan import FolderScan, ScanScope, split_path

FLOOD = 2000
"""Places that changed at once, after which all are looked at: the system keeps some 16,000 changes, and drops more."""
# Seconds between two looks at everything: where the system tells of changes, and where it does not.
SELDOM, OFTEN = 300.0, 1.0
# Looks at everything take this part of the time at most.
LOOKING_PART = 20
# Seconds between two looks whether a folder is there again, and between two at the clock, which tells of sleep.
ABSENCE, NAP = 1.0, 20.0
# Names that decide what else in their folder is read.
_DECIDING = frozenset({".gitignore", ".git", "corpus.jsonl", "queries.jsonl"})


class FolderNotices:
    """What is to be looked at of one folder; `tell` shows the user a sentence, and whether it is a warning."""

    def __init__(self, root: str, tell: Callable[[str, bool], None]) -> None:
        self.polls = False
        """Whether it is looked at again and again, as the system tells of no changes."""
        self.listed: set[str] = set()
        """Folders whose own files are to be looked at."""
        self._root = root
        self._tell = tell
        self._whole: set[str] = set()
        self._everything = self._renew = True
        self._changed = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._notifier: ChangeNotifier | None = None
        self._watched: set[str] = set()
        self._looking = 0.0
        self._looked, self._look_took, self._tried = 0.0, 0.0, 0.0
        self._behind_wall = time.time() - time.monotonic()

    def begin_anew(self) -> None:
        """Look at everything, and have the system tell of changes in what is there now."""
        self._everything = self._renew = True

    def take_scope(self, restless: Iterable[str]) -> ScanScope | None:
        """What is to be looked at now, the files among it that are `restless`; None where nothing is."""
        self._note_time()
        listed = self.listed | {split_path(path)[0] for path in restless}
        if not (listed or self._whole or self._everything):
            return None
        scope = ScanScope(self._root, frozenset(listed), frozenset(self._whole), self._everything)
        self.listed, self._whole, self._everything = set(), set(), False
        self._looking = time.monotonic()
        return scope

    async def watch(self, scope: ScanScope, scan: FolderScan) -> bool:
        """Have the system tell of changes in the folders that were found; whether to look again, as it told of none."""
        if scope.everything:
            self._looked = time.monotonic()
            self._look_took = self._looked - self._looking
        folders = {path for path in self._watched if not scope.has_folder(path)} | scan.folders
        unwatched = folders - self._watched
        if not (self._renew or unwatched) or (self.polls and time.monotonic() - self._tried < SELDOM):
            self._watched &= folders
            return False
        self._renew, self._tried = False, time.monotonic()
        try:
            notifier = await self._make_notifier(folders)
        except FileNotFoundError:
            self.begin_anew()
            return True
        except CannotWatch as error:
            await self._begin_polling(error)
            return False
        old, self._notifier, self._watched = self._notifier, notifier, folders
        if old is not None:
            await asyncio.to_thread(old.close)
        if self.polls:
            self.polls = False
            self._tell(f"The system tells of changes in {self._root} again.", False)
        self._everything |= scope.everything
        self._whole |= unwatched
        return True

    async def wait(self, *, is_there: bool, unrest: bool) -> None:
        """Wait until something is to be looked at; `unrest`: some files are, as soon as they may be quiet."""
        pause = NAP if is_there else ABSENCE
        if self.polls:
            pause = max(OFTEN, LOOKING_PART * self._look_took)
        try:
            async with asyncio.timeout(min(pause, QUIET) if unrest else pause):
                await self._changed.wait()
                self._changed.clear()
        except TimeoutError:
            pass

    async def drop(self) -> None:
        """Let the system tell of no more changes."""
        if self._notifier is not None:
            await asyncio.to_thread(self._notifier.close)
        self._notifier, self._watched = None, set()

    async def _make_notifier(self, folders: set[str]) -> ChangeNotifier:
        making = asyncio.ensure_future(asyncio.to_thread(ChangeNotifier, folders, self._hear))
        try:
            return await asyncio.shield(making)
        except asyncio.CancelledError:
            # A thread cannot be cancelled: what it makes is let go of once it is there.
            making.add_done_callback(_let_go)
            raise

    async def _begin_polling(self, error: CannotWatch) -> None:
        if not self.polls:
            self._tell(f"{self._root} is looked through again and again, as {error}.", True)
        self.polls = True
        await self.drop()

    def _note_time(self) -> None:
        """Look at everything when it is time, and when the machine slept: others may have changed what is on a disk."""
        behind = time.time() - time.monotonic()
        pause = max(OFTEN if self.polls else SELDOM, LOOKING_PART * self._look_took)
        if abs(behind - self._behind_wall) > NAP or time.monotonic() - self._looked > pause:
            self.begin_anew()
        self._behind_wall = behind

    def _hear(self, changes: set[tuple[Change, str]] | None) -> None:
        """From the notifier's thread."""
        # Once the loop is closed nobody wants to hear.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._take_in, changes)

    def _take_in(self, changes: set[tuple[Change, str]] | None) -> None:
        for change, path in changes or ():
            folder, name = split_path(path)
            if name.startswith(".") and name not in _DECIDING and path not in self._watched:
                continue
            self.listed.add(folder)
            self._whole.add(folder if name in _DECIDING else path)
            if change != Change.modified and path in self._watched:
                # Others may be there under these names, of which the system tells nothing.
                within = f"{path.rstrip('/')}/"
                self._watched = {one for one in self._watched if one != path and not one.startswith(within)}
        if changes is None or len(self._whole) > FLOOD:
            self.begin_anew()
        self._changed.set()


def _let_go(making: asyncio.Future[ChangeNotifier]) -> None:
    if not making.cancelled() and making.exception() is None:
        making.result().stop()

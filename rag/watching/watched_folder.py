"""A folder that is followed: which of its files are to be read, and which are gone."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rag.embedding.base import whole
from rag.watching.failed_files import FailedFiles
from rag.watching.file_documents import FileDocuments
from rag.watching.known_files import KnownFiles, WatchKey
from rag.watching.notices import FolderNotices
from rag.watching.quiet import QuietFiles
from rag.watching.scan import (
    FileSignature,
    FolderIdentity,
    FolderScan,
    ScanScope,
    identify_folder,
    is_gone,
    scan_folder,
    split_path,
)
from utils.errors import LibraryError

FILES_AT_ONCE = 200
"""Files that are handed out together: what changes meanwhile is seen when they are read."""


@dataclass(frozen=True)
class FolderChanges:
    """What is to be done so that the library follows."""

    read: Mapping[str, FileSignature] = field(default_factory=dict)
    new: frozenset[str] = frozenset()
    """Those to be read that were not known."""
    gone: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    """Gone as well, and there under another name: once that one is read, nothing has to be embedded again."""


class WatchedFolder:
    """One folder; `tell` shows the user what concerns it, and whether that is a warning."""

    def __init__(self, folder: Path, documents: FileDocuments, tell: Callable[[str, bool], None]) -> None:
        self.folder = folder
        self.is_there = True
        self._root = str(folder)
        self._documents = documents
        self._tell = tell
        self._known: dict[str, FileSignature] = {}
        self._failed = FailedFiles()
        self._elsewhere: set[str] = set()
        """Files in the folder that others put into the library, and that were not known here when it was opened."""
        self._record: KnownFiles | None = None
        self._identity: FolderIdentity | None = None
        self._quiet = QuietFiles()
        self._notices = FolderNotices(str(folder), tell)

    @property
    def collection(self) -> str:
        """The one that its files go into."""
        return self._documents.collection

    @property
    def polls(self) -> bool:
        """Whether it is looked at again and again, as the system tells of no changes."""
        return self._notices.polls

    @property
    def files(self) -> int:
        """How many of its files are in the library."""
        return len(self._known)

    @property
    def unreadable(self) -> int:
        """How many cannot be read as they are."""
        return len(self._failed)

    async def learn_known(self) -> None:
        """Learn what the library has of it; raises `LibraryError`."""
        within = await self._documents.paths_within(self._root)
        key = WatchKey(await self._documents.library_name(), self._documents.collection, self._root)
        self._record = KnownFiles(self._documents.folder, key)
        try:
            known, self._identity = await asyncio.to_thread(self._record.load)
        except LibraryError as error:
            self._doubt_record(error)
            known = {}
        self._known = {path: one for path, one in known.items() if whole(path) in within}
        self._elsewhere = within - {whole(path) for path in self._known}

    @property
    def is_known(self) -> bool:
        """Whether the library has anything of it."""
        return bool(self._known or self._elsewhere)

    async def next_changes(self) -> FolderChanges:
        """What is to be done next; waits until there is something. Raises `LibraryError`."""
        while True:
            if await self._look():
                changes = await asyncio.to_thread(self._take_quiet)
                if changes.read or changes.gone or changes.moved:
                    return changes
            await self._notices.wait(is_there=self.is_there, unrest=bool(self._quiet.paths))

    async def settle(self, changes: FolderChanges, failed: Iterable[str]) -> list[str]:
        """What was handed out is done, but for files that could not be read; those of them of which that is news."""
        failures = {path: changes.read[path] for path in failed if path in changes.read}
        vanished = {path for path in failures if await asyncio.to_thread(is_gone, path)}
        if emptied := [path for path, one in failures.items() if not one.size and path not in vanished]:
            # What stood in it is not what stands in it, however little that is.
            await self._documents.remove_files(emptied)
            self._known = {path: one for path, one in self._known.items() if path not in emptied}
        self.look_again(vanished)
        read = {path: one for path, one in changes.read.items() if path not in failures}
        gone = [*changes.gone, *changes.moved]
        for path in (*changes.read, *gone):
            self._quiet.forget(path)
        for path in (*read, *gone, *vanished):
            self._failed.forget(path)
        news = self._failed.note({path: one for path, one in failures.items() if path not in vanished})
        self._known |= read
        self._elsewhere -= {whole(path) for path in (*read, *gone)}
        for path in gone:
            self._known.pop(path, None)
        # A file that cannot be read now is tried again at the next start.
        await self._note(read, [*gone, *failures])
        return news

    def look_again(self, paths: Iterable[str]) -> None:
        """Have files looked at again that were handed out, and for which nothing could be done."""
        self._notices.listed.update(split_path(path)[0] for path in paths)

    async def close(self) -> None:
        """Let go of the folder."""
        await self._notices.drop()
        if self._record is not None:
            await asyncio.to_thread(self._record.close)

    async def _note(self, read: Mapping[str, FileSignature], gone: list[str]) -> None:
        if self._record is None:
            return
        try:
            await asyncio.to_thread(self._record.note, read, gone)
        except LibraryError as error:
            self._doubt_record(error)

    def _doubt_record(self, error: LibraryError) -> None:
        """Go on without the record: the library is right, only the next start takes longer."""
        self._record = None
        self._tell(f"{error.problem} Until it can be written, each start reads all files of {self.folder} again.", True)

    async def _look(self) -> bool:
        """Look at what may have changed; whether the folder is there."""
        if not await self._find_root():
            return False
        while scope := self._notices.take_scope(self._quiet.paths):
            scan = await asyncio.to_thread(scan_folder, scope)
            await asyncio.to_thread(self._compare, scope, scan)
            if not await self._notices.watch(scope, scan):
                break
        return True

    async def _find_root(self) -> bool:
        """Whether the folder is there. An empty one in the place of another is a disk that is not mounted."""
        identity, empty = await asyncio.to_thread(identify_folder, self._root)
        there = identity is not None and (identity == self._identity or not empty or not self.is_known)
        if not there:
            await self._lose_root(exists=identity is not None)
        elif identity is not None and (not self.is_there or identity != self._identity):
            await self._regain_root(identity)
        return there

    async def _lose_root(self, *, exists: bool) -> None:
        if self.is_there:
            why = "is empty, as a disk is that is not mounted" if exists else "is not there"
            self._tell(f"{self.folder} {why}; what the library has of it stays. Waiting until it is back.", True)
        self.is_there = False
        self._quiet.clear()
        await self._notices.drop()

    async def _regain_root(self, identity: FolderIdentity) -> None:
        if not self.is_there:
            self._tell(f"{self.folder} is there again.", False)
        self.is_there = True
        self._notices.begin_anew()
        self._identity = identity
        if self._record is not None:
            try:
                await asyncio.to_thread(self._record.note_folder, identity)
            except LibraryError as error:
                self._doubt_record(error)

    def _compare(self, scope: ScanScope, scan: FolderScan) -> None:
        """Note what is not as it was known."""
        for path, signature in scan.files.items():
            if signature == self._known.get(path) or self._failed.is_left(path, signature):
                self._quiet.forget(path)
            else:
                self._quiet.see(path, signature)
        found = {whole(path) for path in scan.files}
        for path in [*self._known, *self._failed, *self._elsewhere, *self._quiet.paths]:
            if path not in scan.files and whole(path) not in found and scope.has_file(path):
                self._miss(path, scan)

    def _miss(self, path: str, scan: FolderScan) -> None:
        """A file is not among those of the folder: it is gone, or left out from now on."""
        if path in self._known and not scan.is_closed(path):
            self._quiet.see(path, None)
        elif path in self._elsewhere and not self._documents.shared and is_gone(path):
            # One that is there was put into the library by its own name, though the folder leaves it out; one that is
            # gone here may be on the machine that put it there, where others do so.
            self._quiet.see(path, None)
        else:
            self._failed.forget(path)
            self._quiet.forget(path)

    def _take_quiet(self) -> FolderChanges:
        quiet = self._quiet.quiet_ones()
        gone = [path for path, signature in quiet.items() if signature is None]
        read = {path: one for path, one in quiet.items() if one is not None}
        moved = self._find_moved(gone, read)
        chosen = dict(sorted(read.items(), key=lambda one: one[0] not in self._known)[:FILES_AT_ONCE])
        if len(read) <= FILES_AT_ONCE:
            return FolderChanges(chosen, frozenset(chosen.keys() - self._known.keys()), (), tuple(gone))
        # Those that moved wait until all others are read, as theirs may be among the last.
        rest = tuple(path for path in gone if path not in moved)
        return FolderChanges(chosen, frozenset(chosen.keys() - self._known.keys()), rest)

    def _find_moved(self, gone: Iterable[str], read: Mapping[str, FileSignature]) -> set[str]:
        contents = {signature.content for signature in read.values()}
        return {path for path in gone if path in self._known and self._known[path].content in contents}

"""The library follows folders: what changes in them goes in by the same way as `rag ingest`, what is gone goes out."""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

from chatbot.conversation.events import Notice, Progress
from chatbot.library.ingest import Ingest
from chatbot.library.progress import counted
from rag.folders import absolute_path
from rag.library import Library
from rag.watching.watched_folder import FolderChanges, WatchedFolder
from tools.web.fetch import Fetcher
from utils.errors import ConfigError, LibraryError, MagpieError
from utils.faults import in_background
from utils.text import one_line

TOLD_PROGRESS = 10
"""Files that are read together, of which it is told how far they are."""
FAILURES_TOLD = 3
"""Files that cannot be read and are named in one sentence."""
# Seconds until the library is tried again that cannot be written to: the first time, and at most.
TROUBLE_PAUSE, LONGEST_TROUBLE_PAUSE = 2.0, 60.0


@dataclass(frozen=True)
class Followed:
    """What was done so that the library follows a folder; paths of files."""

    folder: Path
    new: Sequence[str]
    changed: Sequence[str]
    removed: Sequence[str]
    failures: Sequence[tuple[str, str]]
    """What could not be read, and why."""
    seconds: float

    def __str__(self) -> str:
        """In numbers: `2 new, 1 removed`."""
        parts = {"new": self.new, "changed": self.changed, "removed": self.removed, "not readable": self.failures}
        return ", ".join(f"{len(files):,} {what}" for what, files in parts.items() if files)

    @property
    def trouble(self) -> str:
        """What could not be read, in a sentence; empty where all could."""
        reasons = " ".join(one_line(reason, 200) for _, reason in self.failures[:FAILURES_TOLD])
        more = f" And {counted(len(self.failures) - FAILURES_TOLD, 'other')}."
        told = f"{reasons}{more if len(self.failures) > FAILURES_TOLD else ''}"
        return f"{told} What cannot be read is tried again later, and when it changes." if told else ""


class LibraryWatch:
    """Follows any number of folders until it is closed; `show` is told what happens."""

    def __init__(
        self,
        library: Library | None,
        fetcher: Fetcher,
        show: Callable[[Followed | Notice | Progress], None],
    ) -> None:
        self._library = library
        self._fetcher = fetcher
        self._show = show
        self._folders: dict[WatchedFolder, asyncio.Task[None]] = {}
        self._turn = asyncio.Lock()

    @property
    def folders(self) -> list[WatchedFolder]:
        """The folders that are followed."""
        return list(self._folders)

    async def begin(self, name: str, collection: str = "") -> WatchedFolder:
        """Follow a folder from now on, in the background, by a collection; raises `ConfigError` and `LibraryError`."""
        library, path = self._require_writable(), await asyncio.to_thread(absolute_path, Path(name))
        documents = library.files(collection)
        if any((one.folder, one.collection) == (path, documents.collection) for one in self._folders):
            raise ConfigError(f"{path} is watched already.", "Name another folder.")
        folder = WatchedFolder(path, documents, self._tell)
        await folder.learn_known()
        if not await asyncio.to_thread(path.is_dir) and (path.exists() or not folder.is_known):
            await folder.close()
            raise ConfigError(f"{path} is no folder.", "Name a folder; the files in it are watched.")

        def told(error: MagpieError) -> None:
            self._tell(f"{path} is no longer watched: {error}", True)

        self._folders[folder] = in_background(self._follow(folder, library), f"Watching {path}", told)
        return folder

    async def wait_ended(self) -> None:
        """Wait until no folder is followed any more: that ends only by what nobody foresaw."""
        if self._folders:
            await asyncio.wait(self._folders.values())

    async def close(self) -> int:
        """Follow no folder any more; how many there were. What is under way is begun again by the next start."""
        folders, self._folders = self._folders, {}
        for task in folders.values():
            task.cancel()
        if folders:
            await asyncio.wait(folders.values())
        for folder in folders:
            await folder.close()
        return len(folders)

    def _require_writable(self) -> Library:
        if self._library is None:
            raise ConfigError("The library is switched off.", "Set rag.enabled to true and start again.")
        if self._library.read_only:
            raise LibraryError("No folder can be watched: this run is private, or the library only read.")
        return self._library

    def _tell(self, said: str, warning: bool) -> None:
        self._show(Notice(said, "warning" if warning else "info"))

    async def _follow(self, folder: WatchedFolder, library: Library) -> None:
        pause = 0.0
        while True:
            try:
                changes = await folder.next_changes()
                async with self._turn:
                    await self._carry_out(folder, changes, library)
                pause = 0.0
            except LibraryError as error:
                if not pause:
                    self._tell(f"{folder.folder} cannot be followed now, and is tried again: {error}", True)
                pause = min(max(TROUBLE_PAUSE, 2 * pause), LONGEST_TROUBLE_PAUSE)
                await asyncio.sleep(pause)

    async def _carry_out(self, folder: WatchedFolder, changes: FolderChanges, library: Library) -> None:
        began, documents = time.monotonic(), library.files(folder.collection)
        await documents.remove_files(changes.gone)
        ingest = Ingest(library, self._fetcher, folder.collection)
        label = f"Reading {folder.folder.name}"
        try:
            async with aclosing(ingest.run(list(changes.read))) as steps:
                async for step in steps:
                    if isinstance(step, Progress) and len(changes.read) >= TOLD_PROGRESS and step.done < step.total:
                        self._show(Progress(label, step.done, step.total))
        finally:
            if len(changes.read) >= TOLD_PROGRESS:
                self._show(Progress(label, len(changes.read), len(changes.read)))
        await documents.remove_files(changes.moved)
        failures = dict(ingest.summary.failures)
        failed = await folder.settle(changes, failures)
        followed = Followed(
            folder.folder,
            sorted(changes.new - failures.keys()),
            sorted(changes.read.keys() - changes.new - failures.keys()),
            sorted([*changes.gone, *changes.moved]),
            [(path, failures[path]) for path in failed],
            time.monotonic() - began,
        )
        # Of what could not be read once more there is nothing to tell.
        if str(followed):
            self._show(followed)
        if advice := await ingest.language_advice():
            self._tell(advice, True)


def quietly(show: Callable[[Notice | Progress], None]) -> Callable[[Followed | Notice | Progress], None]:
    """For a chat, which what changes would disturb: of it only what could not be read is shown."""

    def show_trouble(news: Followed | Notice | Progress) -> None:
        if not isinstance(news, Followed):
            show(news)
        elif trouble := news.trouble:
            show(Notice(trouble, "warning"))

    return show_trouble

"""One look at a folder, or at a part of it: which files it has, and what tells that each is as it was."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from rag.folders import walk_folder


class FileSignature(NamedTuple):
    """What the system says of a file: whoever writes to it, moves it or lets it be read changes one of these."""

    modified: int
    """In nanoseconds, as `changed`, which no program can set."""
    changed: int
    size: int
    inode: int

    @property
    def youngest(self) -> float:
        """When it was last touched, in seconds."""
        return max(self.modified, self.changed) / 1e9

    @property
    def content(self) -> tuple[int, int, int]:
        """What stays the same where the file gets another name."""
        return self.modified, self.size, self.inode


UNKNOWN = FileSignature(0, 0, 0, 0)
"""Of a file of which the system says nothing: reading it says why."""


def split_path(path: str) -> tuple[str, str]:
    """The folder that an absolute path is in, and its name there; by far quicker than a `Path`."""
    folder, _, name = path.rpartition(os.sep)
    return folder or os.sep, name


def sign_file(path: str) -> FileSignature:
    """The signature of a file, or of the one that a link leads to."""
    for ask in (os.stat, os.lstat):
        try:
            state = ask(path)
        except (OSError, ValueError):
            continue
        return FileSignature(state.st_mtime_ns, state.st_ctime_ns, state.st_size, state.st_ino)
    return UNKNOWN


def is_gone(path: str) -> bool:
    """Whether there is nothing of that name any more; not what can only not be looked at."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):
        pass
    return False


@dataclass(frozen=True)
class ScanScope:
    """What of a folder is looked at."""

    root: str
    listed: frozenset[str] = frozenset()
    """Folders whose own files are; with those above them."""
    whole: frozenset[str] = frozenset()
    """Paths of which everything is."""
    everything: bool = False
    _above: set[str] = field(default_factory=set)
    _below: dict[str, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for path in self.listed | self.whole:
            while path not in self._above and path.startswith(self.root):
                self._above.add(path)
                path, _ = split_path(path)
        self._below[split_path(self.root)[0]] = self.everything

    def enters(self, folder: Path) -> bool:
        """Whether a folder is looked into."""
        return str(folder) in self._above or self._is_whole(str(folder))

    def has_file(self, path: str) -> bool:
        """Whether a file would have been found if it were there."""
        folder, _ = split_path(path)
        return folder in self.listed or self._is_whole(folder)

    def has_folder(self, path: str) -> bool:
        """Whether a folder, that is not merely on the way, would have been found if it were there."""
        return self._is_whole(path)

    def _is_whole(self, folder: str) -> bool:
        if folder not in self._below:
            above, _ = split_path(folder)
            self._below[folder] = folder in self.whole or (above != folder and self._is_whole(above))
        return self._below[folder]


@dataclass
class FolderScan:
    """What was found."""

    files: dict[str, FileSignature] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)
    """Those that were looked into."""
    closed: list[str] = field(default_factory=list)
    """Folders that cannot be looked into; each is among the files, too, as reading it says why."""

    def is_closed(self, path: str) -> bool:
        """Whether it is in a folder that cannot be looked into."""
        return any(path.startswith(f"{folder}{os.sep}") for folder in self.closed)


def scan_folder(scope: ScanScope) -> FolderScan:
    """Look at what the scope says, as `find_files` would. Blocks."""
    found = FolderScan()
    for one in walk_folder(Path(scope.root), scope.enters):
        if one.files is None:
            found.closed.append(str(one.folder))
            found.files[str(one.folder)] = sign_file(str(one.folder))
            continue
        found.folders.add(str(one.folder))
        for file in one.files:
            found.files[str(file)] = sign_file(str(file))
    return found


@dataclass(frozen=True)
class FolderIdentity:
    """Which folder it is that has a name: another disk, or none, can be there under the same."""

    device: int
    inode: int


def identify_folder(path: str) -> tuple[FolderIdentity | None, bool]:
    """The identity of a folder, None where there is none; and whether it is empty."""
    try:
        state = Path(path).stat()
        with os.scandir(path) as entries:
            return FolderIdentity(state.st_dev, state.st_ino), not _has_any(entries)
    except PermissionError:
        return FolderIdentity(state.st_dev, state.st_ino), False
    except OSError:
        return None, True


def _has_any(entries: Iterator[os.DirEntry[str]]) -> bool:
    return next(entries, None) is not None

"""The files that a folder or a pattern names, without those that Git would ignore."""

import contextlib
import logging
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from utils.errors import FileMissing, FileUnreadable
from utils.files import expand_home, read_text

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

log = logging.getLogger(__name__)

_MAGIC = "*?["
_CORPUS = "corpus.jsonl"
_QUERIES = "queries.jsonl"


def find_files(*paths: Path) -> list[Path]:
    """All files below folders, each folder's own before those of its folders, and of patterns such as `notes/**/*.md`.

    Left out are hidden files, what a .gitignore of the folder, of one in it or of its repository excludes, and
    everything of a BEIR folder but its corpus. A file that is named is itself, whatever its name. Links to folders are
    not followed: they can lead in circles. What cannot be looked into, be it a link that leads to itself, is in the
    result itself: reading it says why. Blocks.
    """
    return list(dict.fromkeys(file for path in paths for file in iterate_files(path)))


def absolute_path(path: Path) -> Path:
    """The path under which the library knows a file: absolute, `~` and `..` resolved, links left as they are."""
    return Path(os.path.normpath(expand_home(path).absolute()))


def is_beir(path: Path) -> bool:
    """Whether a file is the corpus of a collection in the form of the BEIR benchmark: queries stand beside it."""
    return path.name == _CORPUS and path.with_name(_QUERIES).is_file()


@dataclass(frozen=True)
class _Rules:
    """The .gitignore of a folder, and those of the folders around it."""

    folder: Path
    spec: "GitIgnoreSpec"
    outer: "_Rules | None"

    def is_excluded(self, path: Path, is_folder: bool) -> bool:
        """The last pattern that fits decides, the nearest .gitignore first."""
        inside = path.relative_to(self.folder).as_posix() + ("/" if is_folder else "")
        verdict = self.spec.check_file(inside).include
        if verdict is None:
            return self.outer is not None and self.outer.is_excluded(path, is_folder)
        return verdict


def iterate_files(path: Path) -> Iterator[Path]:
    """The files that `find_files` has of one path, one by one: whoever has enough looks no further. Blocks."""
    path = absolute_path(path)
    if _is_folder(path):
        yield from _files_of(walk_folder(path))
    elif any(sign in str(path) for sign in _MAGIC) and not os.path.lexists(path):
        yield from _match_pattern(path)
    else:
        yield path


@dataclass(frozen=True)
class LookedInto:
    """A folder, and its own files that are taken; None where it cannot be looked into."""

    folder: Path
    files: Sequence[Path] | None


def walk_folder(root: Path, enters: Callable[[Path], bool] = lambda _: True) -> Iterator[LookedInto]:
    """The folders that `find_files` looks into for one, itself first, without those that `enters` rejects. Blocks."""
    return _walk_folder(root, _rules_around(root), enters)


def _files_of(walk: Iterator[LookedInto]) -> Iterator[Path]:
    for one in walk:
        yield from [one.folder] if one.files is None else one.files


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def _match_pattern(pattern: Path) -> Iterator[Path]:
    """The files that a pattern names, or that are in a folder that it names."""
    parts = pattern.parts
    fixed = next(number for number, part in enumerate(parts) if any(sign in part for sign in _MAGIC))
    root = Path(*parts[:fixed])
    if root.is_dir():
        spec = _make_spec(["/" + "/".join(parts[fixed:])])
        for file in _files_of(walk_folder(root)):
            if spec.match_file(file.relative_to(root).as_posix()):
                yield file


def _walk_folder(root: Path, around: _Rules | None, enters: Callable[[Path], bool]) -> Iterator[LookedInto]:
    waiting = [(root, around)]
    while waiting:
        folder, outer = waiting.pop()
        try:
            files, folders = _list_folder(folder)
        except OSError:
            yield LookedInto(folder, None)
            continue
        if {_CORPUS, _QUERIES} <= {file.name for file in files}:
            yield LookedInto(folder, [folder / _CORPUS])
            continue
        rules = _rules_of(folder, outer)
        yield LookedInto(
            folder, [file for file in files if rules is None or not rules.is_excluded(file, is_folder=False)]
        )
        waiting += [
            (inner, rules)
            for inner in reversed(folders)
            if enters(inner) and (rules is None or not rules.is_excluded(inner, is_folder=True))
        ]


def _list_folder(folder: Path) -> tuple[list[Path], list[Path]]:
    """Files and folders in a folder in the order of their names, without hidden ones and links to folders."""
    with os.scandir(folder) as found:
        kept = sorted((entry for entry in found if not entry.name.startswith(".")), key=lambda entry: entry.name)
    files = [Path(entry.path) for entry in kept if not _leads_to_folder(entry)]
    return files, [Path(entry.path) for entry in kept if entry.is_dir(follow_symlinks=False)]


def _leads_to_folder(entry: "os.DirEntry[str]") -> bool:
    """Whether it is a folder or a link to one; what cannot be told is taken for a file, and reading it says why."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def _rules_of(folder: Path, outer: _Rules | None) -> _Rules | None:
    try:
        lines = read_text(folder / ".gitignore", encoding="utf-8-sig", errors="replace").splitlines()
    except FileMissing:
        return outer
    except FileUnreadable as error:
        log.warning("%s Nothing is left out for it.", error.problem)
        return outer
    return _Rules(folder, _make_spec(lines), outer)


def _make_spec(lines: Sequence[str]) -> "GitIgnoreSpec":
    """The patterns that are valid; Git passes over the others too."""
    from pathspec import GitIgnoreSpec

    valid = []
    for line in lines:
        with contextlib.suppress(ValueError):
            GitIgnoreSpec.from_lines([line])
            valid.append(line)
    return GitIgnoreSpec.from_lines(valid)


def _rules_around(folder: Path) -> _Rules | None:
    """What the repository says in which a folder stands; nothing if it excludes the folder, for it was named."""
    above = _folders_to_repository(folder)
    rules: _Rules | None = None
    for outer, inner in pairwise([*above, folder]):
        rules = _rules_of(outer, rules)
        if rules is not None and rules.is_excluded(inner, is_folder=True):
            return None
    return rules


def _folders_to_repository(folder: Path) -> Sequence[Path]:
    """The folders above one, from the root of its repository down; none outside of a repository."""
    if (folder / ".git").exists():
        return []
    for depth, parent in enumerate(folder.parents):
        if (parent / ".git").exists():
            return list(reversed(folder.parents[: depth + 1]))
    return []

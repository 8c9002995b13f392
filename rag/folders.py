"""The files that a folder or a pattern names, without those that Git would ignore."""

import asyncio
import contextlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_MAGIC = "*?["
_CORPUS = "corpus.jsonl"
_QUERIES = "queries.jsonl"


async def find_files(*paths: Path) -> list[Path]:
    """All files below folders, each folder's own before those of its folders, and of patterns such as `notes/**/*.md`.

    Left out are hidden files, what a .gitignore of the folder, of one in it or of its repository excludes, and
    everything of a BEIR folder but its corpus. A file that is named is itself, whatever its name. Links to folders are
    not followed: they can lead in circles. What cannot be looked into is in the result itself: reading it says why.
    """
    return await asyncio.to_thread(lambda: list(dict.fromkeys(file for path in paths for file in _find(path))))


def absolute(path: Path) -> Path:
    """The path under which the library knows a file: absolute, `~` and `..` resolved, links left as they are."""
    with contextlib.suppress(RuntimeError):
        # Raised for the home of a user that there is not; such a name is then a plain one.
        path = path.expanduser()
    return Path(os.path.normpath(path.absolute()))


def is_beir(path: Path) -> bool:
    """Whether a file is the corpus of a collection in the form of the BEIR benchmark: queries stand beside it."""
    return path.name == _CORPUS and path.with_name(_QUERIES).is_file()


@dataclass(frozen=True)
class _Rules:
    """The .gitignore of a folder, and those of the folders around it."""

    folder: Path
    spec: "GitIgnoreSpec"
    outer: "_Rules | None"

    def exclude(self, path: Path, is_folder: bool) -> bool:
        """The last pattern that fits decides, the nearest .gitignore first."""
        inside = path.relative_to(self.folder).as_posix() + ("/" if is_folder else "")
        verdict = self.spec.check_file(inside).include
        if verdict is None:
            return self.outer is not None and self.outer.exclude(path, is_folder)
        return verdict


def _find(path: Path) -> Iterator[Path]:
    path = absolute(path)
    if _is_folder(path):
        yield from _walk(path, _rules_around(path))
    elif any(sign in str(path) for sign in _MAGIC) and not os.path.lexists(path):
        yield from _matches(path)
    else:
        yield path


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def _matches(pattern: Path) -> Iterator[Path]:
    """The files that a pattern names, or that are in a folder that it names."""
    from pathspec import GitIgnoreSpec

    parts = pattern.parts
    fixed = next(number for number, part in enumerate(parts) if any(sign in part for sign in _MAGIC))
    root = Path(*parts[:fixed])
    if root.is_dir():
        spec = GitIgnoreSpec.from_lines(["/" + "/".join(parts[fixed:])])
        for file in _walk(root, _rules_around(root)):
            if spec.match_file(file.relative_to(root).as_posix()):
                yield file


def _walk(folder: Path, outer: _Rules | None) -> Iterator[Path]:
    try:
        rules = _rules_of(folder, outer)
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError:
        yield folder
        return
    if {_CORPUS, _QUERIES} <= {entry.name for entry in entries}:
        yield folder / _CORPUS
        return
    kept = [entry for entry in entries if not entry.name.startswith(".")]
    files = [Path(entry.path) for entry in kept if not entry.is_dir()]
    folders = [Path(entry.path) for entry in kept if entry.is_dir(follow_symlinks=False)]
    yield from (file for file in files if rules is None or not rules.exclude(file, is_folder=False))
    for inner in folders:
        if rules is None or not rules.exclude(inner, is_folder=True):
            yield from _walk(inner, rules)


def _rules_of(folder: Path, outer: _Rules | None) -> _Rules | None:
    try:
        lines = (folder / ".gitignore").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return outer
    from pathspec import GitIgnoreSpec

    return _Rules(folder, GitIgnoreSpec.from_lines(lines), outer)


def _rules_around(folder: Path) -> _Rules | None:
    """What the repository says in which a folder stands; nothing if it excludes the folder, for it was named."""
    above = _folders_to_repository(folder)
    rules: _Rules | None = None
    for outer, inner in pairwise([*above, folder]):
        rules = _rules_of(outer, rules)
        if rules is not None and rules.exclude(inner, is_folder=True):
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

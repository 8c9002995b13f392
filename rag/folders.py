"""The files of a folder that are worth reading."""

import asyncio
import contextlib
import os
from pathlib import Path


async def find_files(path: Path) -> list[Path]:
    """All files below a folder in the order of their names, hidden ones left out; a file is itself.

    What cannot be looked into is in the result itself: reading it says why.
    """
    return await asyncio.to_thread(_find, absolute(path))


def absolute(path: Path) -> Path:
    """The path under which the library knows a file: absolute, `~` and `..` resolved, links left as they are."""
    with contextlib.suppress(RuntimeError):
        # Raised for the home of a user that there is not; such a name is then a plain one.
        path = path.expanduser()
    return Path(os.path.normpath(path.absolute()))


def _find(path: Path) -> list[Path]:
    try:
        if not path.is_dir():
            return [path]
    except OSError:
        return [path]
    found: list[Path] = []

    def note(error: OSError) -> None:
        found.append(Path(error.filename))

    # Links to folders are not followed: they can lead in circles.
    for folder, folders, names in os.walk(path, onerror=note):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += [Path(folder, name) for name in sorted(names) if not name.startswith(".")]
    return found

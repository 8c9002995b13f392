"""The files of a profile: their state, their words, and that none leads out of its folder."""

from pathlib import Path

from utils.errors import ConfigError, FileMissing, FileUnreadable
from utils.files import read_text

MAX_WORDS_BYTES = 100_000
"""Bytes of a file with words for the model or for the user."""

FileState = tuple[str, int, int]
"""A file, when it was written and its size: where these are the same it is not read again."""


def find_state(file: Path) -> FileState | None:
    """The state of a file; None where there is none that can be looked at."""
    try:
        found = file.stat()
    except OSError:
        return None
    return str(file), found.st_mtime_ns, found.st_size


def require_inside(file: Path, folder: Path) -> None:
    """Raise `ConfigError` where a link leads out of a profile's folder: what is there was not meant for a model."""
    if not is_inside(file, folder):
        raise ConfigError(f"{file} leads out of the folder of its profile.", "Put the file itself there.")


def is_inside(file: Path, folder: Path) -> bool:
    """Whether a file lies in a folder, wherever links lead."""
    try:
        return file.resolve().is_relative_to(folder.resolve())
    except OSError:
        return False


def read_words(file: Path) -> str:
    """The text of a file, empty where there is none; raises `ConfigError`."""
    try:
        return read_text(file, MAX_WORDS_BYTES, encoding="utf-8-sig").strip()
    except FileMissing:
        return ""
    except FileUnreadable as error:
        raise ConfigError(error.problem, "Mend it, or take it out of the profile.") from error

"""A profile as it lies on disk: a folder of a few files, none of which may lead out of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from chatbot.profiles.values import ProfileValues, read_values
from utils.errors import ConfigError, FileMissing, FileUnreadable
from utils.files import read_text

DEFAULT_PROFILE = "default"
VALUES_FILE, SYSTEM_FILE, GREETING_FILE = "profile.json", "system.md", "greeting.md"
MAX_WORDS_BYTES = 100_000
"""Bytes of a file with words for the model or for the user."""

FileState = tuple[str, int, int]
"""A file, when it was written and its size: where these are the same it is not read again."""


@dataclass(frozen=True)
class ChatProfile:
    """How a chat answers; the one without a folder changes nothing."""

    name: str = DEFAULT_PROFILE
    folder: Path | None = None
    is_shipped: bool = True
    """Whether it came with Magpie; another one's words are the user's own."""
    values: ProfileValues = ProfileValues()
    instructions: str = ""
    """What the model is told, behind Magpie's own words."""
    greeting: str = ""
    """What the user is shown when it comes into force."""
    states: tuple[FileState, ...] = ()
    """Its files as they were when they were read."""

    @property
    def about(self) -> str:
        """One line that says what it is for: the first of its greeting."""
        return self.greeting.partition("\n")[0].strip("# *_")

    def has_changed(self) -> bool:
        """Whether a file of it is another one by now. Blocks."""
        return self.folder is not None and read_states(self.folder) != self.states


def read_profile(name: str, folder: Path, *, is_shipped: bool) -> ChatProfile:
    """The profile in a folder; raises `ConfigError` with one sentence. Blocks."""
    states = read_states(folder)
    for file in list_files(folder):
        require_inside(file, folder)
    return ChatProfile(
        name,
        folder,
        is_shipped,
        read_values(folder / VALUES_FILE),
        read_words(folder / SYSTEM_FILE),
        read_words(folder / GREETING_FILE),
        states,
    )


def list_files(folder: Path) -> Iterator[Path]:
    """The files that a profile is read from."""
    yield from (folder / name for name in (VALUES_FILE, SYSTEM_FILE, GREETING_FILE))


def read_states(folder: Path) -> tuple[FileState, ...]:
    """The state of each file that is there."""
    return tuple(state for file in list_files(folder) if (state := find_state(file)))


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

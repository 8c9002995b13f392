"""A profile as it lies on disk: a folder of a few files, none of which may lead out of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from chatbot.profiles.files import FileState, find_state, read_words, require_inside
from chatbot.profiles.skills import Skill, list_skill_files, read_skills
from chatbot.profiles.values import ProfileValues, read_values

DEFAULT_PROFILE = "default"
VALUES_FILE, SYSTEM_FILE, GREETING_FILE = "profile.json", "system.md", "greeting.md"


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
    skills: tuple[Skill, ...] = ()
    problems: tuple[str, ...] = ()
    """What of it cannot be used, a sentence each."""
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
    for file in list_word_files(folder):
        require_inside(file, folder)
    return ChatProfile(
        name,
        folder,
        is_shipped,
        read_values(folder / VALUES_FILE),
        read_words(folder / SYSTEM_FILE),
        read_words(folder / GREETING_FILE),
        *read_skills(folder),
        states,
    )


def list_word_files(folder: Path) -> Iterator[Path]:
    """The files that a profile is read from, without those of its skills."""
    yield from (folder / name for name in (VALUES_FILE, SYSTEM_FILE, GREETING_FILE))


def read_states(folder: Path) -> tuple[FileState, ...]:
    """The state of each file that is there."""
    return tuple(state for file in [*list_word_files(folder), *list_skill_files(folder)] if (state := find_state(file)))

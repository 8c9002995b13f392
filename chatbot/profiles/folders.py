"""Where profiles lie: the user's beside their configuration, and those that come with Magpie."""

import re
from dataclasses import dataclass
from pathlib import Path

from chatbot.config import Configuration
from chatbot.profiles.profile import ChatProfile, read_profile
from utils.errors import ConfigError
from utils.files import is_folder
from utils.languages.spelling import nearest_name
from utils.text import one_line

SHIPPED = Path(__file__).parent / "shipped"
_PROFILE_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


@dataclass(frozen=True)
class ProfileSummary:
    """A profile in a list."""

    name: str
    is_shipped: bool
    """Whether it came with Magpie."""
    about: str = ""
    """One line that says what it is for."""
    greeting: str = ""
    """Markdown."""
    problem: str = ""
    """What is wrong with its files; empty for one that can be used."""


@dataclass(frozen=True)
class ProfileFolders:
    """The profiles that there are; one of the user's stands in the place of a shipped one with its name."""

    own: Path
    """The folder with a folder for each of the user's."""

    def read(self, name: str) -> ChatProfile:
        """The profile of a name; raises `ConfigError` with the nearest names where there is none. Blocks."""
        if parent := self._find_parent(name):
            return read_profile(name, parent / name, is_shipped=parent == SHIPPED)
        names = self.list_names()
        near = [nearest for nearest in [nearest_name(name, names)] if nearest]
        remedy = f"Did you mean {near[0]}?" if near else f"There are {', '.join(names)}; yours go into {self.own}."
        raise ConfigError(f"There is no profile {one_line(name, 64)!r}.", remedy)

    def list_names(self) -> list[str]:
        """The names of all, by the alphabet. Blocks."""
        found = {entry.name for parent in (self.own, SHIPPED) if is_folder(parent) for entry in parent.iterdir()}
        return sorted(name for name in found if self._find_parent(name))

    def list_summaries(self) -> list[ProfileSummary]:
        """All of them, by the alphabet; one that cannot be read says what is wrong with it. Blocks."""
        return [self._summarise(name) for name in self.list_names()]

    def _summarise(self, name: str) -> ProfileSummary:
        try:
            one = self.read(name)
        except ConfigError as error:
            return ProfileSummary(name, self._find_parent(name) == SHIPPED, problem=error.problem)
        return ProfileSummary(name, one.is_shipped, one_line(one.about, 100), one.greeting)

    def _find_parent(self, name: str) -> Path | None:
        """The folder that a profile of this name lies in; the user's own comes first."""
        if not _PROFILE_NAME.fullmatch(name):
            return None
        return next((parent for parent in (self.own, SHIPPED) if is_folder(parent / name)), None)


def profile_folders(configuration: Configuration) -> ProfileFolders:
    """The folders of a configuration: the user's profiles lie in `profiles` beside its file."""
    return ProfileFolders(configuration.path.parent / "profiles")

"""Whose chats these are: each person has conversations, facts and reminders of their own."""

import asyncio
import re
from dataclasses import dataclass, field
from pathlib import Path

from chatbot.config import Config
from chatbot.engine.face import Audience, Face
from chatbot.history.sessions import Sessions
from chatbot.memory.profile import Profile
from chatbot.memory.reminders import Reminders
from utils.errors import ConfigError, ProfileError, SessionError
from utils.faults import log_failure
from utils.paths import private_dir
from utils.sqlite import MEMORY

OWNER = ""
"""The name of whoever Magpie belongs to: their files lie in the data folder itself."""
_PERSON_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


@dataclass(eq=False)
class Person:
    """What is kept of a person, shared by all chats that they have open."""

    name: str
    sessions: Sessions
    profile: Profile
    reminders: Reminders
    audience: Audience = field(default_factory=Audience)
    """Their chats, which hear what becomes of their files."""
    in_use: set[str] = field(default_factory=set)
    """The conversations that are under way in a chat of theirs here."""

    @property
    def is_owner(self) -> bool:
        """Whether Magpie is theirs: its settings and its network are theirs alone to change."""
        return self.name == OWNER


class People:
    """The people who have a chat open now."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self.owners = Audience()
        """The owner's chats: what other programs do on the machine is for nobody else."""
        self._here: dict[str, Person] = {}
        self._opening = asyncio.Lock()

    async def join(self, name: str, face: Face) -> Person:
        """The person of that name for one more chat, their files opened; raises a `MagpieError`."""
        async with self._opening:
            if name not in self._here:
                self._here[name] = await self._open(name)
            self._here[name].audience.join(face)
            return self._here[name]

    async def leave(self, person: Person, face: Face) -> None:
        """A chat of theirs has ended; with the last one their files are closed."""
        async with self._opening:
            person.audience.leave(face)
            if not person.audience.is_empty:
                return
            del self._here[person.name]
            try:
                await person.sessions.close()
            finally:
                await asyncio.to_thread(person.profile.close)

    async def with_reminders(self, prefix: str) -> list[str]:
        """The names that begin so of people with reminders to come; a file that cannot be read has none."""
        found = []
        for folder in await asyncio.to_thread(self._folders, prefix):
            profile = Profile(folder / "profile.db", read_only=True)
            try:
                if await Reminders(profile).pending_reminders():
                    found.append(folder.name)
            except ProfileError as error:
                log_failure(error, "Looking for reminders")
            finally:
                await asyncio.to_thread(profile.close)
        return found

    def _folders(self, prefix: str) -> list[Path]:
        people = self._config.data_folder / "people"
        return sorted(people.glob(f"{prefix}*")) if people.is_dir() else []

    async def _open(self, name: str) -> Person:
        folder = await asyncio.to_thread(self._folder, name)
        audience = self.owners if name == OWNER else Audience()
        history = self._config.history_file if name == OWNER else folder / "sessions.db"
        sessions = await open_sessions(self._config, history, audience)
        profile = Profile(folder / "profile.db", read_only=self._config.private)
        return Person(name, sessions, profile, Reminders(profile), audience)

    def _folder(self, name: str) -> Path:
        """Where a person's files lie; raises `ConfigError` for a name that is none."""
        data = self._config.data_folder
        if name == OWNER:
            return data
        require_person_name(name)
        return private_dir(private_dir(data / "people") / name)


def require_person_name(name: str) -> None:
    """Raise `ConfigError` for a name that no person beside the owner can have."""
    if not _PERSON_NAME.fullmatch(name):
        raise ConfigError(f"{name[:64]!r} is no name of a person.", "Use small letters, digits, - and _.")


async def open_sessions(config: Config, path: Path, audience: Audience) -> Sessions:
    """The kept conversations; where they cannot be opened, or the run is private, in memory alone."""
    if not config.private:
        try:
            return await Sessions.open(path, config.history, audience.tell)
        except SessionError as error:
            audience.tell(f"{error} Until then nothing that is said is kept.")
    return await Sessions.open(MEMORY)

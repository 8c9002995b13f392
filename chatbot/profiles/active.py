"""The profile that is in force in a chat, and what of it is asked for while the chat goes on."""

import asyncio

from chatbot.config import Configuration
from chatbot.profiles.folders import ProfileFolders
from chatbot.profiles.profile import ChatProfile, FileState, read_states
from tools.library_search import SearchScope
from utils.errors import ConfigError


class ActiveProfile:
    """A chat's profile."""

    def __init__(self, folders: ProfileFolders, profile: ChatProfile, configuration: Configuration) -> None:
        self.folders = folders
        self.profile = profile
        self.scope = SearchScope()
        """Where and how the library is searched."""
        self.model_before = ""
        """The model that answered before a profile named another one; empty where that is not known."""
        self._refused: tuple[FileState, ...] = ()
        """The files of which was told that they cannot be used."""
        self.take(profile, configuration)

    @property
    def instructions(self) -> str:
        """What the model is told: the same until a file changes, as it stands at the beginning of every prompt."""
        return self.profile.instructions

    @property
    def private_words(self) -> str:
        """What of it are the user's own words."""
        return "" if self.profile.is_shipped else self.profile.instructions

    def take(self, profile: ChatProfile, configuration: Configuration) -> None:
        """Put a profile in force, with which the settings are these."""
        self.profile = profile
        self._refused = ()
        chosen, rag = configuration.of_profile, configuration.values.rag
        self.scope = SearchScope(
            tuple(profile.values.collections),
            rag.top_k if "rag.top_k" in chosen else 0,
            rag.search_mode if "rag.search_mode" in chosen else None,
        )

    async def read_changed(self) -> ChatProfile | None:
        """The profile as its files say now, None where they say what they said.

        Raises `ConfigError` once for files that cannot be used; the profile then stays as it was.
        """
        return await asyncio.to_thread(self._read_changed)

    def _read_changed(self) -> ChatProfile | None:
        folder = self.profile.folder
        if folder is None or not self.profile.has_changed():
            return None
        states = read_states(folder)
        if states == self._refused:
            return None
        try:
            return self.folders.read(self.profile.name)
        except ConfigError:
            self._refused = states
            raise

"""The profile that is in force in a chat, and what of it is asked for while the chat goes on."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from chatbot.config import Configuration
from chatbot.conversation.events import Notice, Progress
from chatbot.profiles.documents import ProfileLibrary
from chatbot.profiles.folders import ProfileFolders
from chatbot.profiles.profile import ChatProfile, FileState, read_states
from tools.library_search import SearchScope
from utils.errors import ConfigError


class ActiveProfile:
    """A chat's profile."""

    def __init__(
        self,
        folders: ProfileFolders,
        profile: ChatProfile,
        configuration: Configuration,
        library: ProfileLibrary | None = None,
    ) -> None:
        self.folders = folders
        self.profile = profile
        self._library = library
        self._scope = SearchScope()
        self.model_before = ""
        """The model that answered before a profile named another one; empty where that is not known."""
        self._refused: tuple[FileState, ...] = ()
        """The files of which was told that they cannot be used."""
        self.take(profile, configuration)

    @property
    def scope(self) -> SearchScope:
        """Where and how the library is searched."""
        return replace(self._scope, collections=self._library.collections) if self._library else self._scope

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
        self._scope = SearchScope(
            limit=rag.top_k if "rag.top_k" in chosen else 0,
            mode=rag.search_mode if "rag.search_mode" in chosen else None,
        )
        if self._library:
            self._library.collections = tuple(profile.values.collections)

    async def bring_in(self) -> AsyncGenerator[Notice | Progress, None]:
        """Have its documents in the library; raises a `LibraryError`."""
        if self._library:
            async with aclosing(self._library.bring_in(self.profile)) as steps:
                async for step in steps:
                    yield step

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

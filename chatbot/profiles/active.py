"""The profile that is in force in a chat, and what of it is asked for while the chat goes on."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace

from chatbot.config import Configuration
from chatbot.conversation.events import Notice, Progress
from chatbot.conversation.messages import SKILL_TOOL
from chatbot.library.look import PROFILE_COLLECTIONS
from chatbot.profiles.documents import ProfileLibrary
from chatbot.profiles.files import FileState
from chatbot.profiles.folders import ProfileFolders
from chatbot.profiles.profile import ChatProfile, read_states
from chatbot.profiles.skill_choice import describe_skills, find_skill
from chatbot.profiles.validation import AnswerValidator, make_validator
from rag.embedding.base import Embedder
from tools.base import ToolSchema
from tools.library_search import SearchScope
from utils.errors import ToolError


class ActiveProfile:
    """A chat's profile."""

    def __init__(
        self,
        folders: ProfileFolders,
        profile: ChatProfile,
        configuration: Configuration,
        library: ProfileLibrary | None = None,
        embedder: Embedder | None = None,
        tell: Callable[[str], None] = lambda said: None,
    ) -> None:
        """`embedder` compares messages with skills, `tell` shows the user a sentence."""
        self.folders = folders
        self.profile = profile
        self._library = library
        self._embedder = embedder
        self._tell = tell
        self._told: set[str] = set()
        self._scope = SearchScope()
        self.chosen: tuple[str, ...] = ()
        """Collections that were chosen in the conversation, in the place of those of the profile and the settings."""
        self.model_before = ""
        """The model that answered before a profile named another one; empty where that is not known."""
        self._seen: tuple[FileState, ...] = ()
        """The changed files that were read already: where they cannot be used, that is told once."""
        self.take(profile, configuration)

    @property
    def scope(self) -> SearchScope:
        """Where and how the library is searched: a profile's own documents are there whatever was chosen."""
        collections = self._library.collections if self._library else ()
        if self.chosen:
            own = [name for name in collections if name.startswith(PROFILE_COLLECTIONS)]
            collections = tuple(dict.fromkeys([*self.chosen, *own]))
        return replace(self._scope, collections=collections)

    @property
    def collection(self) -> str:
        """The collection that the user's documents go into; empty: that of the settings."""
        return self.chosen[0] if self.chosen else ""

    @property
    def instructions(self) -> str:
        """What the model is told: the same until a file changes, as it stands at the beginning of every prompt."""
        return self.profile.instructions

    def tell_model(self, tools: Sequence[ToolSchema]) -> str:
        """The same for a model that is offered these tools: with the skills, if it can choose one by a call."""
        can_choose = any(tool.name == SKILL_TOOL for tool in tools)
        skills = describe_skills(self.profile.skills) if can_choose else ""
        return "\n\n".join(filter(None, [self.instructions, skills]))

    @property
    def validator(self) -> AnswerValidator | None:
        """What checks the answers before they are shown; None: nothing does."""
        return make_validator(self.profile.values.answer_format, self.instructions)

    @property
    def private_words(self) -> str:
        """What of it are the user's own words."""
        if self.profile.is_shipped:
            return ""
        return "\n\n".join([self.profile.instructions, *(skill.text for skill in self.profile.skills)])

    @property
    def tools(self) -> list[str] | None:
        """The tools that are on; None: all."""
        named = self.profile.values.tools
        return None if named is None else [*named, SKILL_TOOL]

    @property
    def tools_without_use(self) -> tuple[str, ...]:
        """Those that there is nothing for."""
        return () if self.profile.skills else (SKILL_TOOL,)

    async def use_skill(self, name: str) -> str:
        """Choose a skill of the profile: what it returns is to be followed.

        Args:
            name: The skill's name, as the instructions list it.
        """
        skills = {skill.name: skill for skill in self.profile.skills}
        if name.strip() not in skills:
            raise ToolError(f"There is no skill {name!r}. The skills are: {', '.join(skills)}.")
        return skills[name.strip()].text

    async def choose_skill(self, message: str) -> str:
        """What is to be followed for a message, by its likeness to what the skills are for; empty where none is."""
        skill = await find_skill(self.profile.skills, message, self._embedder) if self._embedder else None
        if skill is None:
            return ""
        self._tell(f"The skill {skill.name} is followed.")
        return skill.text

    def take_problems(self, others: Sequence[str]) -> list[str]:
        """What of the profile cannot be used and was not told yet, and of `others` the same."""
        untold = [one for one in [*self.profile.problems, *others] if one not in self._told]
        self._told.update(untold)
        return untold

    def take(self, profile: ChatProfile, configuration: Configuration) -> None:
        """Put a profile in force, with which the settings are these."""
        self.profile = profile
        self._seen = ()
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
        if states == self._seen:
            return None
        self._seen = states
        return self.folders.read(self.profile.name)

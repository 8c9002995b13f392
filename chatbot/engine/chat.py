"""One conversation with one person: gone on with, taken back, branched off; what is allowed and chosen in it."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

from chatbot.attachments.reader import AttachmentReader
from chatbot.attachments.room import AttachmentRoom
from chatbot.config import Configuration
from chatbot.conversation.conversation import Compaction
from chatbot.conversation.events import Event, MarkdownText, Notice, Progress
from chatbot.conversation.sources import by_number
from chatbot.engine.people import Person
from chatbot.engine.retrieval import SharedRetrieval
from chatbot.history.entries import ChosenCollections, Pin, Verdict
from chatbot.history.recorder import Recording
from chatbot.history.replay import last_turns, replay_entries
from chatbot.history.session_id import RESUME_LAST
from chatbot.history.sessions import Sessions
from chatbot.history.settings import HistorySettings
from chatbot.history.store import Loaded, Undone
from chatbot.history.titles import Titler
from chatbot.library.progress import counted
from chatbot.library.query_rewriting import Rewriter
from chatbot.library.watch import LibraryWatch
from chatbot.mcp.tools import RemoteTools
from chatbot.memory.facts import Memory
from chatbot.memory.reminders import Reminders
from chatbot.models.selection import Models
from chatbot.profiles.active import ActiveProfile
from chatbot.research.desk import ResearchDesk
from chatbot.trust.consent import Consent
from chatbot.turn.agent import Agent
from rag.library import Library
from rag.search.reranking import Reranking
from tools.web.search import Web
from utils.errors import ConfigError, SessionError
from utils.network.access import NetworkAccess
from utils.text import one_line

TURNS_SHOWN = 3
"""Turns of a conversation that are shown again when it is gone on with."""


@dataclass(eq=False)
class Chat:
    """A conversation under way; its methods on kept conversations may raise `SessionError`.

    What is allowed or chosen in it counts in no other chat; what is said in it is in its person's history alone.
    """

    configuration: Configuration
    """The settings in force here."""
    person: Person
    agent: Agent
    models: Models
    memory: Memory
    consent: Consent
    remote: RemoteTools
    recording: Recording
    titler: Titler
    retrieval: SharedRetrieval
    """Library, fetcher and embedder, which all chats share."""
    web: Web
    reach: NetworkAccess
    research: ResearchDesk
    """Plans and carries out research, beside the conversation."""
    reranking: Reranking | None = None
    """Judges what is found in the library; asks this chat's own model where `rag.reranker` is `model`."""
    rewriter: Rewriter | None = None
    """Words searches anew."""
    _: KW_ONLY
    profile: ActiveProfile
    watching: LibraryWatch
    """Has the library follow folders while the chat lasts."""

    def __post_init__(self) -> None:
        self.person.in_use.add(self.session)

    @property
    def library(self) -> Library | None:
        """The library; None where it is switched off."""
        return self.retrieval.library

    @property
    def sessions(self) -> Sessions:
        """The person's kept conversations."""
        return self.person.sessions

    @property
    def reminders(self) -> Reminders:
        """The person's reminders."""
        return self.person.reminders

    @property
    def session(self) -> str:
        """The id of the conversation under way."""
        return self.recording.session

    @property
    def begun(self) -> bool:
        """Whether anything was said in it."""
        return bool(self.agent.conversation.messages)

    async def begin(self) -> None:
        """Begin a new conversation; the old one stays in the history."""
        await self._leave()
        self._enter(self.sessions.new_id())
        self.profile.chosen = ()
        self.agent.clear()

    async def start(self, wanted: str, settings: HistorySettings) -> Iterator[Event]:
        """Begin as a run does: go on with the conversation that was named or the last one, or with a greeting."""
        if not wanted and settings.at_start == "last":
            wanted = await self.sessions.latest() or ""
        if wanted:
            return await self.resume(await self.find(wanted))
        greeting = self.profile.profile.greeting
        return iter([MarkdownText(greeting)] if greeting else [])

    async def find(self, text: str) -> str:
        """The id of the conversation that a text names: `last`, an id or its beginning, a title, or words in it."""
        found = await (self.sessions.latest() if text == RESUME_LAST else self.sessions.find(text))
        if found is None:
            told = (
                "There is no earlier conversation." if text == RESUME_LAST else f"No conversation is or has {text!r}."
            )
            raise SessionError(told, "/history lists them.")
        return found

    async def resume(self, session: str) -> Iterator[Event]:
        """Go on with a conversation: what is to be seen of it."""
        if session == self.session:
            return iter([Notice("This is the conversation that you are in.")])
        # Before anything is waited for: another chat of theirs may be asked for the same one at this moment.
        reserved = {session} - self.person.in_use
        self.person.in_use |= reserved
        try:
            loaded = await self.sessions.load(session)
            is_free = reserved and await self.sessions.claim(session)
            going_on = session if is_free else await self.sessions.branch(session)
            await self._leave()
            self._enter(going_on)
        finally:
            # However it ended, with Ctrl-C as well, only what is under way here is in use.
            self.person.in_use -= reserved - {self.session}
        self.titler.leave_untitled(going_on)
        self._take(loaded)
        elsewhere = Notice("This conversation is open elsewhere; you go on in a copy of it.", "warning")
        return iter([*self._shown(loaded), *([] if is_free else [elsewhere])])

    async def undo(self) -> Undone | None:
        """Take back the last change, a compaction or a whole turn; None when there is nothing left."""
        if not self.begun:
            return None
        undone = await self.sessions.undo(self.session)
        self._take(await self.sessions.load(self.session))
        return undone

    async def undo_turn(self) -> Undone | None:
        """Take back changes until a turn was among them."""
        while (undone := await self.undo()) is not None and undone.kind != "message":
            pass
        return undone

    async def branch(self) -> None:
        """Go on in a copy; the original stays as it is."""
        if not self.begun:
            raise SessionError("Nothing was said yet that could be branched off.", "Ask something first.")
        session = await self.sessions.branch(self.session)
        await self.sessions.claim(session)
        await self._leave()
        self._enter(session)
        self.titler.leave_untitled(session)

    async def name(self, title: str) -> None:
        """Give the conversation a title."""
        if not self.begun:
            raise SessionError("Nothing was said yet that could have a title.", "Ask something first.")
        await self.sessions.title(self.session, title)
        self.titler.leave_untitled(self.session)

    async def mark_answer(self, verdict: Verdict, why: str = "") -> None:
        """Say what the last answer is like, in the place of what was said of it before."""
        if not self.begun:
            raise SessionError("There is no answer yet that could be marked.", "Ask something first.")
        await self.sessions.mark(self.session, verdict, why)

    async def choose_collections(self, names: Sequence[str]) -> ChosenCollections:
        """Have these searched, and the first one added to, in this conversation; none: as the settings say."""
        chosen = ChosenCollections(tuple(dict.fromkeys(names)))
        self.profile.chosen = chosen.names
        if self.begun:
            await self.recording.write(chosen)
        else:
            self.recording.hold(chosen)
        return chosen

    def set(self, name: str, value: Any) -> str:
        """Change a setting in force, write its own key to the file where Magpie is this person's, and say so.

        Raises `ConfigError`.
        """
        if name == "offline":
            self.require_owner()
        self.take_configuration(self.configuration.with_setting(name, value))
        if name == "offline":
            # The network is the process's: another setting that is changed here leaves it as another chat has it.
            self.reach.offline = self.configuration.values.offline
        return self.configuration.store_setting(name) if self.person.is_owner else "It counts in this chat alone."

    def take_configuration(self, configuration: Configuration) -> None:
        """Let settings that were changed take effect."""
        self.configuration = configuration
        self.agent.settings = configuration.values
        self.models.generate_by(configuration.values)

    def require_owner(self) -> None:
        """Raise `ConfigError` where this is the chat of somebody whom Magpie does not belong to.

        Settings on disk, the network, the log and other programs are the owner's.
        """
        if not self.person.is_owner:
            raise ConfigError("Only whom Magpie belongs to can do that.", "Ask them to do it in their own chat.")

    def attachment_reader(self, show: Callable[[Progress], None]) -> AttachmentReader:
        """What reads the files, folders and pages that a question names; `show` is told how far it is."""

        async def open_room() -> AttachmentRoom:
            return AttachmentRoom(await self.agent.question_room(), self.agent.model.count_tokens)

        return AttachmentReader(self.retrieval.fetcher, open_room, show)

    async def use_model(self, name: str, *, remember: bool = True) -> None:
        """Go on with another model; raises a `ModelError`, and then the old one stays.

        Without a name that is the one with which a chat begins.
        """
        opening = self.models.use_model(name, remember=remember) if name else self.models.start_model()
        model = await opening
        await model.describe()
        old = self.agent.model
        self.agent.use_model(model)
        await self.agent.compactor.close()
        await old.close()

    async def warm_up(self, *, programs: bool = True) -> None:
        """Load the embedder and the model, and read the fixed part of the prompt; raises a `MagpieError`.

        `programs`: have the tools of other programs (MCP) offered, too.
        """
        if programs:
            self.remote.start_servers()
        await asyncio.gather(self.retrieval.embedder.load(), self.agent.warm_up())

    async def close(self) -> None:
        """Leave the conversation, and let go of its model and of pages under way; what was said is on disk."""
        await self.research.close()
        await self.watching.close()
        await self.remote.close()
        await self.web.close()
        await self.titler.close()
        await self.agent.compactor.close()
        self.person.in_use.discard(self.session)
        await self.sessions.release(self.session)
        await self.agent.model.close()
        await self.models.close()

    def _enter(self, session: str) -> None:
        self.person.in_use.discard(self.session)
        self.recording.session = session
        self.person.in_use.add(session)

    async def _leave(self) -> None:
        await self.titler.close()
        await self.agent.compactor.close()
        await self.sessions.release(self.session)
        await self.memory.begin_session()
        self.consent.forget_session()

    def _take(self, loaded: Loaded) -> None:
        values = [entry.value for entry in loaded.entries]
        self.profile.chosen = next((v.names for v in reversed(values) if isinstance(v, ChosenCollections)), ())
        pins: set[int] = set()
        for value in values:
            if isinstance(value, Pin):
                (pins.add if value.on else pins.discard)(value.message)
        self.agent.restore(loaded.messages, [value for value in values if isinstance(value, Compaction)], pins)

    def _shown(self, loaded: Loaded) -> Iterator[Event]:
        recent, before = last_turns(loaded.entries, TURNS_SHOWN)
        title = one_line(loaded.info.title)
        earlier = f" Its first {counted(before, 'question')} can be read in /history." if before else ""
        yield Notice(f"Going on with “{title}” of {loaded.info.updated[:10]}.{earlier}")
        if loaded.damaged:
            yield Notice(f"{counted(loaded.damaged, 'record')} of it were damaged and have been set aside.", "warning")
        yield from replay_entries(recent, by_number(loaded.messages))

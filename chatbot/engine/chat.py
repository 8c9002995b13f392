"""The conversation of this run and those before it: gone on with, taken back, branched off."""

from collections.abc import Iterator

from chatbot.conversation.conversation import Compaction
from chatbot.conversation.events import Event, Notice
from chatbot.conversation.sources import by_number
from chatbot.history.entries import Pin
from chatbot.history.recorder import Recording
from chatbot.history.replay import last_turns, replay
from chatbot.history.sessions import Sessions
from chatbot.history.settings import HistorySettings
from chatbot.history.store import Loaded, Undone
from chatbot.history.titles import Titler
from chatbot.library.progress import counted
from chatbot.memory.facts import Memory
from chatbot.trust.consent import Consent
from chatbot.turn.agent import Agent
from utils.errors import SessionError
from utils.text import one_line

LAST = "last"
"""Names the conversation that was gone on with last."""
SHOWN = 3
"""Turns of a conversation that are shown again when it is gone on with."""


class Chats:
    """What is being said, and what was said; every method may raise `SessionError`."""

    def __init__(
        self,
        agent: Agent,
        sessions: Sessions,
        recording: Recording,
        titler: Titler,
        memory: Memory,
        consent: Consent,
    ) -> None:
        self.sessions = sessions
        self._consent = consent
        self._agent = agent
        self._recording = recording
        self._titler = titler
        self._memory = memory

    @property
    def session(self) -> str:
        """The id of the conversation under way."""
        return self._recording.session

    @property
    def begun(self) -> bool:
        """Whether anything was said in it."""
        return bool(self._agent.conversation.messages)

    async def begin(self) -> None:
        """Begin a new conversation; the old one stays in the history."""
        await self._leave()
        self._recording.session = self.sessions.new_id()
        self._agent.clear()

    async def start(self, wanted: str, settings: HistorySettings) -> Iterator[Event]:
        """Go on with what a run begins with: the conversation that was named, the last one, or none."""
        if not wanted and settings.at_start == "last":
            wanted = await self.sessions.latest() or ""
        return await self.resume(await self.find(wanted)) if wanted else iter(())

    async def find(self, text: str) -> str:
        """The id of the conversation that a text names: `last`, an id or its beginning, a title, or words in it."""
        found = await (self.sessions.latest() if text == LAST else self.sessions.find(text))
        if found is None:
            told = "There is no earlier conversation." if text == LAST else f"No conversation is or has {text!r}."
            raise SessionError(told, "/history lists them.")
        return found

    async def resume(self, session: str) -> Iterator[Event]:
        """Go on with a conversation: what is to be seen of it."""
        if session == self.session:
            return iter([Notice("This is the conversation that you are in.")])
        loaded = await self.sessions.load(session)
        notes = []
        if not await self.sessions.claim(session):
            session = await self.sessions.branch(session)
            notes.append(Notice("This conversation is open elsewhere; you go on in a copy of it.", "warning"))
        await self._leave()
        self._recording.session = session
        self._titler.leave(session)
        self._take(loaded)
        return iter([*self._shown(loaded), *notes])

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
        self._recording.session = session
        self._titler.leave(session)

    async def name(self, title: str) -> None:
        """Give the conversation a title."""
        if not self.begun:
            raise SessionError("Nothing was said yet that could have a title.", "Ask something first.")
        await self.sessions.title(self.session, title)
        self._titler.leave(self.session)

    async def close(self) -> None:
        """Leave the conversation, and close the file."""
        await self._titler.close()
        await self.sessions.close()

    async def _leave(self) -> None:
        await self._titler.close()
        await self.sessions.release(self.session)
        await self._memory.begin_session()
        self._consent.forget()

    def _take(self, loaded: Loaded) -> None:
        values = [entry.value for entry in loaded.entries]
        pins: set[int] = set()
        for value in values:
            if isinstance(value, Pin):
                (pins.add if value.on else pins.discard)(value.message)
        self._agent.restore(loaded.messages, [value for value in values if isinstance(value, Compaction)], pins)

    def _shown(self, loaded: Loaded) -> Iterator[Event]:
        recent, before = last_turns(loaded.entries, SHOWN)
        title = one_line(loaded.info.title)
        earlier = f" Its first {counted(before, 'question')} can be read in /history." if before else ""
        yield Notice(f"Going on with “{title}” of {loaded.info.updated[:10]}.{earlier}")
        if loaded.damaged:
            yield Notice(f"{counted(loaded.damaged, 'record')} of it were damaged and have been set aside.", "warning")
        yield from replay(recent, by_number(loaded.messages))

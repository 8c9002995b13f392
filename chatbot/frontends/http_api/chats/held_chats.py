"""The chats that are open for requests: one a conversation, kept for a while after its last answer."""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from chatbot.conversation.events import Notice, Progress
from chatbot.conversation.json_events import event_object
from chatbot.engine.chat import Chat
from chatbot.engine.engine import Engine
from chatbot.engine.face import Face
from chatbot.frontends.http_api.chats.consents import PendingConsents
from chatbot.frontends.http_api.chats.live_answer import LiveAnswer
from chatbot.frontends.http_api.errors import ApiRefusal
from chatbot.history.sessions import Sessions
from chatbot.trust.consent import Decision, Request
from utils.faults import in_background

IDLE_CHAT_SECONDS = 900.0
"""Seconds after its last answer that a chat stays open, with what was allowed in it."""
MAX_IDLE_CHATS = 16
"""Chats that stay open beside those that are being answered; of more, who was silent longest is closed."""
MAX_EARLY_NEWS = 100
"""News that wait for a chat's next answer."""


class AnswerFace:
    """What a chat shows: news go to the answer under way, and consent is asked there; for nobody it is not asked."""

    def __init__(self, consents: PendingConsents | None) -> None:
        self._consents = consents
        self._answer: LiveAnswer | None = None
        self._early: deque[Notice | Progress] = deque(maxlen=MAX_EARLY_NEWS)
        self.face = Face(self._show, self._allow if consents else None)

    def attend(self, answer: LiveAnswer | None) -> None:
        """Show this answer's listeners what comes, and what came before."""
        self._answer = answer
        while answer is not None and self._early:
            self._show(self._early.popleft())

    def _show(self, news: Notice | Progress) -> None:
        if self._answer is None:
            self._early.append(news)
        else:
            self._answer.add_event(event_object(news))

    async def _allow(self, request: Request) -> Decision:
        if self._answer is None or self._consents is None:
            return "no"
        return await self._consents.ask(self._answer, request)


@dataclass(eq=False)
class HeldChat:
    """A chat that requests take one after the other."""

    chat: Chat
    face: AnswerFace
    recorded: bool = True
    used: float = field(default_factory=time.monotonic)
    usual_model: str | None = None
    """What answered before a request named another model; empty: none was chosen yet; None: no request named one."""


class HeldChats:
    """Opens, lends and closes chats. A method that opens one may raise a `MagpieError`."""

    def __init__(self, engine: Engine, consents: PendingConsents) -> None:
        self._engine = engine
        self._consents = consents
        self._idle: dict[tuple[str, str], HeldChat] = {}
        """Those that nobody uses, by person and conversation, the longest unused first."""
        self._busy: set[tuple[str, str]] = set()
        self._closing: dict[tuple[str, str], asyncio.Task[None]] = {}
        """Those that are being closed: whoever wants one of their conversations waits until it is free."""
        self._desks: dict[str, Chat] = {}
        self._opening_desk = asyncio.Lock()
        self.on_open: Callable[[Chat], None] = lambda chat: None

    async def desk(self, person: str) -> Chat:
        """The chat of a person in which nothing is asked: their conversations, facts and the library are read by it."""
        async with self._opening_desk:
            if person not in self._desks:
                self._desks[person] = await self._open(AnswerFace(None), person)
            return self._desks[person]

    async def take(self, person: str, session: str = "") -> HeldChat:
        """The chat of a conversation, or one for a new conversation, for this request alone.

        Raises `ApiRefusal` where there is no such conversation, or it is being answered.
        """
        self._close_idle()
        key = (person, session)
        if session and key in self._busy:
            raise ApiRefusal(409, "This conversation is being answered.", "Wait, or stop that answer.", code="busy")
        if session and (held := self._idle.pop(key, None)):
            self._busy.add(key)
            return held
        if session:
            # Before anything is waited for: another request may ask for the same one at this moment.
            self._busy.add(key)
        try:
            await self._until_closed(key)
            held = await self._open_session(person, session)
        except BaseException:
            self._busy.discard(key)
            raise
        if held.chat.session != session:
            self._busy.discard(key)
        return held

    async def _open_session(self, person: str, session: str) -> HeldChat:
        face = AnswerFace(self._consents)
        chat = await self._open(face, person)
        try:
            if session:
                await require_session(chat.sessions, session)
                for event in await chat.resume(session):
                    if isinstance(event, Notice) and event.level == "warning":
                        face.face.show(event)
            self._busy.add((person, chat.session))
        except BaseException:
            await self._engine.end(chat)
            raise
        return HeldChat(chat, face)

    async def take_unrecorded(self, person: str, instructions: str = "") -> HeldChat:
        """A chat of which nothing is kept, and in which nobody can be asked for consent."""
        face = AnswerFace(None)
        chat = await self._engine.chat(face.face, person, recorded=False, instructions=instructions)
        self.on_open(chat)
        return HeldChat(chat, face, recorded=False)

    def give_back(self, held: HeldChat) -> None:
        """Keep a chat for the next request of its conversation; one that is not recorded has none."""
        held.face.attend(None)
        held.used = time.monotonic()
        key = (held.chat.person.name, held.chat.session)
        self._busy.discard(key)
        if held.recorded and held.chat.begun:
            self._idle[key] = held
        else:
            self._close_soon(key, held.chat)
        self._close_idle()

    async def close_session(self, person: str, session: str) -> None:
        """Let go of a conversation that is about to change; raises `ApiRefusal` while it is being answered."""
        if (person, session) in self._busy:
            raise ApiRefusal(409, "This conversation is being answered.", "Wait, or stop that answer.", code="busy")
        if held := self._idle.pop((person, session), None):
            self._close_soon((person, session), held.chat)
        await self._until_closed((person, session))

    async def close(self) -> None:
        """Wait for those that are being closed; the engine closes the others."""
        while self._closing:
            await asyncio.wait(set(self._closing.values()))

    async def _open(self, face: AnswerFace, person: str) -> Chat:
        chat = await self._engine.chat(face.face, person)
        self.on_open(chat)
        return chat

    def _close_idle(self) -> None:
        now = time.monotonic()
        while self._idle:
            key, oldest = next(iter(self._idle.items()))
            if len(self._idle) <= MAX_IDLE_CHATS and now - oldest.used < IDLE_CHAT_SECONDS:
                return
            del self._idle[key]
            self._close_soon(key, oldest.chat)

    def _close_soon(self, key: tuple[str, str], chat: Chat) -> None:
        closing = in_background(self._engine.end(chat), "Closing a chat")
        self._closing[key] = closing
        closing.add_done_callback(lambda _: self._closing.pop(key, None))

    async def _until_closed(self, key: tuple[str, str]) -> None:
        if closing := self._closing.get(key):
            await asyncio.wait({closing})


async def require_session(sessions: Sessions, session: str) -> None:
    """Raise `ApiRefusal` where no conversation has exactly this id."""
    if await sessions.find(session) != session:
        raise ApiRefusal(404, "There is no such conversation.", "GET /api/sessions lists them.", code="no_session")

"""One Telegram chat: its messages are taken one after the other, each answered in the chat's one conversation."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, nullcontext, suppress
from dataclasses import dataclass
from typing import Any

from chatbot.conversation.events import Event, Notice, Progress
from chatbot.conversation.messages import Attachment
from chatbot.engine.chat import Chat
from chatbot.engine.engine import Engine
from chatbot.engine.face import Face
from chatbot.frontends.telegram.commands import carry_out, takes_long
from chatbot.frontends.telegram.connection.client import BotClient, Place
from chatbot.frontends.telegram.connection.inbox import Inbox
from chatbot.frontends.telegram.connection.updates import IncomingMessage
from chatbot.frontends.telegram.consent import ButtonConsent
from chatbot.frontends.telegram.conversation import KeptConversation
from chatbot.frontends.telegram.files import SentFiles
from chatbot.frontends.telegram.messages.draft import GROUP_EDIT_SECONDS, PRIVATE_EDIT_SECONDS, Draft
from chatbot.frontends.telegram.messages.sender import Sender
from chatbot.frontends.telegram.messages.view import TurnView
from chatbot.frontends.telegram.news import ChatNews
from utils.errors import MagpieError
from utils.faults import in_background, log_failure, record_fault

PERSON_PREFIX = "telegram-"
TYPING_SECONDS = 4.5
"""Telegram shows for five seconds that somebody writes."""
FAREWELL_SECONDS = 3.0
"""For what is still to be sent when Magpie ends."""
MAX_WAITING = 20
"""Messages of one chat that wait for an answer; who sends more is told to wait."""
STOPPED = "Stopped. What was said so far is kept."
ENDED = "Magpie was ended in the middle of this answer; what was said so far is kept. /retry answers it again."
NOTHING_UNDER_WAY = "Nothing is under way."
LATER = "I will come to that once this is answered; /stop ends it."
OTHERS_FIRST = "Others are answered first; your turn comes by itself. /stop takes this back"
TOO_MANY = "Too much waits for an answer already, so this was not taken: send it again later."
WHAT_PICTURE = "What is in this picture?"
WHAT_FORWARDED = "What does this forwarded message say?"
NO_QUESTION = "Write a question, or send a document or a picture."


@dataclass(frozen=True)
class BotParts:
    """What all chats of the bot share."""

    engine: Engine
    client: BotClient
    sender: Sender
    inbox: Inbox
    turns: asyncio.Semaphore
    """As many messages as are answered at once, steps of research with them.

    Who waits for one comes in the order in which they began to.
    """


@dataclass
class _Waiting:
    message: IncomingMessage
    update: dict[str, Any]
    begun: bool = False
    """Whether its question is in the conversation."""


class TelegramChat:
    """The chat with an id of Telegram's: of one person, or of a group, which has a memory of its own.

    What somebody told the bot alone is nothing for a group that they are in.
    """

    def __init__(self, parts: BotParts, chat_id: int) -> None:
        self._parts = parts
        self._place = Place(chat_id)
        config = parts.engine.configuration.values
        settings = self._settings = config.telegram
        self.consent = ButtonConsent(parts.client, parts.sender, settings.consent_seconds, self._asker)
        folder = config.data_folder / "telegram" / "files" / str(chat_id)
        self._files = SentFiles(parts.client, folder, settings.max_file_mb * 1_000_000)
        self._news = ChatNews(parts.sender, self._place)
        self._idle = asyncio.Event()
        self._idle.set()
        face = Face(self._news.put, self.consent.ask, turns=parts.turns)
        person = f"{PERSON_PREFIX}{chat_id}"
        self.conversation = KeptConversation(parts.engine, face, person, self._news.put, self._idle)
        self._waiting: asyncio.Queue[_Waiting] = asyncio.Queue()
        self._is_full = False
        """Whether it was said that too much waits."""
        self._current: IncomingMessage | None = None
        self._doing: asyncio.Task[None] | None = None
        self._farewell = STOPPED
        self._tasks = [
            in_background(self._work(), "Answering in Telegram"),
            in_background(self._news.follow(), "Sending news to Telegram"),
        ]

    @property
    def is_idle(self) -> bool:
        """Whether nothing is under way, waits or is still to be told."""
        return self._doing is None and self._waiting.empty() and self._news.is_empty

    def put(self, message: IncomingMessage, update: dict[str, Any]) -> None:
        """Take a message: it is answered once those before it are."""
        if message.command == "stop":
            self._stop()
            self._parts.inbox.remove(message.update_id)
        elif self._waiting.qsize() >= MAX_WAITING:
            if not self._is_full:
                self._news.put(Notice(TOO_MANY, "warning"))
            self._is_full = True
            self._parts.inbox.remove(message.update_id)
        else:
            if self._doing is not None and self._waiting.empty():
                self._news.put(Notice(LATER))
            self._is_full = False
            self._waiting.put_nowait(_Waiting(message, update))

    def tell_ended(self) -> None:
        """Say that an answer was cut off when Magpie ended, which it could not say then."""
        self._news.put(Notice(ENDED, "warning"))

    async def close(self) -> None:
        """End what is under way, as `/stop` does, and send what is still to be said, for some seconds."""
        self._farewell = ENDED
        await self._news.drain(FAREWELL_SECONDS)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.conversation.close()

    def _stop(self) -> None:
        if self._doing is None:
            self._news.put(Notice(NOTHING_UNDER_WAY))
        else:
            self._farewell = STOPPED
            self._doing.cancel()

    def _asker(self) -> tuple[Place, int]:
        """Where the question under way stands, and whose it is; nobody can agree to what no question wants."""
        current = self._current
        return (current.place, current.user_id) if current else (self._place, 0)

    async def _work(self) -> None:
        """Answer one message after the other, until cancelled."""
        while True:
            waiting = await self._waiting.get()
            self._idle.clear()
            self._current = waiting.message
            self._doing = asyncio.create_task(self._answer(waiting))
            try:
                await asyncio.wait({self._doing})
            finally:
                self._doing.cancel()
                [done], _ = await asyncio.wait({self._doing})
                if not done.cancelled() and isinstance(error := done.exception(), Exception):
                    self._news.put(Notice(str(log_failure(error, "Showing an answer")), "error"))
                self._doing = self._current = None
                self._idle.set()

    async def _answer(self, waiting: _Waiting) -> None:
        """Show one answer as it comes; however it ended, that is said."""
        message, place = waiting.message, waiting.message.place
        pause = PRIVATE_EDIT_SECONDS if message.is_private else GROUP_EDIT_SECONDS
        draft = Draft(self._parts.sender, place, message.answered_id, lambda: view.compose(), pause)
        view = TurnView(draft.note_change)
        beside = [
            in_background(draft.follow(), "Showing an answer"),
            in_background(self._show_typing(place), "Showing that an answer is written"),
        ]
        seconds: float | None = None
        try:
            await self._show_events(waiting, view)
        except asyncio.CancelledError:
            seconds = FAREWELL_SECONDS if self._farewell == ENDED else None
            view.add_below(self._farewell)
        except Exception as error:  # noqa: BLE001 - what nobody foresaw ends one answer, and not the bot
            view.add_below(str(record_fault(error, "This")))
        finally:
            for task in beside:
                task.cancel()
        await self._finish(waiting, draft, seconds)

    async def _finish(self, waiting: _Waiting, draft: Draft, seconds: float | None) -> None:
        """Show the whole answer; what did not come so far is asked, or told of, when Magpie runs again."""
        await self.conversation.note_state()
        ended = self._farewell == ENDED and seconds is not None
        if ended and not waiting.begun:
            return
        delivered = not ended
        try:
            async with asyncio.timeout(seconds):
                await draft.finish()
            delivered = True
        except (TimeoutError, MagpieError) as error:
            log_failure(error, "Showing an answer")
        except asyncio.CancelledError:
            delivered = self._farewell != ENDED
            raise
        finally:
            if delivered:
                self._parts.inbox.remove(waiting.message.update_id)

    async def _show_events(self, waiting: _Waiting, view: TurnView) -> None:
        async with aclosing(self._events(waiting)) as events:
            async for event in events:
                view.show_event(event)

    async def _events(self, waiting: _Waiting) -> AsyncGenerator[Event, None]:
        """What a message brings about, once it is its turn; raises a `MagpieError`."""
        turns = self._parts.turns if must_wait(waiting.message) else None
        if turns is not None and turns.locked():
            yield Progress(OTHERS_FIRST, 0, 0)
        async with turns or nullcontext(), aclosing(self._answer_events(waiting)) as events:
            async for event in events:
                yield event

    async def _answer_events(self, waiting: _Waiting) -> AsyncGenerator[Event, None]:
        message = waiting.message
        if message.unreadable:
            yield Notice(f"I am sorry, I cannot make anything of {message.unreadable}. {NO_QUESTION}")
            return
        if message.command:
            carried_out = carry_out(self.conversation.ready, self._settings, message.command, message.text)
            async with aclosing(carried_out) as done:
                async for event in done:
                    await self._note_begun(waiting)
                    yield event
            return
        if message.document:
            chat = await self.conversation.ready()
            async with aclosing(self._files.index_document(chat, message.document)) as indexed:
                async for event in indexed:
                    yield event
        if message.text or not message.document:
            async with aclosing(self._ask(waiting)) as answered:
                async for event in answered:
                    yield event

    async def _ask(self, waiting: _Waiting) -> AsyncGenerator[Event, None]:
        """Ask the question of a message, with what was sent with it."""
        message = waiting.message
        question, forwarded = read_question(message)
        if not question:
            yield Notice(NO_QUESTION)
            return
        chat = await self.conversation.ready()
        attachments = [*forwarded, *await self._read_attached(chat, message)]
        async with aclosing(chat.agent.ask(question, attachments=attachments)) as events:
            async for event in events:
                await self._note_begun(waiting)
                yield event
        await chat.agent.prepare_room()

    async def _read_attached(self, chat: Chat, message: IncomingMessage) -> Sequence[Attachment]:
        if message.picture:
            return await self._files.read_picture(chat, message.picture)
        if message.document:
            return await self._files.read_document(chat, message.document)
        return ()

    async def _note_begun(self, waiting: _Waiting) -> None:
        """From its first event on a question is in the conversation, and a command has done something."""
        if not waiting.begun:
            waiting.begun = True
            await asyncio.to_thread(self._parts.inbox.mark_begun, waiting.update)

    async def _show_typing(self, place: Place) -> None:
        while True:
            if not self._parts.sender.wait_seconds(place):
                # It is seen that something goes on, or it is not.
                with suppress(MagpieError):
                    await self._parts.client.show_typing(place)
            await asyncio.sleep(TYPING_SECONDS)


def must_wait(message: IncomingMessage) -> bool:
    """Whether it is answered only when it is its turn: not what is told at once."""
    return takes_long(message.command, message.text) if message.command else not message.unreadable


def read_question(message: IncomingMessage) -> tuple[str, list[Attachment]]:
    """What a message asks, empty for nothing, and what was forwarded with it.

    What somebody else wrote is no word of this user's: an address in it, for instance, is not opened unasked.
    """
    if message.is_forwarded and message.text:
        return WHAT_FORWARDED, [Attachment("the forwarded message", message.text)]
    return message.text or (WHAT_PICTURE if message.picture else ""), []

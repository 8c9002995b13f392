"""The bot: takes what comes from Telegram over, and hands it to the chats it is for."""

import asyncio
import logging
import re
from collections.abc import Callable, Coroutine
from typing import Any

from chatbot.frontends.telegram.chat import PERSON_PREFIX, BotParts, TelegramChat
from chatbot.frontends.telegram.commands import list_commands
from chatbot.frontends.telegram.connection.client import (
    BotConflict,
    BotIdentity,
    TelegramBusy,
    TelegramRefusal,
    TelegramUnreachable,
)
from chatbot.frontends.telegram.connection.updates import ButtonPress, Incoming, IncomingMessage, read_update, sender_of
from chatbot.settings import TelegramSettings
from utils.errors import MagpieError
from utils.faults import in_background, log_failure

log = logging.getLogger("magpie.telegram")

FIRST_PAUSE_SECONDS, LAST_PAUSE_SECONDS = 0.5, 30.0
"""Between two tries to reach Telegram."""
DISK_PAUSE_SECONDS = 10.0
"""Until messages that could not be written down are asked for again."""
MAX_CONFLICTS = 3
"""In a row: a request for news of a run before this one is ended by the first of this."""
LEAVING_SECONDS = 3.0
"""For telling Telegram at the end what was taken over."""
MAX_OPEN_CHATS = 50
"""Past which those are closed in which nothing was said for longest; each of them holds files and a model's state."""
UNREACHED = "Telegram cannot be reached: Magpie goes on by itself when it can be."
REACHED = "Telegram is reached again."


def chat_id_of(person: str) -> int:
    """The id of the chat that a person's name stands for; 0 for the name of somebody else."""
    number = person.removeprefix(PERSON_PREFIX)
    return int(number) if re.fullmatch(r"-?[0-9]{1,19}", number) else 0


class AllowedUsers:
    """The ids of the users that may write to the bot."""

    def __init__(self, settings: TelegramSettings) -> None:
        self._ids = frozenset(one for one in settings.allowed_users if isinstance(one, int))
        self._all = settings.serves_everybody

    def __contains__(self, user_id: int) -> bool:
        return user_id in self._ids or (self._all and user_id > 0)


class TelegramBot:
    """Serves the chats of allowed users; nothing at all is done for others."""

    def __init__(self, parts: BotParts, me: BotIdentity, tell: Callable[[str], None]) -> None:
        """`tell` is given the sentences for whoever runs the bot."""
        self._parts = parts
        self._me = me
        self._tell = tell
        self._settings = parts.engine.configuration.values.telegram
        self._allowed = AllowedUsers(self._settings)
        self._chats: dict[int, TelegramChat] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._offset: int | None = None
        self._cut = False

    async def serve(self) -> None:
        """Answer until cancelled; raises a `MagpieError` where that cannot go on."""
        try:
            await self._begin()
            await self._take_updates()
        finally:
            await self._end()

    async def _begin(self) -> None:
        """Offer the commands, go on with what a run before this one left, and wait for what reminders fall due."""
        try:
            await self._parts.client.set_commands(list_commands(self._settings))
        except (TelegramBusy, TelegramRefusal, TelegramUnreachable) as error:
            log_failure(error, "Offering the commands")
        for kept in await asyncio.to_thread(self._parts.inbox.load):
            message = self._read(kept.update)
            if not isinstance(message, IncomingMessage):
                self._parts.inbox.remove(kept.update["update_id"])
            elif kept.begun:
                self._chat_of(message.place.chat_id).tell_ended()
                self._parts.inbox.remove(message.update_id)
            else:
                self._chat_of(message.place.chat_id).put(message, kept.update)
        for person in await self._parts.engine.people_with_reminders(PERSON_PREFIX):
            chat_id = chat_id_of(person)
            # A group's id is negative: an allowed user has set its reminders.
            if chat_id and (chat_id < 0 or chat_id in self._allowed):
                self._watch(self._chat_of(chat_id).conversation.ready(), "Looking for reminders")

    async def _take_updates(self) -> None:
        pause, conflicts = FIRST_PAUSE_SECONDS, 0
        while True:
            try:
                updates = await self._parts.client.fetch_updates(self._offset)
            except (TelegramUnreachable, TelegramBusy) as error:
                self._note_cut(error)
                await asyncio.sleep(error.seconds if isinstance(error, TelegramBusy) else pause)
                pause = min(2 * pause, LAST_PAUSE_SECONDS)
                continue
            except BotConflict as conflict:
                conflicts += 1
                if conflict.webhook or conflicts == MAX_CONFLICTS:
                    raise
                await asyncio.sleep(pause)
                continue
            # What stood before it is forgotten there now. It is not kept: after a silent week ids begin anew (Bot API).
            self._offset = None
            self._note_reached()
            try:
                await self._take(updates)
            except OSError as error:
                # What could not be written down is not confirmed, so it comes again.
                self._tell(f"{log_failure(error, 'Taking messages over')} They come again.")
                await asyncio.sleep(DISK_PAUSE_SECONDS)
                continue
            pause, conflicts = FIRST_PAUSE_SECONDS, 0
            await self._close_unused()

    async def _take(self, updates: list[dict[str, Any]]) -> None:
        """Take a batch over: on disk first, so that Telegram may forget it with the next request."""
        incoming = {update["update_id"]: one for update in updates if (one := self._read(update)) is not None}
        messages = [update for update in updates if isinstance(incoming.get(update["update_id"]), IncomingMessage)]
        for update in await asyncio.to_thread(self._parts.inbox.take, messages):
            message = incoming[update["update_id"]]
            assert isinstance(message, IncomingMessage)
            self._chat_of(message.place.chat_id).put(message, update)
        for one in incoming.values():
            if isinstance(one, ButtonPress):
                consent = self._chat_of(one.place.chat_id).consent
                self._watch(consent.take_press(one), "Taking a pressed button in")
        if updates:
            self._offset = max(update["update_id"] for update in updates) + 1

    def _read(self, update: dict[str, Any]) -> Incoming | None:
        """What an update brings from somebody who is allowed; None for all else."""
        try:
            return read_update(update, self._me) if sender_of(update)[0] in self._allowed else None
        except Exception as error:  # noqa: BLE001 - a message of a shape that nobody foresaw costs no other one
            log_failure(error, "Reading a message")
            return None

    def _chat_of(self, chat_id: int) -> TelegramChat:
        # The last one is that which was used last.
        chat = self._chats.pop(chat_id, None) or TelegramChat(self._parts, chat_id)
        self._chats[chat_id] = chat
        return chat

    async def _close_unused(self) -> None:
        """Close what was not used for longest; for none of them anything comes in the meantime."""
        for chat_id, chat in list(self._chats.items())[: max(0, len(self._chats) - MAX_OPEN_CHATS)]:
            try:
                if chat.is_idle and not await chat.conversation.has_news_to_come():
                    del self._chats[chat_id]
                    await chat.close()
            except MagpieError as error:
                log_failure(error, "Closing a chat")

    def _watch(self, work: Coroutine[Any, Any, object], doing: str) -> None:
        """Have something done meanwhile; what goes wrong in it is in the log."""
        task = in_background(work, doing)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _note_cut(self, error: MagpieError) -> None:
        """Say once that Telegram is not reached."""
        if not self._cut:
            self._cut = True
            log.warning("cut", extra={"data": {"why": error.problem}})
            self._tell(UNREACHED)

    def _note_reached(self) -> None:
        if self._cut:
            self._cut = False
            log.warning("reached")
            self._tell(REACHED)

    async def _end(self) -> None:
        """End all chats at once, and have Telegram forget what was taken over."""
        for task in self._tasks:
            task.cancel()
        ended = await asyncio.gather(*(chat.close() for chat in self._chats.values()), return_exceptions=True)
        for error in ended:
            if isinstance(error, Exception):
                log_failure(error, "Closing a chat")
        if self._offset is not None:
            try:
                async with asyncio.timeout(LEAVING_SECONDS):
                    await self._parts.client.fetch_updates(self._offset, wait=False)
            except (TimeoutError, MagpieError) as error:
                # They come once more, and are known then.
                log_failure(error, "Leaving Telegram")

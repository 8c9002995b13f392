"""The one conversation that a Telegram chat has, opened when something is said in it."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from chatbot.conversation.events import Notice
from chatbot.engine.chat import Chat
from chatbot.engine.engine import Engine
from chatbot.engine.face import Face
from chatbot.engine.profile_choice import use_profile
from utils.errors import FileMissing, MagpieError, SessionError
from utils.faults import in_background, log_failure
from utils.files import read_text
from utils.paths import write_private


class KeptConversation:
    """Goes on, after a restart too, with what a person said last, and in the profile that they chose.

    Meanwhile their reminders are told while `idle`.
    """

    def __init__(
        self, engine: Engine, face: Face, person: str, tell: Callable[[Notice], None], idle: asyncio.Event
    ) -> None:
        config = engine.configuration.values
        self._note = config.data_folder / "telegram" / "new" / person
        """Is there while nothing was said yet in a conversation that was begun anew."""
        self._profile_note = config.data_folder / "telegram" / "profiles" / person
        """Names the profile that was chosen; is not there while none was."""
        self._profile = ""
        """The one in force as far as it is noted."""
        self._is_private = config.private
        # What acts for the owner is for those whom they named, not for everybody.
        self._may_use_programs = not config.telegram.serves_everybody
        self._engine = engine
        self._face = face
        self._person = person
        self._tell = tell
        self._idle = idle
        self._opening = asyncio.Lock()
        self._chat: Chat | None = None
        self._tasks: list[asyncio.Task[None]] = []

    async def ready(self) -> Chat:
        """The conversation; raises a `MagpieError`."""
        # A question and a look at the reminders may want it at the same time.
        async with self._opening:
            if self._chat is None:
                self._chat = await self._open()
            return self._chat

    async def has_news_to_come(self) -> bool:
        """Whether a reminder or the report of a research is to be told later on; raises a `MagpieError`."""
        if self._chat is None:
            return False
        return self._chat.research.under_way is not None or bool(await self._chat.reminders.pending_reminders())

    async def close(self) -> None:
        """Let go of it; what was said is on disk."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._chat is not None:
            await self._engine.end(self._chat)

    async def note_state(self) -> None:
        """Write down what a restart goes on with: none before a conversation begun anew, and the chosen profile."""
        if self._chat is None or self._is_private:
            return
        try:
            if self._chat.begun:
                await asyncio.to_thread(self._note.unlink, missing_ok=True)
            else:
                await asyncio.to_thread(write_private, self._note, "")
            if (chosen := self._chat.profile.profile.name) != self._profile:
                await asyncio.to_thread(write_private, self._profile_note, chosen)
                self._profile = chosen
        except OSError as error:
            log_failure(error, "Noting what a chat goes on with")

    async def _open(self) -> Chat:
        chat = await self._engine.chat(self._face, self._person)
        try:
            await self._take_up_profile(chat)
            await self._go_on(chat)
        except BaseException:
            # Stopped meanwhile, for instance: the next one who wants it opens it anew.
            await self._engine.end(chat)
            raise
        self._tasks = [
            in_background(chat.warm_up(programs=self._may_use_programs), "Loading the models"),
            in_background(chat.reminders.announce_due(self._tell, self._idle), "Telling reminders"),
        ]
        return chat

    async def _take_up_profile(self, chat: Chat) -> None:
        """Put the profile in force that was chosen before; where it cannot be, the chat begins as the bot does.

        Raises a `MagpieError` where that cannot be known.
        """
        with suppress(FileMissing):
            chosen = await asyncio.to_thread(read_text, self._profile_note)
            try:
                await use_profile(chat, chosen)
            except MagpieError as error:
                self._tell(Notice(f"{error} Until then this chat goes on as the bot began.", "warning"))
        self._profile = chat.profile.profile.name

    async def _go_on(self, chat: Chat) -> None:
        if await asyncio.to_thread(self._note.exists):
            return
        try:
            latest = await chat.sessions.latest()
            for event in await chat.resume(latest) if latest else ():
                # What was said stands in the chat already.
                if isinstance(event, Notice) and event.level == "warning":
                    self._tell(event)
        except SessionError as error:
            self._tell(Notice(f"{error} So this is a new conversation.", "warning"))

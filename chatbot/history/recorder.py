"""Writes a conversation down as it grows; where that fails the conversation goes on, and the user is told once."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

from chatbot.conversation import events
from chatbot.conversation.events import Notice
from chatbot.conversation.messages import Message
from chatbot.conversation.turns import has_ended
from chatbot.history.entries import Spent, TurnAnswered, Value
from chatbot.history.sessions import Sessions
from chatbot.history.titles import Titler
from utils.faults import record_fault

DRAFT_EVERY = 0.5
"""Seconds between two writings of a reply that is still arriving."""


class Recording:
    """The session that is being written."""

    def __init__(
        self, sessions: Sessions, model: Callable[[], str], titler: Titler, tell: Callable[[Notice], None]
    ) -> None:
        self.session = sessions.new_id()
        self._sessions = sessions
        self._model = model
        self._titler = titler
        self._tell = tell
        self._question = ""
        self._drafted = 0.0
        self._failing = False
        self._answering = False
        """Whether a question is being answered."""
        self._said_in = ""
        """The session that something was said in last."""
        self._held: dict[str, Value] = {}
        """What was chosen in a session before anything was said in it."""
        self._spent: dict[tuple[str, str], Spent] = {}
        """What was used beside the answers and is not written down yet, by purpose and model."""

    async def add(self, *messages: Message) -> None:
        """Something was said."""
        for message in messages:
            if message.is_question:
                self._titler.stop_title()
                self._question = message.content
        # A turn that was stopped, or failed, ends with an answer as well.
        self._answering = not has_ended(messages)
        self._said_in = self.session
        await self.write(*messages)

    async def draft(self, text: str, thinking: str) -> None:
        """So much of a reply has arrived; written down now and then."""
        if time.monotonic() - self._drafted >= DRAFT_EVERY:
            await self._try_write(self._sessions.draft(self.session, text, thinking))
            self._drafted = time.monotonic()

    async def answered(self, answered: events.Answered) -> None:
        """A turn has ended with an answer."""
        cited = tuple(source.number for source in answered.cited)
        told = (cited, answered.unknown, answered.truncated, answered.unsupported, answered.form, answered.summary)
        self._answering = False
        await self.write(TurnAnswered(answered.usage, answered.seconds, self._model(), *told))
        self._titler.begin_title(self.session, self._question, answered.text)

    async def write(self, *values: Value) -> None:
        """Write anything down; it is on the disk then, or will be once there is room."""
        spent, self._spent = self._spent, {}
        held = [self._held.pop(self.session)] if self.session in self._held else []
        written = (*held, *spent.values(), *values)
        await self._try_write(self._sessions.append(self.session, *written, model=self._model()))

    def hold(self, value: Value) -> None:
        """Something was chosen, which alone begins no session: it is written down with what is said first."""
        self._held[self.session] = value

    async def spend(self, spent: Spent) -> None:
        """Tokens were used beside the answer: while one is being made, that is written down with what is said next.

        What was spent before anything was said begins no session.
        """
        key = spent.purpose, spent.model
        before = self._spent.get(key)
        self._spent[key] = replace(spent, usage=before.usage + spent.usage) if before else spent
        if not self._answering and self._said_in == self.session:
            await self.write()

    async def _try_write(self, work: Coroutine[Any, Any, object]) -> None:
        try:
            # Ctrl-C stops a turn, not the writing of what was said in it.
            await asyncio.shield(asyncio.ensure_future(work))
        except Exception as error:  # noqa: BLE001 - the talk goes on, whatever became of writing it down
            failure = record_fault(error, "Writing down what is said")
            if not self._failing:
                self._tell(Notice(str(failure), "warning"))
            self._failing = True
            return
        if self._failing and not self._sessions.unsaved_count:
            self._failing = False
            self._tell(Notice("Everything that was said is saved now."))

"""One answer that is being made: its events, numbered and kept, for as many listeners as come and go."""

import asyncio
import secrets
from collections.abc import AsyncGenerator, Callable
from typing import Any

from chatbot.conversation.json_events import failure_object
from chatbot.settings import ServeSettings
from utils.errors import MagpieError

EventFields = dict[str, Any]
HEARTBEAT_SECONDS = 15.0
"""Of silence, after which a listener is told that the connection holds."""


class LiveAnswer:
    """An answer under way, or one that has ended.

    It is made for whoever listens: when nobody has for `serve.grace_seconds`, it is stopped. One that is `resumable`
    goes on alone for `serve.keep_seconds`.
    """

    def __init__(self, person: str, session: str, settings: ServeSettings, *, resumable: bool = False) -> None:
        self.id = secrets.token_urlsafe(12)
        self.person = person
        self.session = session
        self.events: list[EventFields] = []
        self.done = False
        self.was_left = False
        """Whether it was stopped because nobody listened any more."""
        self.failure: MagpieError | None = None
        """Why there is no answer, once it has ended without one."""
        self._alone_seconds = settings.keep_seconds if resumable else settings.grace_seconds
        self._stop: Callable[[], object] = lambda: None
        self._listeners = 0
        self._changed = asyncio.Event()
        self._leaving: asyncio.TimerHandle | None = None

    def begin(self, stop: Callable[[], object]) -> None:
        """It is being made from now on; `stop` ends that, and may be called at any time."""
        self._stop = stop
        self._await_listeners()

    def add_event(self, fields: EventFields) -> None:
        """Tell the listeners, those who come later as well."""
        if not self.done:
            self.events.append(fields)
            self._wake_listeners()

    def fail(self, failure: MagpieError) -> None:
        """Tell the listeners why there will be no answer."""
        self.failure = failure
        self.add_event(failure_object(failure))

    def finish(self) -> None:
        """Nothing comes any more."""
        self.done = True
        self._forget_leaving()
        self._wake_listeners()

    def cancel(self) -> None:
        """Stop making it; what had arrived stays in the conversation."""
        if not self.done:
            # Once: a second one would cut off the writing down of what had arrived.
            stop, self._stop = self._stop, lambda: None
            stop()

    async def follow(self, after: int = 0) -> AsyncGenerator[tuple[int, EventFields] | None, None]:
        """Its events with their numbers, from the one after a number on, until it ends; None in long silence."""
        self._listeners += 1
        self._forget_leaving()
        told = max(0, after)
        try:
            while True:
                while told < len(self.events):
                    told += 1
                    yield told, self.events[told - 1]
                if self.done:
                    return
                changed = self._changed
                try:
                    async with asyncio.timeout(HEARTBEAT_SECONDS):
                        await changed.wait()
                except TimeoutError:
                    yield None
        finally:
            self._listeners -= 1
            self._await_listeners()

    def _wake_listeners(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    def _await_listeners(self) -> None:
        """Stop it in a while, unless somebody listens until then."""
        if not self._listeners and not self.done and self._leaving is None:
            self._leaving = asyncio.get_running_loop().call_later(self._alone_seconds, self._leave)

    def _forget_leaving(self) -> None:
        if self._leaving is not None:
            self._leaving.cancel()
            self._leaving = None

    def _leave(self) -> None:
        self._leaving = None
        self.was_left = True
        self.cancel()

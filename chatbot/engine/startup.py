"""A chat while it is being opened, as front ends see it: the prompt comes at once, the rest in the background."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from chatbot.config import Configuration
from utils.errors import MagpieError
from utils.faults import in_background

if TYPE_CHECKING:
    from chatbot.engine.chat import Chat
    from chatbot.engine.engine import Engine
    from chatbot.engine.face import Face

LOADING = "Getting the model ready"


class OpeningChat:
    """One chat of an engine, there once `ready` has returned."""

    def __init__(
        self, engine: "Engine", face: "Face", tell_unready: Callable[[MagpieError], None] | None = None
    ) -> None:
        """`tell_unready` is given what could not be loaded ahead of the first question, which tries it again and tells
        it as well; None where that one waits already.
        """
        self._engine = engine
        self._face = face
        self._tell_unready = tell_unready
        self._chat: Chat | None = None
        self._starting: asyncio.Task[Chat] | None = None
        self._warming: asyncio.Task[None] | None = None

    @property
    def configuration(self) -> Configuration:
        """The settings in force."""
        return self._chat.configuration if self._chat else self._engine.configuration

    def start(self) -> None:
        """Begin to import, open and load in the background."""
        if self._starting is None:
            self._starting = asyncio.create_task(self._start())

    async def ready(self) -> "Chat":
        """Wait until the chat is there (not until its model is loaded); raises a `MagpieError`."""
        self.start()
        starting = self._starting
        assert starting is not None
        try:
            self._chat = await asyncio.shield(starting)
        finally:
            # Several may wait for one try that fails; the next one who asks tries again.
            if starting.done() and self._chat is None and self._starting is starting:
                self._starting = None
        return self._chat

    async def _start(self) -> "Chat":
        try:
            chat = await self._engine.chat(self._face)
        except MagpieError as error:
            if self._tell_unready:
                self._tell_unready(error)
            raise
        self._warming = in_background(self._warm_up(chat), "Loading the models", self._tell_unready)
        return chat

    async def _warm_up(self, chat: "Chat") -> None:
        """Have everything loaded that the first question needs, and say so meanwhile."""
        from chatbot.conversation.events import Progress

        self._face.show(Progress(LOADING, 0, 1))
        try:
            await chat.warm_up()
        finally:
            self._face.show(Progress(LOADING, 1, 1))

    async def close(self) -> None:
        """Stop what is under way; the chat itself is closed by the engine."""
        under_way = [task for task in (self._starting, self._warming) if task is not None]
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)

"""A running Magpie as front ends and commands see it; light to import, so that the prompt is there at once."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from chatbot.config import Configuration
from utils.errors import MagpieError
from utils.faults import in_background

if TYPE_CHECKING:
    from chatbot.conversation.events import Notice, Progress
    from chatbot.engine.engine import Parts
    from chatbot.trust.consent import Ask
    from tools.mcp_client.elicitation.forms import Ask as AskForm


class App:
    """The configuration, and the parts once `ready` has returned."""

    def __init__(self, configuration: Configuration, resume: str = "") -> None:
        self.configuration = configuration
        self.resume = resume
        """The conversation to go on with, as `Chats.find` understands it; empty for a new one."""
        self.notices: asyncio.Queue[Notice | Progress] = asyncio.Queue()
        """News from the background, to be shown without disturbing what is being typed."""
        self.ask_consent: Ask | None = None
        """How a front end asks its user what may leave the machine; None where nobody is there to be asked."""
        self.ask_form: AskForm | None = None
        """How a front end asks its user what MCP servers want to know; None where nobody is there to be asked."""
        self.tell_unready: Callable[[MagpieError], None] | None = None
        """How a front end tells what could not be loaded ahead of the first question, which tries it again and tells it
        as well; None where that one waits already.
        """
        self._parts: Parts | None = None
        self._starting: asyncio.Task[Parts] | None = None
        self._warming: asyncio.Task[None] | None = None

    @property
    def parts(self) -> "Parts":
        """Agent, library, models and the rest; only after `ready`."""
        if self._parts is None:
            raise RuntimeError("the parts are used before they are ready")
        return self._parts

    def start(self) -> None:
        """Begin to import, open and load in the background."""
        if self._starting is None:
            self._starting = asyncio.create_task(self._start())

    async def ready(self) -> None:
        """Wait until the parts are there (not until the models are loaded); raises a `MagpieError`."""
        self.start()
        if self._starting is not None:
            try:
                self._parts = await asyncio.shield(self._starting)
            finally:
                if self._starting.done() and self._parts is None:
                    self._starting = None

    async def _start(self) -> "Parts":
        def load() -> Any:
            from chatbot.engine import engine as build

            return build

        build = await asyncio.to_thread(load)
        parts: Parts = await build.assemble(self.configuration, self.notices)
        parts.consent.ask = self.ask_consent
        parts.remote.ask = self.ask_form
        self._warming = in_background(parts.warm_up(), "Loading the models", self.tell_unready)
        return parts

    async def announce_reminders(self, idle: asyncio.Event) -> None:
        """Put reminders among the news when they are due, only while `idle` is set, until cancelled."""
        with suppress(MagpieError):
            # What is wrong is said by whoever asks for the parts next.
            await self.ready()
            await self.parts.reminders.announce(self.notices.put_nowait, idle)

    def set(self, name: str, value: Any) -> str:
        """Change a setting in force, write its own key to the file, and say so; raises `ConfigError`."""
        self.configuration = self.configuration.changed(name, value)
        self.parts.configure(self.configuration.values)
        return self.configuration.store(name)

    async def close(self) -> None:
        """Let go of everything; what was said and indexed is on disk already."""
        under_way = [task for task in (self._starting, self._warming) if task is not None]
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
        if self._parts is not None:
            await self._parts.close()

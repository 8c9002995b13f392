"""A running Magpie, one a process: opens what its chats share, and the chats. Light to import, for the prompt."""

import asyncio
from contextlib import AsyncExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from chatbot.config import Configuration
from chatbot.engine.face import Audience, Face
from utils.errors import MagpieError

if TYPE_CHECKING:
    from chatbot.engine.chat import Chat
    from chatbot.engine.resources import Resources
    from utils.network.access import NetworkAccess


class Engine:
    """Everything that is there once: network, library, embedder, MCP servers, and the people with their chats.

    Nothing is opened before the first chat. Used as a context, it is closed at the end.
    """

    def __init__(self, configuration: Configuration) -> None:
        self.configuration = configuration
        self.audience = Audience()
        """Every chat's face: they hear what concerns the whole process."""
        self._resources: Resources | None = None
        self._chats: dict[Chat, AsyncExitStack] = {}
        """Each with what closes it, and takes back what was joined for it."""
        self._opening = asyncio.Lock()
        self._closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def chat(self, face: Face, person: str = "", *, recorded: bool = True, instructions: str = "") -> "Chat":
        """A new chat of a person, the owner unless told; raises a `MagpieError`. Nothing heavy of it is loaded yet.

        Of one that is not `recorded` nothing enters the history, and no choice is remembered. `instructions` are words
        of the person's for the model in this chat, after those of the settings.
        """
        assembly = await asyncio.to_thread(_load)
        # One after the other: whoever closes the engine meanwhile waits for the one that is being opened.
        async with self._opening:
            if self._closed:
                raise MagpieError("Magpie is being closed.", "Start it again.")
            shared = await self._open()
            async with AsyncExitStack() as leaving:
                self.audience.join(face)
                leaving.callback(self.audience.leave, face)
                whose = await shared.people.join(person, face)
                leaving.push_async_callback(shared.people.leave, whose, face)
                chat: Chat = await assembly.make_chat(shared, face, whose, recorded=recorded, instructions=instructions)
                leaving.push_async_callback(chat.close)
                self._chats[chat] = leaving.pop_all()
                return chat

    async def network(self) -> "NetworkAccess":
        """The network as all chats use it, for what a front end itself connects to; raises a `MagpieError`."""
        async with self._opening:
            return (await self._open()).reach

    async def people_with_reminders(self, prefix: str) -> list[str]:
        """Who has reminders to come, of the people whose names begin so; raises a `MagpieError`."""
        async with self._opening:
            shared = await self._open()
        return await shared.people.with_reminders(prefix)

    async def end(self, chat: "Chat") -> None:
        """Close a chat; what was said in it is on disk."""
        if leaving := self._chats.pop(chat, None):
            await leaving.aclose()

    async def close(self) -> None:
        """Close every chat and let go of everything; what was said and indexed is on disk already.

        Raises the first `MagpieError` of what could not be closed, once all else is.
        """
        async with self._opening:
            self._closed = True
        ended = await asyncio.gather(*(self.end(chat) for chat in list(self._chats)), return_exceptions=True)
        resources, self._resources = self._resources, None
        if resources is not None:
            await resources.close()
        for failure in ended:
            if failure is not None:
                raise failure

    async def _open(self) -> "Resources":
        if self._resources is None:
            from chatbot.engine.resources import open_resources

            self._resources = await open_resources(self.configuration, self.audience)
        return self._resources


def _load() -> Any:
    """Half of what Magpie is made of."""
    from chatbot.engine import assembly

    return assembly

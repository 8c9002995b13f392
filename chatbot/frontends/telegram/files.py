"""Documents and pictures that are sent to the bot: fetched within the limit, under names that can do no harm."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from chatbot.commands.library.contents import rag_index
from chatbot.conversation.events import Event, Notice
from chatbot.conversation.messages import Attachment
from chatbot.frontends.telegram.connection.client import BotClient
from chatbot.frontends.telegram.connection.updates import SentFile
from utils.errors import DocumentError
from utils.paths import private_dir, safe_file_name

if TYPE_CHECKING:
    from chatbot.engine.chat import Chat


class SentFiles:
    """Takes what is sent in one chat; documents lie in `folder`, from where they can be read again."""

    def __init__(self, client: BotClient, folder: Path, max_bytes: int) -> None:
        self._client = client
        self._folder = folder
        self._max_bytes = max_bytes

    async def index_document(self, chat: "Chat", sent: SentFile) -> AsyncGenerator[Event, None]:
        """Take a document into the library; raises a `MagpieError`."""
        if chat.configuration.values.private or chat.library is None:
            yield Notice("Nothing is added to the library in this run, so the document was not taken.", "warning")
            return
        path = self.path_of(sent)
        await asyncio.to_thread(_write_bytes, path, await self._fetch(sent))
        async with aclosing(rag_index.run(chat, f'"{path}"')) as events:  # type: ignore[type-var]
            async for event in events:
                yield event

    async def read_document(self, chat: "Chat", sent: SentFile) -> Sequence[Attachment]:
        """A document that was indexed, to go with what is asked about it; raises a `MagpieError`."""
        path = self.path_of(sent)
        if not path.exists():
            return ()
        return (await chat.attachment_reader(lambda _: None).read_all([path])).attachments

    async def read_picture(self, chat: "Chat", sent: SentFile) -> Sequence[Attachment]:
        """A picture for a question; no file of it stays. Raises a `MagpieError`."""
        data = await self._fetch(sent)
        with TemporaryDirectory(prefix="magpie-") as folder:
            path = Path(folder) / safe_file_name(sent.name)
            await asyncio.to_thread(path.write_bytes, data)
            return (await chat.attachment_reader(lambda _: None).read_all([path])).attachments

    def path_of(self, sent: SentFile) -> Path:
        """Where a document lies: another one of its name takes its place, there and in the library."""
        return self._folder / safe_file_name(sent.name)

    async def _fetch(self, sent: SentFile) -> bytes:
        if sent.size > self._max_bytes:
            raise self._too_large(sent)
        data = await self._client.download(sent.id)
        if len(data) > self._max_bytes:
            raise self._too_large(sent)
        return data

    def _too_large(self, sent: SentFile) -> DocumentError:
        megabytes = self._max_bytes // 1_000_000
        return DocumentError(f"{safe_file_name(sent.name)} is larger than {megabytes} MB.", "Send a smaller one.")


def _write_bytes(path: Path, data: bytes) -> None:
    private_dir(path.parent)
    path.write_bytes(data)

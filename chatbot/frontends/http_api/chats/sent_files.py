"""Files that are sent with a question: read as those that a question names, and not kept."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from chatbot.attachments.reader import Named
from chatbot.conversation.events import Progress
from chatbot.conversation.messages import Attachment
from chatbot.engine.chat import Chat
from utils.paths import safe_file_name


@dataclass(frozen=True)
class FileContent:
    """A file of any format that Magpie reads."""

    name: str
    content: bytes = field(repr=False)


async def read_attached(
    chat: Chat, given: Sequence[Attachment | FileContent], show: Callable[[Progress], None]
) -> tuple[Attachment, ...]:
    """Texts as they are, and what stands in files; raises a `MagpieError` for one that cannot be read."""
    with TemporaryDirectory(prefix="magpie-") as folder:
        named: list[Named] = []
        for number, one in enumerate(given):
            if isinstance(one, FileContent):
                named.append(await asyncio.to_thread(_write_content, Path(folder) / str(number), one))
            else:
                named.append(one)
        return (await chat.attachment_reader(show).read_all(named)).attachments


def _write_content(folder: Path, file: FileContent) -> Path:
    folder.mkdir()
    path = folder / safe_file_name(file.name)
    path.write_bytes(file.content)
    return path

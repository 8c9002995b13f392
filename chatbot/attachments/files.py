"""A file as an attachment: its text."""

from pathlib import Path

from chatbot.conversation.messages import Attachment
from rag.readers import read_text_of
from utils.text import one_line


async def read_file(path: Path) -> Attachment:
    """The file; raises `DocumentError` for what cannot be read."""
    return Attachment(one_line(path.name), await read_text_of(path))

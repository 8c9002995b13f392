"""A file as an attachment: a picture, or its text."""

from pathlib import Path

from chatbot.conversation.messages import Attachment
from rag.readers import find_picture, read_text_of
from utils.text import one_line


async def read_file(path: Path) -> Attachment:
    """The file; raises `DocumentError` for what cannot be read."""
    picture = await find_picture(path)
    text = picture.text if picture else await read_text_of(path)
    return Attachment(one_line(path.name), text, picture=picture)

"""Writes a kept conversation into a file of the user's."""

import asyncio
import os
import re
from pathlib import Path
from typing import Literal

from chatbot.history.export.documents import to_html, to_markdown
from chatbot.history.sessions import Sessions
from utils.errors import SessionError
from utils.files import is_folder
from utils.text import one_line

Form = Literal["md", "html", "json"]
# Characters of a title that name a file.
_MAX_NAME_CHARS = 60
_NON_WORD_RUN = re.compile(r"[\W_]+")


async def export_session(sessions: Sessions, session: str, form: Form, path: Path | None = None) -> Path:
    """Write a conversation to a new file, by default in the current folder and named by its title; the file.

    A file that is there already is never written over. Raises `SessionError`.
    """
    loaded = await sessions.load(session)
    if form == "json":
        text = await sessions.export_json(session)
    else:
        text = await asyncio.to_thread(to_html if form == "html" else to_markdown, loaded)
    target = path or Path(f"{file_name(loaded.info.title)}.{form}")
    if is_folder(target):
        target /= f"{file_name(loaded.info.title)}.{form}"
    return await asyncio.to_thread(_write_new, target, text)


def file_name(title: str) -> str:
    """A title as the name of a file, without an ending: letters and digits of any script with hyphens between them."""
    return _NON_WORD_RUN.sub("-", title.lower())[:_MAX_NAME_CHARS].strip("-") or "conversation"


def _write_new(path: Path, text: str) -> Path:
    """Write to this path or, where that is taken, to one with a number; only its owner can read it."""
    number, target = 1, path
    while True:
        try:
            opened = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            break
        except FileExistsError:
            number += 1
            target = path.with_name(f"{path.stem}-{number}{path.suffix}")
        except (OSError, ValueError) as error:
            # A ValueError: there is a null character or a lone surrogate in the name.
            reason = error.strerror if isinstance(error, OSError) else "its name cannot be one"
            raise SessionError(f"{one_line(str(path))} cannot be written: {reason}.", "Name another file.") from error
    try:
        with os.fdopen(opened, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        target.unlink(missing_ok=True)
        raise SessionError(
            f"{target} cannot be written: {error.strerror}.", "Make room, or name another file."
        ) from error
    return target.absolute()

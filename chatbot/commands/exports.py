"""The commands that take what was said elsewhere: to the clipboard, into a file, and back from one."""

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

from chatbot.commands.base import command
from chatbot.conversation.events import Cleared, CopyText, Event, Notice
from chatbot.history.export.files import Form, export_session
from utils.errors import FileUnreadable, SessionError
from utils.files import expand_home, read_text

if TYPE_CHECKING:
    from chatbot.engine.chat import Chat

LARGEST_SESSION = 200_000_000
"""Bytes of a file that /import takes: more than a conversation of years."""
# A block that nothing closes goes to the end.
_BLOCK = re.compile(
    r"^(?P<fence>`{3,}+(?=[^`\n]*$)|~{3,}+)[^\n]*\n(?P<code>.*?)(?:^(?P=fence)[`~]*[ \t]*$|\Z)",
    re.MULTILINE | re.DOTALL,
)
_FORMS: dict[str, Form] = {"markdown": "md", "md": "md", "html": "html", "htm": "html", "json": "json"}
# Forms of documents that are asked for and not written; as a file's ending `txt` is as good for Markdown as any.
_UNWRITTEN = {"csv", "doc", "docx", "epub", "odt", "pdf", "rtf", "tex", "xls", "xlsx", "xml", "yaml"}
_UNWRITTEN_WORDS = _UNWRITTEN | {"txt", "text", "word"}


@command(argument="[number]")
async def copy(chat: "Chat", argument: str) -> AsyncIterator[Event]:
    """Copy the last answer to the clipboard, or its code block with a number."""
    answer = chat.agent.conversation.last_answer
    if not answer:
        yield Notice("There is no answer to copy yet.", "warning")
    elif not argument:
        yield CopyText(answer)
    else:
        blocks = [match["code"] for match in _BLOCK.finditer(answer)]
        number = int(argument) if argument.isdecimal() and len(argument) < 5 else 0
        if 1 <= number <= len(blocks):
            yield CopyText(blocks[number - 1])
        else:
            has = f"It has {len(blocks)}." if blocks else "It has none."
            yield Notice(f"The last answer has no code block {argument[:20]}. {has}", "warning")


@command(argument="[md|html|json] [file]")
async def export(chat: "Chat", argument: str) -> AsyncIterator[Event]:
    """Write this conversation into a file: Markdown, HTML or JSON."""
    chats = chat
    if unwritten := unwritten_form(argument):
        yield Notice(
            f"A conversation cannot be written as {unwritten}, but as md (Markdown), html or json: /export html. "
            "A browser makes a PDF of the HTML when it prints it.",
            "error",
        )
        return
    if not chats.begun:
        yield Notice("Nothing was said yet that could be exported.", "warning")
        return
    form, name = split_form(argument)
    written = await export_session(chats.sessions, chats.session, form, expand_home(Path(name)) if name else None)
    yield Notice(f"Written to {written}.")


def split_form(argument: str) -> tuple[Form, str]:
    """The form and the file that are meant: the form is named, or the file's name ends in it; else Markdown."""
    first, _, rest = argument.partition(" ")
    if first.lower() in _FORMS:
        return _FORMS[first.lower()], rest.strip()
    return _FORMS.get(Path(argument).suffix.lstrip(".").lower(), "md"), argument


def unwritten_form(argument: str) -> str:
    """The form that is asked for, by its name or as a file's ending, and cannot be written; else an empty string."""
    first = argument.partition(" ")[0].lower()
    if first in _UNWRITTEN_WORDS:
        return first
    ending = Path(argument).suffix.lstrip(".").lower()
    return ending if first not in _FORMS and ending in _UNWRITTEN else ""


@command(argument="<file>")
async def import_(chat: "Chat", argument: str) -> AsyncIterator[Event]:
    """Take in a conversation from a JSON file that /export wrote, and go on with it."""
    if not argument:
        yield Notice("Write the file after the command: /import <file>", "error")
        return
    try:
        text = await asyncio.to_thread(read_text, expand_home(Path(argument)), LARGEST_SESSION)
    except FileUnreadable as error:
        raise SessionError(error.problem, "Name a file that /export json wrote.") from error
    chats = chat
    taken = await chats.sessions.import_json(text)
    events = await chats.resume(taken.id)
    yield Cleared()
    if taken.known:
        yield Notice("This conversation was there already, just as it is in the file.")
    else:
        yield Notice("What is in it counts as text from outside, whoever it says has written it.")
    for event in events:
        yield event

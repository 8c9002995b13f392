"""The commands that take what was said elsewhere: to the clipboard, into a file, and back from one."""

import re
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from chatbot.commands.base import command
from chatbot.events import CopyText, Event, Notice

if TYPE_CHECKING:
    from chatbot.app import App

_BLOCK = re.compile(r"^(?P<fence>`{3,}|~{3,})[^\n]*\n(?P<code>.*?)^(?P=fence)[`~]*[ \t]*$", re.MULTILINE | re.DOTALL)


@command(argument="[number]")
async def copy(app: "App", argument: str) -> AsyncIterator[Event]:
    """Copy the last answer to the clipboard, or its code block with a number."""
    answer = app.parts.agent.conversation.last_answer
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

"""Asks the user what may leave the machine, with one key, while a turn waits."""

import asyncio
import os
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from rich.table import Table
from rich.text import Text

from chatbot.frontends.links import web_address
from chatbot.trust.consent import Decision, Request
from utils.network.addresses import host_of
from utils.text import clean, reveal_hidden

IGNORED_KEYS_SECONDS = 0.5
"""Seconds without a key before one counts: what is being typed ahead for the next prompt must not decide anything."""
KEYS: dict[str, Decision] = {"y": "once", "s": "session", "n": "no", "\x1b": "no", "v": "never"}
CONSENT_KEYS_HINT = "y once · s for this session · n no · v never in this session"
_SAID: dict[Decision, str] = {
    "once": "Allowed this once.",
    "session": "Allowed for this session.",
    "no": "Not allowed.",
    "never": "Not allowed, and not asked again in this session.",
}
_PASTE_MARKS = re.compile(r"\x1b\[20[01]~")


def request_block(request: Request) -> Table:
    """What is asked, all of what would be sent, and the keys."""
    block = Table.grid(padding=(0, 1, 0, 0))
    block.add_row(Text("?", "bold yellow"), Text(clean(request.question), overflow="fold"))
    block.add_row("", Text(reveal_hidden(request.sent), "bold", overflow="fold"))
    host = host_of(web_address(request.sent))
    if host not in request.sent.lower():
        block.add_row("", Text(f"That is the host {host}.", "yellow", overflow="fold"))
    block.add_row("", Text(CONSENT_KEYS_HINT, "dim", overflow="fold"))
    return block


def decision_line(decision: Decision) -> Text:
    """What was decided."""
    return Text(f"  {_SAID[decision]}", "dim")


async def read_decision(descriptor: int, put_aside: Callable[[str], None]) -> Decision:
    """The decision that a key of the terminal makes; other keys are put aside for the next prompt.

    Where the terminal is gone nothing is allowed.
    """
    async with aclosing(pressed_keys(descriptor)) as pressed:
        async for seconds, data in pressed:
            keys = data.decode("utf-8", "replace")
            if seconds >= IGNORED_KEYS_SECONDS and keys.casefold() in KEYS:
                return KEYS[keys.casefold()]
            put_aside(_PASTE_MARKS.sub("", keys).replace("\r", "\n"))
    return "no"


async def pressed_keys(descriptor: int) -> AsyncGenerator[tuple[float, bytes], None]:
    """What is typed while a turn runs, and the seconds without a key before; it ends where the terminal is gone."""
    loop = asyncio.get_running_loop()
    pressed: asyncio.Queue[bytes] = asyncio.Queue()
    loop.add_reader(descriptor, lambda: pressed.put_nowait(_read_keys(descriptor)))
    try:
        last = loop.time()
        while keys := await pressed.get():
            now = loop.time()
            yield now - last, keys
            last = now
    finally:
        loop.remove_reader(descriptor)


def _read_keys(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 4096)
    except OSError:
        return b""

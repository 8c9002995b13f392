"""Asks whoever sits at the terminal of a one-shot run what may leave the machine, in plain lines."""

import asyncio
import os
import sys
import termios
from contextlib import suppress

from chatbot.frontends.plain import print_clean
from chatbot.trust.consent import Decision, Request
from utils.text import reveal_hidden

CONSENT_LINE_HINT = "Allow it? y once, s for the rest of this answer, anything else: no"
_DECISIONS: dict[str, Decision] = {"y": "once", "s": "session"}


def somebody_is_there() -> bool:
    """Whether a question can be read on standard error, and answered on standard input."""
    return sys.stdin.isatty() and sys.stderr.isatty()


async def ask_consent(request: Request) -> Decision:
    """What a typed line decides; what was typed before the question was there decides nothing."""
    descriptor = sys.stdin.fileno()
    with suppress(termios.error):
        termios.tcflush(descriptor, termios.TCIFLUSH)
    for line in (request.question, reveal_hidden(request.sent), CONSENT_LINE_HINT):
        print_clean(line, sys.stderr)
    return _DECISIONS.get((await read_line(descriptor)).strip().casefold(), "no")


async def read_line(descriptor: int) -> str:
    """What a terminal gives once a line was ended; empty where it is gone, or Ctrl-D was typed."""
    loop = asyncio.get_running_loop()
    came = asyncio.Event()
    loop.add_reader(descriptor, came.set)
    try:
        await came.wait()
        return os.read(descriptor, 4096).decode("utf-8", "replace")
    except OSError:
        return ""
    finally:
        loop.remove_reader(descriptor)

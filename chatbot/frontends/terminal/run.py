"""Gives the terminal to a chat, and back as it was found, however the chat ends."""

import argparse
import asyncio
import signal

from prompt_toolkit.application import create_app_session

from chatbot.engine.engine import Engine
from chatbot.frontends.terminal.drawing.output import guarded_output
from chatbot.frontends.terminal.loop import TerminalChat
from chatbot.frontends.terminal.typing.keyboard import unechoed_input

TERMINATED = 143  # 128 + SIGTERM, as shells count


async def run(engine: Engine, arguments: argparse.Namespace) -> int:
    """Chat until the user leaves; the exit code."""
    return await run_chat(engine, arguments.resume or "")


async def run_chat(engine: Engine, resume: str = "") -> int:
    """The same; `resume` is the conversation to go on with, as `Chat.find` understands it, empty for a new one."""
    with create_app_session(input=unechoed_input(), output=guarded_output()):
        return await _run(engine, resume)


async def _run(engine: Engine, resume: str) -> int:
    chat = TerminalChat(engine, resume)
    talk = asyncio.create_task(chat.run())
    # Ended from outside, the terminal is still given back as it was found.
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, talk.cancel)
    try:
        await asyncio.wait({talk})
    finally:
        talk.cancel()
        await asyncio.wait({talk})
        await chat.close()
        await engine.close()
    if talk.cancelled():
        return TERMINATED
    talk.result()
    return 0

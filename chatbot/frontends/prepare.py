"""Fetches and loads what a chat needs, says how far it is, and leaves."""

import asyncio
import sys

from chatbot.conversation.events import Notice, Progress
from chatbot.engine.startup import App
from chatbot.frontends.library_cli.progress import ProgressLine
from chatbot.frontends.plain import say
from utils.errors import MagpieError
from utils.text import one_line


async def run(app: App) -> int:
    """Get everything ready for the first question; the exit code."""
    news = asyncio.create_task(relay(app))
    try:
        await app.ready()
        await app.parts.warm_up()
        if not await app.parts.embedder.prepared():
            app.notices.put_nowait(Notice("Preparing the fast embedder."))
            await app.parts.embedder.prepare()
        info = await app.parts.agent.model.describe()
    except MagpieError as error:
        say(str(error), sys.stderr)
        return 1
    finally:
        news.cancel()
        await app.close()
    say(f"Ready: {one_line(info.name)}, a window of {info.context_window} tokens.", sys.stderr)
    return 0


async def relay(app: App) -> None:
    """Print the news: one line for each, a progress line written over itself on a terminal."""
    line = ProgressLine(sys.stderr)
    while True:
        event = await app.notices.get()
        if not isinstance(event, Progress):
            say(one_line(event.text), sys.stderr)
        elif event.done == event.total:
            line.clear()
        else:
            line.show(f"{one_line(event.label)} {100 * event.done // max(event.total, 1):3d} %")

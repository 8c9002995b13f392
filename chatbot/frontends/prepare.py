"""Fetches and loads what a chat needs, says how far it is, and leaves."""

import argparse
import sys
from collections.abc import Callable

from chatbot.conversation.events import Notice, Progress
from chatbot.engine.engine import Engine
from chatbot.engine.face import Face
from chatbot.frontends.library_cli.progress import ProgressLine
from chatbot.frontends.news import relayed
from chatbot.frontends.plain import print_clean
from utils.errors import MagpieError
from utils.text import one_line


async def run(engine: Engine, _: argparse.Namespace) -> int:
    """Get everything ready for the first question; the exit code."""
    async with relayed(news_printer()) as show, engine:
        try:
            chat = await engine.chat(Face(show))
            await chat.warm_up()
            await chat.retrieval.embedders.prepare(lambda said: show(Notice(said)))
            info = await chat.agent.model.describe()
            archives = await chat.retrieval.shelf.look()
        except MagpieError as error:
            print_clean(str(error), sys.stderr)
            return 1
    for line in (*(f"Archive {archive.summary}." for archive in archives.archives), *archives.troubles):
        print_clean(line, sys.stderr)
    print_clean(f"Ready: {one_line(info.label)}, a window of {info.context_window} tokens.", sys.stderr)
    return 0


def news_printer() -> Callable[[Notice | Progress], None]:
    """Prints news: one line for each, a progress line written over itself on a terminal."""
    line = ProgressLine(sys.stderr)

    def show(event: Notice | Progress) -> None:
        if not isinstance(event, Progress):
            print_clean(one_line(event.text), sys.stderr)
        elif event.done == event.total:
            line.clear()
        else:
            line.show(f"{one_line(event.label)} {100 * event.done // max(event.total, 1):3d} %")

    return show

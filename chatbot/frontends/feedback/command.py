"""`magpie feedback export FOLDER`: writes what was marked, and says how much that is."""

import argparse
import asyncio
import sys
from collections import Counter

from chatbot.engine.engine import Engine
from chatbot.engine.face import Audience
from chatbot.engine.people import open_sessions
from chatbot.frontends.ending import run_to_end
from chatbot.frontends.plain import print_clean
from chatbot.history.feedback.export import FeedbackExport
from chatbot.library.progress import counted
from utils.errors import MagpieError
from utils.files import expand_home
from utils.text import json_line


async def run(engine: Engine, arguments: argparse.Namespace) -> int:
    """Write the files; the exit code."""

    def show_failure(error: MagpieError) -> None:
        print_clean(str(error), sys.stderr)

    return await run_to_end(export(engine, arguments), show_failure)


async def export(engine: Engine, arguments: argparse.Namespace) -> int:
    """Write the files; the exit code. Raises a `MagpieError`."""
    config = engine.configuration.values
    made = FeedbackExport()
    sessions = await open_sessions(config, config.history_file, Audience())
    try:
        for session in await sessions.marked():
            made.add(await sessions.load(session))
    finally:
        await sessions.close()
    folder = expand_home(arguments.folder)
    await asyncio.to_thread(made.write, folder)
    verdicts = Counter(str(mark["verdict"]) for mark in made.marks)
    if arguments.json:
        print_clean(json_line({"folder": str(folder), "good": verdicts["good"], "bad": verdicts["bad"]}), sys.stdout)
    else:
        told = f"{counted(len(made.marks), 'marked answer')} ({verdicts['good']} good, {verdicts['bad']} bad)"
        print_clean(f"Written to {folder}: {told}.", sys.stdout)
    return 0

"""Runs a command on the library: opens what is there, or says how to begin one."""

import argparse
import asyncio
import sys
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from importlib import import_module

from chatbot.config import Config
from chatbot.engine.engine import Engine
from chatbot.engine.network import make_reach
from chatbot.frontends.ending import run_to_end
from chatbot.frontends.library_cli.arguments import named_collections
from chatbot.frontends.library_cli.copying import copy
from chatbot.frontends.library_cli.job import Job
from chatbot.frontends.library_cli.progress import ProgressLine
from chatbot.frontends.plain import print_clean
from chatbot.library.opening import make_embedders, open_library
from rag.backends import is_begun
from rag.library import Library
from rag.search.reranking import Reranking
from rag.stored import no_collection
from utils.errors import ConfigError, LibraryError, MagpieError

# The module beside this one with the function of a command's name; another one is named here and in arguments.py.
COMMAND_MODULES = {
    "ingest": "ingest",
    "watch": "watch",
    "search": "search",
    "list": "listing",
    "remove": "contents",
    "rebuild": "contents",
    "doctor": "contents",
    "stats": "contents",
    "collections": "contents",
}
BEGINNING_COMMANDS = ("ingest", "watch")
"""Commands that begin the library, or a collection, where there is none."""


async def run(engine: Engine, arguments: argparse.Namespace) -> int:
    """Carry the command out; the exit code."""

    def show_failure(error: MagpieError) -> None:
        print_clean(str(error), sys.stderr)

    return await run_to_end(carry_out(engine, arguments), show_failure)


async def carry_out(engine: Engine, arguments: argparse.Namespace) -> int:
    """Carry the command out; the exit code. Raises a `MagpieError`."""
    config = engine.configuration.values
    if not config.rag.enabled:
        raise ConfigError("The library is switched off.", "Switch it on with --set rag.enabled=true.")
    if arguments.command not in BEGINNING_COMMANDS:
        await asyncio.to_thread(require_library, config)
    if arguments.command == "copy":
        return await copy(config, arguments)
    if arguments.command == "ask":
        return await ask(engine, arguments)
    if arguments.command == "serve":
        from chatbot.frontends.mcp_server import command

        return await command.run(engine, arguments)
    return await with_library(config, arguments, work_of(arguments.command))


def work_of(command: str) -> Callable[[Job], Awaitable[int]]:
    """What a command does with the library; imported alone, as a search need not wait for what reads documents."""
    work: Callable[[Job], Awaitable[int]] = getattr(import_module(f"{__package__}.{COMMAND_MODULES[command]}"), command)
    return work


def require_library(config: Config) -> None:
    """Look whether there is a library; raises `LibraryError`."""
    if not is_begun(config.library_folder, config.library):
        raise LibraryError(
            f"There is no library in {config.library_folder}.", "Begin one: magpie rag ingest FILE_OR_FOLDER"
        )


def tell_aside(text: str) -> None:
    """Print a sentence on standard error."""
    print_clean(text, sys.stderr)


async def with_library(config: Config, arguments: argparse.Namespace, work: Callable[[Job], Awaitable[int]]) -> int:
    """Open the library for a command, and close it again."""
    line = ProgressLine(sys.stderr)
    embedders = make_embedders(config, make_reach(config, line.print_above), line.print_above)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(embedders.close)
        if arguments.command in BEGINNING_COMMANDS and embedders.library is embedders.local:
            # A process that is soon over would never come to make it in the background.
            await embedders.prepare(line.print_above)
        reranking = await open_reranking(config, stack) if arguments.command == "search" else None
        library = await open_library(config, embedders, reranking)
        stack.push_async_callback(library.close)
        if arguments.command not in BEGINNING_COMMANDS:
            await require_collections(library, named_collections(arguments))
        return await work(Job(library, config, arguments, sys.stdout, sys.stderr, line))


async def open_reranking(config: Config, stack: AsyncExitStack) -> Reranking | None:
    """The reranker of the settings, which `stack` closes; what it cannot do is said on standard error."""
    if not config.rag.reranker:
        return None
    from chatbot.engine.reranker import reranking_alone

    return await stack.enter_async_context(reranking_alone(config, tell_aside))


async def require_collections(library: Library, collections: tuple[str, ...]) -> None:
    """See that the collections that were named exist; raises `LibraryError`."""
    there = [collection.name for collection in await library.list_collections()]
    for name in collections:
        if name not in there:
            raise no_collection(name, there)


async def ask(engine: Engine, arguments: argparse.Namespace) -> int:
    """Answer a question from the library alone, as a one-shot answer is given."""
    from chatbot.frontends import oneshot

    question = oneshot.OneShotQuestion(" ".join(arguments.question), library_only=True)
    return await oneshot.ask(engine, question, as_json=arguments.json)

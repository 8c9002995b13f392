"""A slash command is one async generator of events; its docstring's first line is its line in /help."""

import inspect
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chatbot.conversation.events import Event

if TYPE_CHECKING:
    from chatbot.engine.startup import App

CommandFunction = Callable[["App", str], AsyncIterator[Event]]


@dataclass(frozen=True)
class Command:
    """A command as every front end knows it."""

    name: str
    """Without the slash, for instance `rag-index`."""
    help: str
    argument: str
    """What follows the name, for instance `<file, folder or URL>`; empty for none."""
    aliases: tuple[str, ...]
    run: CommandFunction


def command(argument: str = "", aliases: tuple[str, ...] = ()) -> Callable[[CommandFunction], Command]:
    """Make a command of a function; `rag_index` becomes /rag-index."""

    def made(function: CommandFunction) -> Command:
        summary = (inspect.getdoc(function) or "").partition("\n")[0]
        name = getattr(function, "__name__", "").strip("_").replace("_", "-")
        return Command(name, summary, argument, aliases, function)

    return made

"""A slash command is one async generator of events; its docstring's first line is its line in /help."""

import inspect
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

from chatbot.conversation.events import Event

CommandFunction = Callable[[Any, str], AsyncIterator[Event]]
"""Takes the `Chat` and what follows the name; one that `always` works takes no notice of the chat."""


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
    always: bool = False
    """Helps even where the library or the model cannot be opened: it is given None in the place of a chat."""


def command(
    argument: str = "", aliases: tuple[str, ...] = (), *, always: bool = False
) -> Callable[[CommandFunction], Command]:
    """Make a command of a function; `rag_index` becomes /rag-index."""

    def make_command(function: CommandFunction) -> Command:
        summary = (inspect.getdoc(function) or "").partition("\n")[0]
        name = getattr(function, "__name__", "").strip("_").replace("_", "-")
        return Command(name, summary, argument, aliases, function, always)

    return make_command

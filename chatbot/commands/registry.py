"""All slash commands, and the one place where a line becomes a command."""

import re
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING

from chatbot.commands import (
    conversation,
    exports,
    general,
    library,
    mcp,
    memory,
    models,
    reminders,
    sessions,
    spending,
    window,
)
from chatbot.commands.base import Command, command
from chatbot.conversation.events import Event, Listing, Notice
from utils.text import well_formed

if TYPE_CHECKING:
    from chatbot.engine.chat import Chat

# A path such as /etc/hosts at the start of a question is no command.
_LINE = re.compile(r"/([\w?-]+)(?:\s+(.*))?$", re.DOTALL)
# What a wrong command must resemble (0 to 100, rapidfuzz's ratio) for its name to be offered.
_ALIKE = 60


@command(argument="[command]", aliases=("?",), always=True)
async def _help(_: object, argument: str) -> AsyncIterator[Event]:
    """List the commands, or tell what one does."""
    wanted = argument.strip().lstrip("/")
    found = find(wanted) if wanted else None
    if wanted and found is None:
        yield Notice(unknown(wanted), "error")
        return
    rows = tuple((usage(one), _described(one)) for one in ([found] if found else COMMANDS))
    yield Listing("Commands", ("command", "what it does"), rows)


COMMANDS: tuple[Command, ...] = (
    _help,
    conversation.ask,
    conversation.source,
    exports.copy,
    exports.export,
    exports.import_,
    window.context,
    window.compact,
    window.pin,
    spending.usage,
    sessions.history,
    sessions.resume,
    sessions.title,
    sessions.undo,
    sessions.retry,
    sessions.edit,
    sessions.branch,
    sessions.clear,
    library.rag_index,
    library.rag_search,
    library.rag_status,
    library.rag_rebuild,
    library.rag_doctor,
    library.rag_remove,
    memory.memory,
    mcp.mcp,
    reminders.remind,
    reminders.reminders,
    models.model,
    models.pull,
    general.tools,
    general.toggle_tools,
    general.toggle_thinking,
    general.toggle_markdown,
    general.offline,
    general._log,
    general.save_config,
    general._quit,
)


def is_command(line: str) -> bool:
    """Whether a line is meant as a command."""
    return _LINE.match(line.strip()) is not None


async def run_command(ready: Callable[[], Awaitable["Chat"]], line: str) -> AsyncGenerator[Event, None]:
    """Carry out a line that begins with a slash in the chat that `ready` waits for; raises a `MagpieError`."""
    match = _LINE.match(well_formed(line).strip())
    name, argument = (match[1], (match[2] or "").strip()) if match else ("", "")
    found = find(name)
    if found is None:
        yield Notice(unknown(name), "error")
        return
    async for event in found.run(None if found.always else await ready(), argument):
        yield event


def find(name: str) -> Command | None:
    """The command with this name or alias."""
    name = name.lower().replace("_", "-")
    return next((one for one in COMMANDS if name == one.name or name in one.aliases), None)


def usage(one: Command) -> str:
    """How a command is written, for instance `/source <number>`."""
    return f"/{one.name} {one.argument}".rstrip()


def unknown(name: str) -> str:
    """What to say to a command that there is not."""
    meant = resembling(name)
    return f"There is no command /{name}. " + (f"Did you mean /{meant}?" if meant else "/help lists them all.")


def resembling(name: str) -> str:
    """The name of a command that is likely meant; empty without one."""
    from rapidfuzz import process

    names = [known for one in COMMANDS for known in (one.name, *one.aliases)]
    best = process.extractOne(name.lower(), names, score_cutoff=_ALIKE)
    return best[0] if best else ""


def _described(one: Command) -> str:
    aliases = ", ".join(f"/{alias}" for alias in one.aliases)
    return f"{one.help} Also {aliases}." if aliases else one.help

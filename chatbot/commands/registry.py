"""All slash commands, and the one place where a line becomes a command."""

import re
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chatbot.commands import (
    conversation,
    cost,
    exports,
    general,
    mcp,
    memory,
    models,
    profiles,
    reminders,
    research,
    sessions,
    window,
)
from chatbot.commands.base import Command, command
from chatbot.commands.library import contents, watching
from chatbot.conversation.events import Event, Listing, Notice
from utils.languages.spelling import nearest_name
from utils.text import well_formed

if TYPE_CHECKING:
    from chatbot.engine.chat import Chat

# A path such as /etc/hosts at the start of a question is no command.
_LINE = re.compile(r"/([\w?-]+)(?:\s+(.*))?$", re.DOTALL)
_KEYS = (
    "Enter sends, Alt-Enter begins a new line, Ctrl-C stops an answer, Ctrl-D leaves, "
    "Ctrl-] looks through the conversations; @ adds files, folders and pages to a question"
)


@dataclass(frozen=True)
class CommandGroup:
    """Commands that belong together, as /help shows them."""

    name: str
    """One word, for instance `library`, that /help takes."""
    about: str
    """What they are for."""
    commands: tuple[Command, ...]


@command(argument="[command or group]", aliases=("?",), always=True)
async def _help(_: object, argument: str) -> AsyncIterator[Event]:
    """List the commands, or tell what one or a group of them does."""
    wanted = argument.strip()
    if not wanted:
        yield _overview()
        return
    # Some groups are called as one of their commands is, which is then told of with the others.
    if group := next((one for one in GROUPS if one.name == wanted.lower()), None):
        yield _describe_command(f"Commands: {group.about}", group.commands)
    elif found := find_command(wanted.lstrip("/")):
        yield _describe_command("Commands", (found,))
    else:
        yield Notice(unknown_command(wanted.lstrip("/")), "error")


GROUPS = (
    CommandGroup(
        "answers",
        "what an answer stands on, and asking again",
        (
            conversation.ask,
            research.research,
            conversation.source,
            exports.copy,
            sessions.undo,
            sessions.retry,
            sessions.edit,
        ),
    ),
    CommandGroup("feedback", "say what an answer was like", (conversation.good, conversation.bad)),
    CommandGroup(
        "conversations",
        "begin, find, go on, keep",
        (
            sessions.clear,
            sessions.history,
            sessions.resume,
            sessions.title,
            sessions.branch,
            exports.export,
            exports.import_,
        ),
    ),
    CommandGroup(
        "library",
        "your files, and pages that were read",
        (
            contents.library,
            contents.collection,
            contents.rag_index,
            watching.rag_watch,
            contents.rag_search,
            contents.rag_remove,
        ),
    ),
    CommandGroup("upkeep", "how the library is", (contents.rag_status, contents.rag_rebuild, contents.rag_doctor)),
    CommandGroup("memory", "what is remembered of you", (memory.memory, reminders.remind, reminders.reminders)),
    CommandGroup(
        "window",
        "what the model is sent, and what it costs",
        (window.context, window.compact, window.pin, cost.usage),
    ),
    CommandGroup(
        "models",
        "which one answers, and how",
        (models.model, models.pull, models.probe, models.think, general.toggle_thinking),
    ),
    CommandGroup("tools", "what the model can call", (general.tools, general.toggle_tools, mcp.mcp)),
    CommandGroup(
        "magpie",
        "the program itself",
        (
            _help,
            profiles.profile,
            general.offline,
            general.toggle_markdown,
            general._log,
            general.save_config,
            general._quit,
        ),
    ),
)
SLASH_COMMANDS: tuple[Command, ...] = tuple(one for group in GROUPS for one in group.commands)


def is_command(line: str) -> bool:
    """Whether a line is meant as a command."""
    return _LINE.match(line.strip()) is not None


async def run_command(ready: Callable[[], Awaitable["Chat"]], line: str) -> AsyncGenerator[Event, None]:
    """Carry out a line that begins with a slash in the chat that `ready` waits for; raises a `MagpieError`."""
    match = _LINE.match(well_formed(line).strip())
    name, argument = (match[1], (match[2] or "").strip()) if match else ("", "")
    found = find_command(name)
    if found is None:
        yield Notice(unknown_command(name), "error")
        return
    async for event in found.run(None if found.always else await ready(), argument):
        yield event


def find_command(name: str) -> Command | None:
    """The command with this name or alias."""
    name = name.lower().replace("_", "-")
    return next((one for one in SLASH_COMMANDS if name == one.name or name in one.aliases), None)


def command_usage(one: Command) -> str:
    """How a command is written, for instance `/source <number>`."""
    return f"/{one.name} {one.argument}".rstrip()


def unknown_command(name: str) -> str:
    """What to say to a command that there is not."""
    meant = resembling_command(name)
    return f"There is no command /{name}. " + (f"Did you mean /{meant}?" if meant else "/help lists them all.")


def resembling_command(name: str) -> str:
    """The name of a command that is likely meant; empty without one."""
    return nearest_name(name.lower(), [known for one in SLASH_COMMANDS for known in (one.name, *one.aliases)])


def _overview() -> Listing:
    """Every command by its name, a group a row, so that all of them are seen at once in a small terminal."""
    rows = tuple(
        (group.name, f"{group.about}\n{' '.join(f'/{one.name}' for one in group.commands)}") for group in GROUPS
    )
    return Listing("Commands (/help and a command or a group tells more)", ("", ""), (*rows, ("keys", _KEYS)))


def _describe_command(title: str, commands: Sequence[Command]) -> Listing:
    """What each of some commands does, and what else it is called."""
    rows = []
    for one in commands:
        aliases = ", ".join(f"/{alias}" for alias in one.aliases)
        rows.append((command_usage(one), f"{one.help} Also {aliases}." if aliases else one.help))
    return Listing(title, ("command", "what it does"), tuple(rows))

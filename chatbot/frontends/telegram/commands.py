"""The commands that Telegram offers: of Magpie's own those that touch no file of its owner's, and three for the bot."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Collection
from typing import TYPE_CHECKING

from chatbot.commands.registry import find_command, run_command
from chatbot.commands.research import plans_research
from chatbot.conversation.events import Event, Listing, MarkdownText, Notice
from chatbot.library.progress import is_url
from chatbot.settings import TelegramSettings

if TYPE_CHECKING:
    from chatbot.engine.chat import Chat

OFFERED_COMMANDS = (
    *("clear", "history", "resume", "title", "undo", "retry", "branch"),
    *("ask", "research", "source", "good", "bad", "index", "search", "stats", "library"),
    *("memory", "remind", "reminders"),
    *("profile", "model", "tools", "think", "context", "compact", "usage"),
)
"""By the names by which they are offered; they are called by each of theirs. No other one is carried out: `/export` and
`/import` write and read the owner's disk, `/pull` fills it."""
NAMED_ONLY_COMMANDS = frozenset({"research"})
"""Those that keep the machine busy for many minutes: where everybody is let in, nobody has them."""
LONG_COMMANDS = frozenset({"ask", "retry", "index", "compact"})
"""Those at which a model works, or pages are read: they wait for their turn as questions do."""
OWN_COMMANDS = {
    "start": "Say what this bot is",
    "help": "List the commands",
    "stop": "End the answer under way; what was said is kept",
}
GREETING = (
    "I am Magpie. Ask me something: I look it up on the web and in the library, and name my sources. Send me a document"
    " and it goes into the library; a picture is shown to the model. /help lists the commands."
)
ONLY_ADDRESSES = "Here /index takes the address of a web page, https://...; a file is indexed by sending it."


def list_commands(settings: TelegramSettings) -> list[tuple[str, str]]:
    """Name and first sentence of each command, as Telegram's menu shows them."""
    found = [(name, find_command(name)) for name in _offered_names(settings)]
    return [*OWN_COMMANDS.items(), *((name, one.help[:256]) for name, one in found if one)]


async def carry_out(
    ready: Callable[[], Awaitable["Chat"]], settings: TelegramSettings, name: str, argument: str
) -> AsyncGenerator[Event, None]:
    """The events of a command in the chat that `ready` waits for; raises a `MagpieError`."""
    if name == "start":
        yield Notice(GREETING)
        if greeting := (await ready()).profile.profile.greeting:
            yield MarkdownText(greeting)
    elif name == "help":
        yield Listing("Commands", ("", ""), tuple((f"/{one}", said) for one, said in list_commands(settings)))
    elif not _is_among(name, _offered_names(settings)):
        yield Notice(f"There is no command /{name} here. /help lists them.", "error")
    elif find_command(name) is find_command("index") and not is_url(argument):
        yield Notice(ONLY_ADDRESSES, "error")
    else:
        async for event in run_command(ready, f"/{name} {argument}"):
            yield event


def takes_long(name: str, argument: str) -> bool:
    """Whether a command has to wait for its turn; to stop a run that others wait for, for instance, nobody does."""
    if _is_among(name, ["research"]):
        return plans_research(argument)
    return _is_among(name, LONG_COMMANDS)


def _offered_names(settings: TelegramSettings) -> list[str]:
    kept_back = NAMED_ONLY_COMMANDS if settings.serves_everybody else ()
    return [name for name in OFFERED_COMMANDS if name not in kept_back]


def _is_among(name: str, names: Collection[str]) -> bool:
    """Whether the command is one of these, by whichever of its names it is called."""
    wanted = find_command(name)
    return wanted is not None and any(wanted is find_command(one) for one in names)

"""Completion: slash commands with their help, file names after /rag-index and after @, resources after @."""

import asyncio
import re
from collections.abc import Callable, Coroutine, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prompt_toolkit.completion import CompleteEvent, Completer, Completion, PathCompleter
from prompt_toolkit.document import Document

from utils.files import expand_home, is_folder

if TYPE_CHECKING:
    from chatbot.mcp.resources import Mention

_FILE_COMMANDS = re.compile(r"/(?:rag-index|index)\s+(.*)$")
_ATTACHED = re.compile(r'(?:^|\s)@("?)([^"\s]*|(?<=")[^"]*)$')
COMPLETION_SECONDS = 1.0
"""Seconds for which a server is waited for; other completions wait as long, typing does not."""
_COMMAND = re.compile(r"/[\w-]*$")


def wants_completion(text: str) -> bool:
    """Whether anything can be completed at the end of this text."""
    return bool(_COMMAND.match(text) or _FILE_COMMANDS.match(text) or _ATTACHED.search(text))


class ChatCompleter(Completer):
    """Completes what has fixed names; a question is left alone."""

    def __init__(self) -> None:
        self.resources: Callable[[str], Iterable[Mention]] = lambda typed: ()
        """What of MCP servers can stand behind an @ that is followed by a text; is called from a thread."""
        self._paths = PathCompleter(expanduser=True)

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """The completions at the cursor."""
        text = document.text_before_cursor
        if _COMMAND.match(text):
            yield from self._complete_commands(text)
        elif match := _FILE_COMMANDS.match(text):
            yield from self._complete_files(match[1], complete_event)
        elif match := _ATTACHED.search(document.current_line_before_cursor):
            yield from self._complete_resources(match[1], match[2])
            yield from self._complete_attachments(match[1], match[2], complete_event)

    def _complete_commands(self, text: str) -> Iterable[Completion]:
        # Loaded when the first is typed, so that the prompt need not wait for them.
        from chatbot.commands.registry import SLASH_COMMANDS, command_usage

        for one in SLASH_COMMANDS:
            names = [name for name in (one.name, *one.aliases) if f"/{name}".startswith(text.lower())]
            if names:
                more = " " if one.argument else ""
                yield Completion(
                    f"/{names[0]}{more}",
                    -len(text),
                    command_usage(one) if names[0] == one.name else f"/{names[0]}",
                    one.help,
                )

    def _complete_files(self, typed: str, event: CompleteEvent) -> Iterable[Completion]:
        yield from self._paths.get_completions(Document(typed), event)

    def _complete_resources(self, quote: str, typed: str) -> Iterable[Completion]:
        """A server and its resources, in quotes where they have spaces."""
        for found in self.resources(typed):
            quoted = bool(quote) or " " in found.text
            closed = '"' if quoted and not found.text.endswith(":") else ""
            text = f'"{found.text}{closed}' if quoted else found.text
            yield Completion(text, -len(quote + typed), found.text, found.about)

    def _complete_attachments(self, quote: str, typed: str, event: CompleteEvent) -> Iterable[Completion]:
        """A name with spaces is put in quotes, so that it stays one name."""
        folder = typed[: typed.rfind("/") + 1]
        if quote and typed == folder and is_folder(expand_home(Path(typed))):
            yield Completion(f'"{typed}"', -len(quote + typed), typed, "all of the folder")
        for found in self._paths.get_completions(Document(typed), event):
            name = typed + found.text
            quoted = bool(quote) or " " in name
            text = f'"{name}' if quoted else name
            closed = '"' if quoted and not found.display_text.endswith("/") else ""
            yield Completion(text + closed, -len(quote + typed), folder + found.display_text)


def from_thread(
    complete: Callable[[str], Coroutine[Any, Any, "list[Mention]"]], loop: asyncio.AbstractEventLoop
) -> Callable[[str], "list[Mention]"]:
    """What completes in the loop, for a thread: nothing where that takes too long; it goes on for the next time."""

    def complete_typed(typed: str) -> "list[Mention]":
        try:
            return asyncio.run_coroutine_threadsafe(complete(typed), loop).result(COMPLETION_SECONDS)
        except TimeoutError:
            return []

    return complete_typed

"""Completion: slash commands with their help, and file names after /rag-index and after @."""

import re
from collections.abc import Iterable

from prompt_toolkit.completion import CompleteEvent, Completer, Completion, PathCompleter
from prompt_toolkit.document import Document

_FILE_COMMANDS = re.compile(r"/(?:rag-index|index)\s+(.*)$")
_ATTACHED = re.compile(r'(?:^|\s)@("?)([^"\s]*|(?<=")[^"]*)$')
_COMMAND = re.compile(r"/[\w-]*$")


def wants_completion(text: str) -> bool:
    """Whether anything can be completed at the end of this text."""
    return bool(_COMMAND.match(text) or _FILE_COMMANDS.match(text) or _ATTACHED.search(text))


class ChatCompleter(Completer):
    """Completes what has fixed names; a question is left alone."""

    def __init__(self) -> None:
        self._paths = PathCompleter(expanduser=True)

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """The completions at the cursor."""
        text = document.text_before_cursor
        if _COMMAND.match(text):
            yield from self._commands(text)
        elif match := _FILE_COMMANDS.match(text):
            yield from self._files(match[1], complete_event)
        elif match := _ATTACHED.search(document.current_line_before_cursor):
            yield from self._attached(match[1], match[2], complete_event)

    def _commands(self, text: str) -> Iterable[Completion]:
        # Loaded when the first is typed, so that the prompt need not wait for them.
        from chatbot.commands.registry import COMMANDS, usage

        for one in COMMANDS:
            names = [name for name in (one.name, *one.aliases) if f"/{name}".startswith(text.lower())]
            if names:
                more = " " if one.argument else ""
                yield Completion(
                    f"/{names[0]}{more}", -len(text), usage(one) if names[0] == one.name else f"/{names[0]}", one.help
                )

    def _files(self, typed: str, event: CompleteEvent) -> Iterable[Completion]:
        yield from self._paths.get_completions(Document(typed), event)

    def _attached(self, quote: str, typed: str, event: CompleteEvent) -> Iterable[Completion]:
        """A name with spaces is put in quotes, so that it stays one name."""
        folder = typed[: typed.rfind("/") + 1]
        for found in self._paths.get_completions(Document(typed), event):
            name = typed + found.text
            quoted = bool(quote) or " " in name
            text = f'"{name}' if quoted else name
            closed = '"' if quoted and not found.display_text.endswith("/") else ""
            yield Completion(text + closed, -len(quote + typed), folder + found.display_text)

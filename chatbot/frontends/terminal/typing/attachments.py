"""What a question names with @: files, folders, pages of the web, and resources of MCP servers."""

import re
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from chatbot.attachments.reader import Named
from chatbot.frontends.terminal.typing.pasted import Pasted
from chatbot.library.progress import is_url
from chatbot.mcp.resources import RemoteResources
from chatbot.trust.consent import Request
from utils.errors import DocumentError
from utils.files import expand_home

# @name, or @"a name with spaces"; an address such as me@example.org is none. A backslash makes it ordinary text.
_MENTION = re.compile(r'(?<!\S)@(?:"([^"\n]+)"|(\S+))')
_ESCAPED = re.compile(r"(?<!\S)\\@")
_PUNCTUATION = ".,;:!?)]}'\""
_FOREIGN = re.compile(r"([^\s/:]+):[A-Za-z][A-Za-z0-9+.-]*://")
"""A server's name and a URI."""
_WHY = "the text that you pasted names it, not you"


async def find_named(
    question: str, resources: RemoteResources, pasted: Pasted, allows: Callable[[Request], Awaitable[bool]]
) -> list[Named]:
    """What the question names, resources already read; of what was pasted, what the user `allows`.

    Raises `DocumentError` for what is not there.
    """
    found: dict[str | Path, Named] = {}
    decided: dict[str, bool] = {"": False}
    for match in _MENTION.finditer(question):
        names = [match[1]] if match[1] else [match[2], match[2].rstrip(_PUNCTUATION)]
        if pasted.was_pasted(names[0]):
            what = await _pasted_name(names, resources)
            if what not in decided:
                decided[what] = await allows(Request("the model", what, _WHY, f"attach {what}"))
            if not decided[what]:
                continue
        if is_url(names[0]):
            address = _page_address(names)
            found.setdefault(address, address)
        elif resource := await resources.read_mention(names):
            found.setdefault(resource.name, resource)
        elif path := _find_path(names):
            found.setdefault(path, path)
    return list(found.values())


def without_escapes(question: str) -> str:
    r"""The question with `\@` as the plain `@` that was meant."""
    return _ESCAPED.sub("@", question)


async def _pasted_name(names: Sequence[str], resources: RemoteResources) -> str:
    """What a pasted text names, in words; empty for what is only words."""
    if is_url(names[0]):
        return f"the page {_page_address(names)}"
    if await resources.server_of(names[0]):
        return f"the resource {names[-1]}"
    path = _first_existing(names)
    return f"the {'folder' if path.is_dir() else 'file'} {path.absolute()}" if path else ""


def _page_address(names: Sequence[str]) -> str:
    """The address that is meant, one name if it was in quotes: a bracket that is opened in it belongs to it."""
    address = names[0]
    while len(names) > 1 and address.endswith(tuple(_PUNCTUATION)):
        if address[-1] == ")" and address.count("(") >= address.count(")"):
            break
        address = address[:-1]
    return address


def _find_path(names: Sequence[str]) -> Path | None:
    """The file or folder that is meant, one name if it was in quotes; None for a word such as @property."""
    if path := _first_existing(names):
        return path
    words = f"write \\@{names[0]} to mean just the words."
    if server := _FOREIGN.match(names[0]):
        raise DocumentError(f"There is no MCP server {server[1]}.", f"/mcp lists the servers; {words}")
    if len(names) == 1 or "/" in names[0] or "." in names[-1]:
        raise DocumentError(f"There is no file {names[-1]} here.", f"Correct the name, or {words}")
    return None


def _first_existing(names: Sequence[str]) -> Path | None:
    return next((path for path in (expand_home(Path(name)) for name in names if name) if _path_exists(path)), None)


def _path_exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False

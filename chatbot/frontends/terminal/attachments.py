"""Files and resources of MCP servers that a question names with @."""

import re
from collections.abc import Sequence
from pathlib import Path

from chatbot.messages import Attachment
from chatbot.remote_resources import RemoteResources
from rag.readers import read_text_of
from utils.errors import DocumentError
from utils.files import expanded

# @name, or @"a name with spaces"; an address such as me@example.org is none. A backslash makes it ordinary text.
_NAMED = re.compile(r'(?<!\S)@(?:"([^"\n]+)"|(\S+))')
_ESCAPED = re.compile(r"(?<!\S)\\@")
_PUNCTUATION = ".,;:!?)]}'\""
_FOREIGN = re.compile(r"([^\s/:]+):[A-Za-z][A-Za-z0-9+.-]*://")
"""A server's name and a URI."""


async def read_attachments(question: str, resources: RemoteResources) -> list[Attachment]:
    """What the question names; raises `DocumentError` for what cannot be read."""
    found: dict[str | Path, Attachment] = {}
    for match in _NAMED.finditer(question):
        names = [match[1]] if match[1] else [match[2], match[2].rstrip(_PUNCTUATION)]
        resource = await resources.read(names)
        if resource is not None:
            found.setdefault(resource.name, resource)
            continue
        path = _path(names)
        if path is not None and path not in found:
            found[path] = Attachment(path.name, await read_text_of(path))
    return list(found.values())


def without_escapes(question: str) -> str:
    r"""The question with `\@` as the plain `@` that was meant."""
    return _ESCAPED.sub("@", question)


def _path(names: Sequence[str]) -> Path | None:
    """The file that is meant, one name if it was in quotes; None for a word such as @property, which names none."""
    for name in filter(None, names):
        path = expanded(Path(name))
        if _exists(path):
            return path
    words = f"write \\@{names[0]} to mean just the words."
    if server := _FOREIGN.match(names[0]):
        raise DocumentError(f"There is no MCP server {server[1]}.", f"/mcp lists the servers; {words}")
    if len(names) == 1 or "/" in names[0] or "." in names[-1]:
        raise DocumentError(f"There is no file {names[-1]} here.", f"Correct the name, or {words}")
    return None


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False

"""Files that a question names with @."""

import re
from pathlib import Path

from chatbot.agent import Attachment
from rag.readers import read_text_of
from utils.errors import DocumentError

# @name, or @"a name with spaces"; an address such as me@example.org is none. A backslash makes it ordinary text.
_NAMED = re.compile(r'(?<!\S)@(?:"([^"\n]+)"|(\S+))')
_ESCAPED = re.compile(r"(?<!\S)\\@")
_PUNCTUATION = ".,;:!?)]}'\""


async def read_attachments(question: str) -> list[Attachment]:
    """The files that the question names; raises `DocumentError` for one that cannot be read."""
    found: dict[Path, Attachment] = {}
    for match in _NAMED.finditer(question):
        path = _path(match[1], match[2])
        if path is not None and path not in found:
            found[path] = Attachment(path.name, await read_text_of(path))
    return list(found.values())


def without_escapes(question: str) -> str:
    r"""The question with `\@` as the plain `@` that was meant."""
    return _ESCAPED.sub("@", question)


def _path(quoted: str | None, bare: str | None) -> Path | None:
    """The file that is meant; None for a word such as @property, which names none."""
    name = quoted or bare or ""
    candidates = [name] if quoted else [name, name.rstrip(_PUNCTUATION)]
    for candidate in candidates:
        path = Path(candidate).expanduser()
        if candidate and _exists(path):
            return path
    if quoted or "/" in name or "." in name.rstrip(_PUNCTUATION):
        raise DocumentError(
            f"There is no file {candidates[-1]} here.", f"Correct the name, or write \\@{name} to mean just the words."
        )
    return None


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False

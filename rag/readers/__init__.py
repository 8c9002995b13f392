"""Files and bytes become documents; one reader a format, each in a file of its own."""

import asyncio
import errno
from collections.abc import Callable
from datetime import UTC, datetime
from email.message import Message
from pathlib import Path

from rag.documents import Document
from rag.folders import absolute
from rag.readers.html import read_html
from rag.readers.markdown import read_markdown
from rag.readers.pdf import PAGE_BREAK, read_pdf
from rag.readers.text import kind_of, name_of, read_text
from utils.errors import DocumentError
from utils.text import clean

# Ten thousand pages of text; more is hardly a document, and would take an hour to embed.
MAX_BYTES = 50_000_000

Reader = Callable[[bytes, str, str], tuple[str, str]]

_READERS: dict[str, Reader] = {
    "application/pdf": read_pdf,
    "application/xhtml+xml": read_html,
    "text/html": read_html,
    "text/markdown": read_markdown,
    "text/x-markdown": read_markdown,
}
_SUFFIXES = {
    ".htm": "text/html",
    ".html": "text/html",
    ".markdown": "text/markdown",
    ".md": "text/markdown",
    ".mdown": "text/markdown",
    ".pdf": "application/pdf",
    ".xhtml": "application/xhtml+xml",
}
# Types under which servers send text, beside text/*.
_TEXTUAL = ("json", "xml", "yaml", "toml", "javascript", "ecmascript", "x-sh", "x-python", "sql")


async def read_file(path: Path) -> Document:
    """A file as a document, its absolute path as its source; raises `DocumentError` with one clear sentence."""
    return await asyncio.to_thread(_read_file, absolute(path))


async def read_bytes(data: bytes, media_type: str, source: str, fetched: str = "") -> Document:
    """What a server sent as a document; `media_type` as in Content-Type; raises `DocumentError`."""
    header = Message()
    header["content-type"] = media_type or "application/octet-stream"
    kind, charset = header.get_content_type(), header.get_content_charset("")
    title, text = await asyncio.to_thread(_read, data, kind, source, charset)
    return Document(source, title, text, "web", kind, fetched)


def _read_file(path: Path) -> Document:
    try:
        state = path.stat()
        if path.is_dir():
            # A folder that cannot be listed stands in a list of files for what is in it.
            next(path.iterdir(), None)
            raise DocumentError(f"{path} is a folder.", "Name a file.")
        if not path.is_file():
            raise DocumentError(f"{path} is neither a file nor a folder.")
        _check_size(state.st_size, path.name)
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        raise DocumentError(f"{path} {_reason(error)}.", "Check the name and its permissions.") from error
    kind = _SUFFIXES.get(path.suffix.lower(), "text/plain")
    title, text = _read(data, kind, str(path), "")
    changed = datetime.fromtimestamp(state.st_mtime, UTC).isoformat(timespec="seconds")
    return Document(str(path), title, text, "file", kind, changed)


def _read(data: bytes, kind: str, source: str, charset: str) -> tuple[str, str]:
    """Title and text, cleaned of what a terminal would obey."""
    name = name_of(source)
    _check_size(len(data), name)
    if not data.strip():
        raise DocumentError(f"{name} is empty.")
    title, text = _reader(data, kind, name)(data, source, charset)
    text = PAGE_BREAK.join(clean(page) for page in text.split(PAGE_BREAK))
    if not text.strip():
        raise DocumentError(f"{name} holds no text.")
    return " ".join(clean(title).split())[:500] or name, text


def _reader(data: bytes, kind: str, name: str) -> Reader:
    if data.startswith(b"%PDF-"):
        return read_pdf
    if kind in _READERS:
        return _READERS[kind]
    if kind.startswith("text/") or kind.endswith(_TEXTUAL) or kind == "application/octet-stream":
        return read_text
    raise DocumentError(f"{name} is of the type {kind}, {kind_of(data)}.", "Magpie reads text, Markdown, HTML and PDF.")


def _check_size(size: int, name: str) -> None:
    if size > MAX_BYTES:
        raise DocumentError(
            f"{name} has {size / 1e6:.0f} MB; the limit is {MAX_BYTES // 1_000_000} MB.", "Split it into parts."
        )


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, ValueError):
        # A NUL in a path, or a lone surrogate.
        return "is no path"
    if error.errno == errno.ENOENT:
        return "does not exist"
    if error.errno in {errno.EACCES, errno.EPERM}:
        return "may not be read: permission denied"
    return f"cannot be read: {error.strerror or error}"

"""Files and bytes become documents; one reader a format, each in a file of its own, all in a process of their own."""

import asyncio
import errno
import os
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from rag.documents import Document, Picture
from rag.folders import absolute_path, is_beir
from rag.readers.formats import BEIR, MAX_DOCUMENT_BYTES, STREAMS, can_be_sent, check_size, named_type, sent_type
from rag.readers.pdf import PAGE_BREAK
from rag.readers.pictures.picture import BYTES_TOLD_APART, picture_type
from rag.readers.process.limits import ReadingLimits
from rag.readers.process.pool import ReaderPool, ReadRow
from rag.readers.text import name_of
from rag.readers.website.page_links import PageLinks
from rag.readers.website.sitemap import SiteMap
from utils.errors import DocumentError

__all__ = [
    "MAX_DOCUMENT_BYTES",
    "PAGE_BREAK",
    "SHARED_POOL",
    "ReaderPool",
    "ReadingLimits",
    "SitePage",
    "can_be_sent",
    "find_picture",
    "named_type",
    "read_bytes",
    "read_documents",
    "read_page",
    "read_sitemap",
    "read_text_of",
]

SHARED_POOL = ReaderPool()


async def read_documents(path: Path, pool: ReaderPool = SHARED_POOL) -> AsyncGenerator[Document, None]:
    """The documents in a file, mostly one, as they are read; raises `DocumentError` with one clear sentence.

    The source is the absolute path; `path#line` for a record of JSON lines; `_id` for one of a BEIR corpus. Where some
    records cannot be read, the others are handed out first. Close the generator when you leave it early.
    """
    path = absolute_path(path)
    file, state, beir = await asyncio.to_thread(_open_file, path)
    try:
        kind = BEIR if beir else named_type(path.name)
        if kind not in STREAMS:
            check_size(state.st_size, path.name)
        changed = _file_time(state.st_mtime)
        async with aclosing(pool.read(str(path), kind, file)) as rows:
            async for source, title, text, media_type, properties in rows:
                container = str(path) if kind in STREAMS else ""
                yield Document(source, title, text, "file", media_type, changed, container, properties)
    finally:
        os.close(file)


async def read_text_of(path: Path) -> str:
    """The text of a file; several documents in it stand below each other. Raises `DocumentError`."""
    return "\n\n".join([document.text async for document in read_documents(path)])


async def find_picture(path: Path, pool: ReaderPool = SHARED_POOL) -> Picture | None:
    """The picture that a file is, as models are sent it; None where it is none, by its first bytes.

    Raises `DocumentError` for one that is damaged or too large.
    """
    path = absolute_path(path)
    file, state, _ = await asyncio.to_thread(_open_file, path)
    try:
        kind = picture_type(await asyncio.to_thread(os.pread, file, BYTES_TOLD_APART, 0))
        if not kind:
            return None
        check_size(state.st_size, path.name, kind)
        return await pool.read_picture(str(path), kind, file)
    except OSError as error:
        raise DocumentError(f"{path} {_failure_reason(error)}.", _failure_remedy(error)) from error
    finally:
        os.close(file)


async def read_bytes(
    data: bytes, content_type: str, source: str, fetched: str = "", pool: ReaderPool = SHARED_POOL
) -> Document:
    """What a server sent as one document; `content_type` with its parameters; raises `DocumentError`."""
    kind, charset = sent_type(content_type, source)
    check_size(len(data), name_of(source))
    async with aclosing(pool.read(source, kind, data, charset)) as rows:
        found = [row async for row in rows]
    if not found:
        raise DocumentError(f"{name_of(source)} holds no text.")
    return _web_document(source, found[0], fetched)


@dataclass(frozen=True)
class SitePage:
    """A page of a site: the document that it is, or why there is none, and what it says of the site."""

    document: Document | None
    failure: str
    links: PageLinks


async def read_page(
    data: bytes, content_type: str, source: str, fetched: str = "", pool: ReaderPool = SHARED_POOL
) -> SitePage:
    """What a server sent as a page of a site."""
    kind, charset = sent_type(content_type, source)
    if len(data) > MAX_DOCUMENT_BYTES:
        return SitePage(None, f"{name_of(source)} is too large.", PageLinks())
    links, read = await pool.read_page(source, kind, data, charset)
    if isinstance(read, DocumentError):
        return SitePage(None, read.problem, links)
    return SitePage(_web_document(source, read, fetched), "", links)


async def read_sitemap(data: bytes, source: str, pool: ReaderPool = SHARED_POOL) -> SiteMap:
    """What a server sent as a map of a site; raises `DocumentError`."""
    check_size(len(data), name_of(source))
    return await pool.read_sitemap(source, data)


def _web_document(source: str, row: ReadRow, fetched: str) -> Document:
    _, title, text, media_type, properties = row
    return Document(source, title, text, "web", media_type, fetched, properties=properties)


def _file_time(seconds: float) -> str:
    """A file's time; empty for one that no calendar has, as a broken clock or disk leaves it."""
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):
        return ""


def _open_file(path: Path) -> tuple[int, os.stat_result, bool]:
    """The file, what the system knows of it, and whether it is a BEIR corpus; raises `DocumentError`."""
    try:
        if path.is_dir():
            # A folder that cannot be listed stands in a list of files for what is in it.
            next(path.iterdir(), None)
            raise DocumentError(f"{path} is a folder.", "Name a file.")
        state = path.stat()
        if not path.is_file():
            raise DocumentError(f"{path} is neither a file nor a folder.")
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC), state, is_beir(path)
    except (OSError, ValueError) as error:
        raise DocumentError(f"{path} {_failure_reason(error)}.", _failure_remedy(error)) from error


def _failure_reason(error: OSError | ValueError) -> str:
    if isinstance(error, ValueError):
        # A NUL in a path, or a lone surrogate.
        return "is no path"
    if error.errno == errno.ENOENT:
        return "does not exist"
    if error.errno in {errno.EACCES, errno.EPERM}:
        return "may not be read: permission denied"
    if error.errno == errno.ELOOP:
        return "is a link that leads back to itself"
    return f"cannot be read: {error.strerror or error}"


def _failure_remedy(error: OSError | ValueError) -> str:
    in_circles = isinstance(error, OSError) and error.errno == errno.ELOOP
    return "Remove it, or let it lead to a file." if in_circles else "Check the name and its permissions."

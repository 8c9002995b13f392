"""The processes that read files, as the rest of Magpie sees them: warm, under a clock, and replaced when they fail."""

import asyncio
import logging
import os
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import aclosing
from dataclasses import replace
from typing import Any, TypeVar

from msgspec import ValidationError, convert

from rag.documents import Picture, Properties
from rag.readers.process.limits import ReadingLimits
from rag.readers.process.reader import ReaderProcess, reader_broke, too_large
from rag.readers.process.worker import Order
from rag.readers.text import name_of
from rag.readers.website.page_links import PageLinks
from rag.readers.website.sitemap import SiteMap
from rag.zim.values import ZIM, ArchiveRequest
from utils.errors import DocumentError

_PATIENCE_SECONDS = 0.5
"""Seconds for which a file waits for the process that is warm; then it gets one of its own."""
_TRACEBACK = 1900
"""Characters of a traceback, its last ones, that go to the log."""

_MAX_PICTURE_BYTES = 10_000_000
"""Bytes that an encoded picture can have: three for each of its pixels, with some room."""

log = logging.getLogger("magpie.readers")

_Told = TypeVar("_Told")
ReadRow = tuple[str, str, str, str, Properties]
"""Source, title, text, media type, and what the document says of itself."""


class ReaderPool:
    """Has files read, one at a time in one process; whoever would wait longer than a moment gets another."""

    def __init__(self, limits: ReadingLimits | None = None) -> None:
        self.limits = limits or ReadingLimits()
        self._idle: list[ReaderProcess] = []
        self._busy = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def read(
        self, source: str, media_type: str, content: bytes | int, charset: str = ""
    ) -> AsyncGenerator[ReadRow, None]:
        """The documents in some bytes or in an open file, as they are read; raises `DocumentError`.

        Whatever the process that reads does or says, nothing else is raised. Leaving early ends it.
        """
        order = self._make_order(source, media_type, content, charset)
        async with aclosing(self._carry_out(order, content, _rows_in)) as rows:
            async for row in rows:
                yield row

    async def read_picture(self, source: str, media_type: str, content: bytes | int) -> Picture:
        """The picture in some bytes or in an open file, as models are sent it; raises `DocumentError`."""
        order = replace(self._make_order(source, media_type, content), wanted="picture")
        picture = await self._one_answer(order, content, _picture_in)
        if picture.unread:
            about = {"source": order.source, "cause": picture.unread}
            log.warning("what is written in a picture was not read", extra={"data": about})
        return picture

    async def ask_archive(self, path: str, request: ArchiveRequest, kind: type[_Told]) -> _Told:
        """What the ZIM archive in a file says, as values of this kind; raises `DocumentError`."""
        order = replace(self._make_order(path, ZIM, b""), request=request)
        return await self._one_answer(order, b"", lambda told: convert(told["archive"], kind))

    async def read_page(
        self, source: str, media_type: str, content: bytes, charset: str = ""
    ) -> tuple[PageLinks, ReadRow | DocumentError]:
        """The links of a page of a site, and its text or why there is none."""
        order = replace(self._make_order(source, media_type, content, charset), wanted="page")
        links, rows = PageLinks(), list[ReadRow]()
        try:
            async with aclosing(self._carry_out(order, content, lambda message: [message])) as messages:
                async for message in messages:
                    if "page" in message:
                        links = convert(message["page"], PageLinks)
                    else:
                        rows += _rows_in(message)
        except (DocumentError, ValidationError, KeyError) as error:
            return links, error if isinstance(error, DocumentError) else reader_broke(order)
        return links, rows[0] if rows else DocumentError(f"{name_of(source)} holds no text.")

    async def read_sitemap(self, source: str, content: bytes) -> SiteMap:
        """The addresses in a map of a site; raises `DocumentError`."""
        order = replace(self._make_order(source, "application/xml", content), wanted="sitemap")
        return await self._one_answer(order, content, lambda told: convert(told["sitemap"], SiteMap))

    async def _one_answer(self, order: Order, content: bytes | int, read: Callable[[dict[str, Any]], _Told]) -> _Told:
        """What a process answers an order that has one answer; raises `DocumentError`."""
        async with aclosing(self._carry_out(order, content, lambda told: [read(told)])) as answers:
            found = [answer async for answer in answers]
        if not found:
            raise reader_broke(order)
        return found[0]

    def _make_order(self, source: str, media_type: str, content: bytes | int, charset: str = "") -> Order:
        if isinstance(content, bytes):
            # Strangers wrote it: nobody waits longer because they sent more.
            sent, seconds = len(content), self.limits.seconds
        else:
            sent, seconds = -1, self.limits.seconds_for(os.fstat(content).st_size, media_type)
        return Order(source, media_type, charset, sent, seconds, self.limits.memory_for(media_type))

    async def _carry_out(
        self, order: Order, content: bytes | int, take: Callable[[dict[str, Any]], Iterable[_Told]]
    ) -> AsyncGenerator[_Told, None]:
        """What `take` makes of each message of the process that reads, up to the one that ends it."""
        worker = await self._take_worker()
        sound = False
        try:
            await worker.send(order, content)
            while "worn" not in (message := await worker.receive(order)):
                for told in take(message):
                    yield told
            sound = ("done" in message or "refused" in message) and not message["worn"]
            _check_end(message, order)
        except DocumentError:
            raise
        except Exception as error:
            # It says what it was never meant to say: a hostile file may have taken it over.
            log.exception("a reader said what cannot be understood", extra={"data": {"source": order.source}})
            raise reader_broke(order) from error
        finally:
            self._put_back(worker, sound)

    async def _take_worker(self) -> ReaderProcess:
        if self._busy and not self._idle:
            place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            try:
                await asyncio.wait([place], timeout=_PATIENCE_SECONDS)
            finally:
                place.cancel()
        self._busy += 1
        while self._idle:
            worker = self._idle.pop()
            if worker.alive:
                return worker
            worker.end()
        try:
            return ReaderProcess()
        except OSError as error:
            self._busy -= 1
            raise DocumentError(
                f"No process can be started to read files: {error.strerror}.", "Close other programs."
            ) from error

    def _put_back(self, worker: ReaderProcess, sound: bool) -> None:
        self._busy -= 1
        if sound and not self._idle:
            self._idle.append(worker)
        else:
            worker.end()
        while self._waiting:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(None)
                break


def _rows_in(message: dict[str, Any]) -> Iterable[ReadRow]:
    return [
        (source, title, text, kind, convert(told, Properties))
        for source, title, text, kind, told in message["documents"]
    ]


def _picture_in(message: dict[str, Any]) -> Picture:
    """The picture that a message holds; raises `ValueError` for what no reader makes."""
    picture = convert(message["picture"], Picture)
    if len(picture.data) > _MAX_PICTURE_BYTES:
        raise ValueError(f"a picture of {len(picture.data)} bytes")
    return picture


def _check_end(message: dict[str, Any], order: Order) -> None:
    """Raises what the last message tells."""
    if "refused" in message:
        raise DocumentError(*message["refused"])
    if "exhausted" in message:
        raise too_large(order)
    if "crashed" in message:
        about = {"source": order.source, "traceback": str(message["crashed"])[-_TRACEBACK:]}
        log.error("a reader failed", extra={"data": about})
        raise reader_broke(order)

"""The processes that read files, as the rest of Magpie sees them: warm, under a clock, and replaced when they fail."""

import asyncio
import logging
import os
import signal
import socket
import subprocess
import sys
import weakref
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import aclosing
from dataclasses import asdict, replace
from typing import Any, TypeVar

from msgspec import ValidationError, convert

from rag.documents import Picture, Properties
from rag.readers.process.limits import ReadingLimits
from rag.readers.process.worker import LENGTH, Order, frame_message, unframe_message
from rag.readers.text import name_of
from rag.readers.website.page_links import PageLinks
from rag.readers.website.sitemap import SiteMap
from utils.children import child_environment
from utils.errors import DocumentError
from utils.paths import CODE_FOLDER
from utils.platform import EXHAUSTED

_PATIENCE_SECONDS = 0.5
"""Seconds for which a file waits for the process that is warm; then it gets one of its own."""
_WALL = 3
"""Seconds on the wall for each second of processor time: other programs run too."""
_LARGE = 1 << 20
"""Bytes of a message that are taken apart in a thread."""
_MAX_MESSAGE_BYTES = 1 << 28
"""Bytes that a message can have: the largest document that is handed out, four bytes a character, with some room."""
_DYING = 3.0
"""Seconds that a process which said that it is gone is waited for."""
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
        self._idle: list[_Worker] = []
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
        async with aclosing(self._carry_out(order, content, _pictures_in)) as pictures:
            found = [picture async for picture in pictures]
        if not found:
            raise _reader_broke(order)
        if found[0].unread:
            about = {"source": order.source, "cause": found[0].unread}
            log.warning("what is written in a picture was not read", extra={"data": about})
        return found[0]

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
            return links, error if isinstance(error, DocumentError) else _reader_broke(order)
        return links, rows[0] if rows else DocumentError(f"{name_of(source)} holds no text.")

    async def read_sitemap(self, source: str, content: bytes) -> SiteMap:
        """The addresses in a map of a site; raises `DocumentError`."""
        order = replace(self._make_order(source, "application/xml", content), wanted="sitemap")
        async with aclosing(self._carry_out(order, content, lambda m: [convert(m["sitemap"], SiteMap)])) as maps:
            found = [one async for one in maps]
        if not found:
            raise _reader_broke(order)
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
            raise _reader_broke(order) from error
        finally:
            self._put_back(worker, sound)

    async def _take_worker(self) -> "_Worker":
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
            return _Worker()
        except OSError as error:
            self._busy -= 1
            raise DocumentError(
                f"No process can be started to read files: {error.strerror}.", "Close other programs."
            ) from error

    def _put_back(self, worker: "_Worker", sound: bool) -> None:
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


class _Worker:
    """One process and the socket to it; belongs to no event loop."""

    def __init__(self) -> None:
        # Threads and arenas would take address space by the number of the machine's cores.
        own = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}
        self._socket, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "rag.readers.process.worker", str(theirs.fileno())],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env=child_environment(str(CODE_FOLDER), own),
                # Ctrl-C is for the chat.
                process_group=0,
            )
        self._socket.setblocking(False)
        self.end = weakref.finalize(self, _end_process, self._process, self._socket)

    @property
    def alive(self) -> bool:
        """Whether the process is still there."""
        return self._process.poll() is None

    async def send(self, order: Order, content: bytes | int) -> None:
        """Hand over an order with its bytes or its open file."""
        data = frame_message(asdict(order))
        try:
            if isinstance(content, int):
                socket.send_fds(self._socket, [data], [content])
            else:
                async with asyncio.timeout(_WALL * order.seconds):
                    await asyncio.get_running_loop().sock_sendall(self._socket, data + content)
        except OSError:
            # It has ended, or takes nothing; receiving says so.
            return

    async def receive(self, order: Order) -> dict[str, Any]:
        """The next message; raises `DocumentError` where the file was too much for the process."""
        try:
            async with asyncio.timeout(_WALL * order.seconds):
                [size] = LENGTH.unpack(await self._read_bytes(LENGTH.size))
                if size > _MAX_MESSAGE_BYTES:
                    raise ValueError(f"a message of {size} bytes")
                data = await self._read_bytes(size)
        except TimeoutError:
            raise _too_slow(order) from None
        except EOFError:
            raise await self._reading_failure(order) from None
        return unframe_message(data) if len(data) < _LARGE else await asyncio.to_thread(unframe_message, data)

    async def _read_bytes(self, size: int) -> bytes:
        data = bytearray(size)
        view, done = memoryview(data), 0
        loop = asyncio.get_running_loop()
        while done < size:
            try:
                part = await loop.sock_recv_into(self._socket, view[done:])
            except ConnectionError:
                part = 0
            if not part:
                raise EOFError
            done += part
        return bytes(data)

    async def _reading_failure(self, order: Order) -> DocumentError:
        try:
            status = await asyncio.to_thread(self._process.wait, _DYING)
        except subprocess.TimeoutExpired:
            return _reader_broke(order)
        if status == -signal.SIGPROF:
            return _too_slow(order)
        if status in {-signal.SIGKILL, EXHAUSTED}:
            return _too_large(order)
        return _reader_broke(order)


def _rows_in(message: dict[str, Any]) -> Iterable[ReadRow]:
    return [
        (source, title, text, kind, convert(told, Properties))
        for source, title, text, kind, told in message["documents"]
    ]


def _pictures_in(message: dict[str, Any]) -> Iterable[Picture]:
    """The picture that a message holds; raises `ValueError` for what no reader makes."""
    picture = convert(message["picture"], Picture)
    if len(picture.data) > _MAX_PICTURE_BYTES:
        raise ValueError(f"a picture of {len(picture.data)} bytes")
    yield picture


def _check_end(message: dict[str, Any], order: Order) -> None:
    """Raises what the last message tells."""
    if "refused" in message:
        raise DocumentError(*message["refused"])
    if "exhausted" in message:
        raise _too_large(order)
    if "crashed" in message:
        about = {"source": order.source, "traceback": str(message["crashed"])[-_TRACEBACK:]}
        log.error("a reader failed", extra={"data": about})
        raise _reader_broke(order)


def _reader_broke(order: Order) -> DocumentError:
    return DocumentError(f"{name_of(order.source)} cannot be read: its reader broke down.")


def _too_slow(order: Order) -> DocumentError:
    return DocumentError(f"{name_of(order.source)} was given up after {order.seconds:.0f} s of reading.")


def _too_large(order: Order) -> DocumentError:
    return DocumentError(f"{name_of(order.source)} needs more than {order.memory / (1 << 30):.2g} GB to be read.")


def _end_process(process: "subprocess.Popen[bytes]", connection: socket.socket) -> None:
    connection.close()
    process.kill()
    process.wait()
    if process.stdin:
        process.stdin.close()

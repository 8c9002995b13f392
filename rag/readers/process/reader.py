"""One process that reads files, and the socket to it."""

import asyncio
import signal
import socket
import subprocess
import sys
import weakref
from dataclasses import asdict
from typing import Any

from rag.readers.process.worker import LENGTH, Order, frame_message, unframe_message
from rag.readers.text import name_of
from utils.children import child_environment
from utils.errors import DocumentError
from utils.paths import CODE_FOLDER
from utils.platform import EXHAUSTED

_WALL = 3
"""Seconds on the wall for each second of processor time: other programs run too."""
_LARGE = 1 << 20
"""Bytes of a message that are taken apart in a thread."""
_MAX_MESSAGE_BYTES = 1 << 28
"""Bytes that a message can have: the largest document that is handed out, four bytes a character, with some room."""
_DYING = 3.0
"""Seconds that a process which said that it is gone is waited for."""


class ReaderProcess:
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
            raise too_slow(order) from None
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
            return reader_broke(order)
        if status == -signal.SIGPROF:
            return too_slow(order)
        if status in {-signal.SIGKILL, EXHAUSTED}:
            return too_large(order)
        return reader_broke(order)


def reader_broke(order: Order) -> DocumentError:
    """A file whose reader said nothing that can be understood."""
    return DocumentError(f"{name_of(order.source)} cannot be read: its reader broke down.")


def too_slow(order: Order) -> DocumentError:
    """A file that took too long."""
    return DocumentError(f"{name_of(order.source)} was given up after {order.seconds:.0f} s of reading.")


def too_large(order: Order) -> DocumentError:
    """A file that took too much memory."""
    return DocumentError(f"{name_of(order.source)} needs more than {order.memory / (1 << 30):.2g} GB to be read.")


def _end_process(process: "subprocess.Popen[bytes]", connection: socket.socket) -> None:
    connection.close()
    process.kill()
    process.wait()
    if process.stdin:
        process.stdin.close()

"""A server that is a program on this machine: messages over its standard input and output, the rest to the log.

The SDK's own transport stops at nothing: a line without end takes all memory, a wrong byte breaks it, and a Magpie that
is killed leaves the program running. This one has limits, and ends what it started.
"""

import asyncio
import logging
import os
import shutil
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
import mcp_types as types
import msgspec
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

from tools.mcp_client.config import ServerSpec, fill_variables
from tools.mcp_client.connection.rate_limit import ENDLESS, Flood
from utils.children import foreign_environment, start_supervised
from utils.errors import MagpieError
from utils.secrets import hide_learnt
from utils.supervisor import NOT_FOUND
from utils.text import one_line

log = logging.getLogger("magpie.mcp")

MAX_LINE_BYTES = 10_000_000
"""Bytes of one message."""
_READ_BYTES = 1 << 16
_LOGGED = 200
"""Lines of its standard error that are logged; a server that complains all day must not drive out the rest."""
_LEAVING = 1.0
"""Seconds for a server to end by itself when its input has ended."""
_ENDING_SECONDS = 5.0
"""Seconds for the supervisor to end it; it needs less than three."""
_CHANGED = "notifications/tools/list_changed"
_BREATH = 0.02
"""Seconds between two looks at the standard error of a server that has said a lot: 3 MB a second are heard."""


class ServerProcess:
    """The program of one server while it is connected; a transport of the SDK."""

    def __init__(self, spec: ServerSpec, environment: Mapping[str, str]) -> None:
        self._spec = spec
        self._environment = environment
        self.broken = ""
        """Why it cannot be talked to any more, as a clause; empty while it can or where it just ended."""
        self.exit_code: int | None = None
        self.last_words = ""
        """The last line of its standard error."""
        self.closed = False
        """Whether it sends nothing any more."""
        self.on_news: Callable[[], None] = lambda: None
        self._flood = Flood()
        self._asked: set[types.RequestId] = set()
        """The requests that it has not answered yet."""
        self.patient = False
        self._by_itself = False

    @asynccontextmanager
    async def open_streams(self) -> AsyncGenerator[tuple[Any, Any], None]:
        """The streams of messages from and to it; raises `MagpieError` where it cannot be started."""
        process, lifeline = await self._start_process()
        incoming, received = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        to_send, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
        tasks = [
            asyncio.create_task(self._read_messages(process, incoming)),
            asyncio.create_task(self._write_messages(process, outgoing)),
            asyncio.create_task(self._log_errors(process)),
        ]
        try:
            yield received, to_send
        finally:
            for stream in (incoming, received, to_send, outgoing):
                stream.close()
            await self._end_process(process, lifeline, tasks)

    async def _start_process(self) -> tuple[Process, int]:
        own = fill_variables(self._spec.env, self._environment)
        environment = foreign_environment(own, self._environment)
        program = self._spec.command[0]
        if not shutil.which(program, path=environment.get("PATH", os.defpath)):
            raise MagpieError(f"there is no program {one_line(program, 100)} to run")
        folder = os.path.expanduser(self._spec.cwd) or None  # noqa: PTH111
        try:
            return await start_supervised(self._spec.command, stderr=PIPE, env=environment, cwd=folder)
        except OSError as error:
            raise MagpieError(f"it cannot be started: {error.strerror}") from error

    async def _read_messages(
        self, process: Process, incoming: MemoryObjectSendStream[SessionMessage | Exception]
    ) -> None:
        try:
            async for line in self._read_lines(process):
                if (message := self._parse_message(line)) is not None:
                    await incoming.send(message)
                if self.broken:
                    break
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            return
        finally:
            incoming.close()
            if self.broken:
                log.warning("server is broken", extra={"data": {"server": self._spec.name, "why": self.broken}})
            self.closed = True
            self.on_news()

    async def _read_lines(self, process: Process) -> AsyncIterator[bytes]:
        assert process.stdout
        held: list[bytes] = []
        size = 0
        while chunk := await process.stdout.read(_READ_BYTES):
            first, *rest = chunk.split(b"\n")
            held.append(first)
            size += len(first)
            for part in rest:
                yield b"".join(held)
                held, size = [part], len(part)
            if size > MAX_LINE_BYTES:
                self.broken = f"it sent a message of more than {MAX_LINE_BYTES // 1_000_000} MB"
                return

    def _parse_message(self, line: bytes) -> SessionMessage | None:
        """What a line says; None for a notification, and for what is no message.

        Programs print greetings and warnings where only messages belong: those are passed over. Notifications may come
        in floods that the SDK would take seconds to read, and only one of them matters here.
        """
        if not line.lstrip().startswith(b"{"):
            self._count_unasked(len(line))
            return None
        try:
            value = msgspec.json.decode(line.decode("utf-8", "replace"))
            if "method" in value and "id" not in value:
                if value["method"] == _CHANGED:
                    self.on_news()
                self._count_unasked(len(line))
                return None
            if "method" in value or value["id"] not in self._asked:
                self._count_unasked(len(line), 1)
            self._asked.discard(value["id"])
            return SessionMessage(types.jsonrpc_message_adapter.validate_python(value, by_name=False))
        except (ValueError, RecursionError, TypeError, KeyError):
            self.broken = "what it sent is no message of the protocol"
            return None

    def _count_unasked(self, size: int, messages: int = 0) -> None:
        """Count what was not asked for; of too much nothing more is listened to."""
        if not self._flood.is_within_limits(size, messages):
            self.broken = ENDLESS

    async def _write_messages(self, process: Process, outgoing: MemoryObjectReceiveStream[SessionMessage]) -> None:
        assert process.stdin
        with suppress(OSError, anyio.ClosedResourceError):
            async for message in outgoing:
                if isinstance(message.message, types.JSONRPCRequest):
                    self._asked.add(message.message.id)
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                process.stdin.write(text.encode() + b"\n")
                await process.stdin.drain()

    async def _log_errors(self, process: Process) -> None:
        """Put its standard error into the log, as far as there is room for it."""
        assert process.stderr
        lines = 0
        held = b""
        while chunk := await process.stderr.read(_READ_BYTES):
            *whole, held = (held + chunk).split(b"\n")
            held = held[-_READ_BYTES:]
            for line in whole[: _LOGGED - lines] if lines < _LOGGED else whole[-1:]:
                said = hide_learnt(line[:1000].decode("utf-8", "replace"))
                self.last_words = one_line(said, 300) or self.last_words
                if lines < _LOGGED:
                    log.info("server says", extra={"data": {"server": self._spec.name, "line": self.last_words}})
            lines += len(whole)
            if lines > _LOGGED:
                await asyncio.sleep(_BREATH)

    async def _end_process(self, process: Process, lifeline: int, tasks: list["asyncio.Task[None]"]) -> None:
        """End it, kindly first; whatever happens to this task, the pipe that holds it up is closed."""
        assert process.stdin
        self._by_itself = self.closed
        try:
            process.stdin.close()
            with suppress(TimeoutError):
                await asyncio.wait_for(
                    asyncio.shield(_wait_for_exit(process)), _LEAVING if self.patient and not self.broken else 0
                )
        finally:
            os.close(lifeline)
            for task in tasks:
                task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        with suppress(TimeoutError):
            await asyncio.wait_for(_wait_for_exit(process), _ENDING_SECONDS)
        self.exit_code = process.returncode
        transport: Any = getattr(process, "_transport", None)
        if transport:
            # What left its group may hold the pipes; nothing public closes them.
            transport.close()

    def how_ended(self) -> str:
        """How it ended by itself, as a clause; empty where it did not."""
        if self.broken or not self._by_itself:
            return self.broken
        if self.exit_code == NOT_FOUND:
            return f"it cannot be run: {self.last_words}"
        code = "" if self.exit_code is None else f" with exit code {self.exit_code}"
        return f"it ended{code}" + (f", saying: {self.last_words}" if self.last_words else "")


async def _wait_for_exit(process: Process) -> None:
    """Wait for the process itself: `wait` would wait for the ends of its pipes as well."""
    while process.returncode is None:
        await asyncio.sleep(0.02)

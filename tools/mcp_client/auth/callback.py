"""Where the browser brings the answer of a sign-in: a listener on this machine, for one answer."""

import asyncio
import secrets
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from utils.errors import MagpieError

HOST = "127.0.0.1"
"""An address and not the name localhost, which may lead elsewhere (RFC 8252, section 8.3)."""
CALLBACK_PATH = "/callback"
_MAX_REQUEST_BYTES = 16_384
"""Bytes of a request's head."""
_READING_SECONDS = 5.0
"""Seconds for a browser to send one."""
_HEADERS = (
    "Content-Type: text/html; charset=utf-8",
    "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'",
    "Cache-Control: no-store",
    "Referrer-Policy: no-referrer",
    "Connection: close",
)
_DONE = "Magpie has the answer. You can close this page and go back to it."
_REFUSED = "The sign-in was refused. You can close this page; Magpie says what it was told."
_STRAY = "This is not what Magpie is waiting for."


@dataclass(frozen=True)
class Callback:
    """A port of this machine that waits for one answer."""

    port: int
    _answers: "asyncio.Queue[Mapping[str, str]]"
    _expected: list[str]

    @property
    def uri(self) -> str:
        """The address to which the browser is sent back."""
        return f"http://{HOST}:{self.port}{CALLBACK_PATH}"

    async def wait_for_answer(self, state: str) -> Mapping[str, str]:
        """The parameters of the answer that carries this state; others are not listened to."""
        self._expected[:] = [state]
        return await self._answers.get()


@asynccontextmanager
async def listen_for_callback(ports: Sequence[int]) -> AsyncGenerator[Callback, None]:
    """Listen on the first of these ports that is free (0: any), until the end of the block; raises `MagpieError`."""
    answers: asyncio.Queue[Mapping[str, str]] = asyncio.Queue()
    expected: list[str] = []

    async def serve_callback(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, TimeoutError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            async with asyncio.timeout(_READING_SECONDS):
                head = (await reader.readuntil(b"\r\n\r\n")).decode("ascii")
            found = _read_parameters(head, callback.port, expected)
            writer.write(_answer_page(found))
            await writer.drain()
            if found:
                # Only the first answer counts.
                expected.clear()
                answers.put_nowait(found)
        writer.close()

    server = await _bind_port(serve_callback, ports)
    callback = Callback(server.sockets[0].getsockname()[1], answers, expected)
    try:
        yield callback
    finally:
        server.close()


async def _bind_port(serve: object, ports: Sequence[int]) -> asyncio.Server:
    for port in ports:
        with suppress(OSError):
            return await asyncio.start_server(serve, HOST, port, limit=_MAX_REQUEST_BYTES)  # type: ignore[arg-type]
    raise MagpieError(f"port {ports[0]} of this machine, where the browser brings the answer, is in use")


def _read_parameters(head: str, port: int, expected: Sequence[str]) -> dict[str, str]:
    """What an answer says; empty for a request that is not the one that is waited for."""
    first, *lines = head.split("\r\n")
    method, address, _ = first.split(" ")
    named = [line.partition(":")[2].strip() for line in lines if line.lower().startswith("host:")]
    # Another host's name that leads here would be a page that reads along (DNS rebinding).
    if method != "GET" or named not in ([f"{HOST}:{port}"], [f"localhost:{port}"]):
        return {}
    parts = urlsplit(address)
    found = dict(parse_qsl(parts.query, max_num_fields=50))
    known = any(secrets.compare_digest(found.get("state", "").encode(), state.encode()) for state in expected)
    return found if parts.path == CALLBACK_PATH and known else {}


def _answer_page(found: Mapping[str, str]) -> bytes:
    status, said = ("200 OK", _REFUSED if "error" in found else _DONE) if found else ("404 Not Found", _STRAY)
    body = f"<!doctype html><meta charset=utf-8><title>Magpie</title><p>{said}</p>\n".encode()
    lines = [f"HTTP/1.1 {status}", *_HEADERS, f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode() + body

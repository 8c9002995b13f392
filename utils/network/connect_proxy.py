"""A proxy on loopback for clients that connect by themselves: their connections are made here, under our guard."""

import asyncio
import base64
import hmac
import re
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from utils.errors import AddressRefused, MagpieError
from utils.network.addresses import DEFAULT_PORTS, Target, parse_url
from utils.network.dialer import Dialer

if TYPE_CHECKING:
    import httpcore

HEAD_SECONDS = 10.0
MAX_REQUEST_HEAD = 65_536
"""Bytes of a request's head."""
RELAY_BLOCK_BYTES = 65_536
MAX_RELAYED_BYTES = 20_000_000
"""Bytes that one connection brings in."""
PROXY_USER = "magpie"

_CONNECT = re.compile(r"CONNECT (\S+:[0-9]{1,5}) HTTP/1\.1")
_PLAIN_REQUEST = re.compile(r"([A-Z]+) (http://\S+) HTTP/1\.1")


class Relay:
    """A running proxy. Only who knows its `url`, which holds a password of its own, gets anything through it."""

    def __init__(self, dialer: Dialer) -> None:
        self.url = ""
        self.failure: MagpieError | None = None
        """Why the last connection was not made; the client is told no more than that it was not."""
        self._dialer = dialer
        password = secrets.token_hex(16)
        self._credentials = f"{PROXY_USER}:{password}"
        self._expected = b"Basic " + base64.b64encode(self._credentials.encode())
        self._serving: set[asyncio.Task[None]] = set()

    async def start(self) -> asyncio.Server:
        """Listen on a free port."""
        server = await asyncio.start_server(self._accept_client, "127.0.0.1", 0, limit=MAX_REQUEST_HEAD)
        self.url = f"http://{self._credentials}@127.0.0.1:{server.sockets[0].getsockname()[1]}"
        return server

    async def stop(self) -> None:
        """Break off whatever is under way."""
        for task in self._serving:
            task.cancel()
        if self._serving:
            await asyncio.wait(self._serving)

    def _accept_client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._serve_client(reader, writer))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    async def _serve_client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, from the client's request to the end of either side."""
        import httpcore

        try:
            async with asyncio.timeout(HEAD_SECONDS):
                head = await reader.readuntil(b"\r\n\r\n")
            first, *lines = head.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
            if not self._knows_password(lines):
                writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
                return
            target, onward = read_request(first, lines)
            self._check_port(target)
            upstream = await self._dialer.open_connection(target)
            writer.write(b"" if onward else b"HTTP/1.1 200 Connection established\r\n\r\n")
            try:
                await upstream.write(onward)
                await _pass_on(reader, writer, upstream)
            finally:
                await upstream.aclose()
        except MagpieError as error:
            self.failure = error
            writer.write(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
        except (TimeoutError, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, httpcore.NetworkError):
            pass
        finally:
            writer.close()

    def _knows_password(self, lines: list[str]) -> bool:
        said = [value.strip() for name, _, value in (line.partition(":") for line in lines) if _is_secret(name)]
        return len(said) == 1 and hmac.compare_digest(said[0].encode("latin-1"), self._expected)

    def _check_port(self, target: Target) -> None:
        if target.port not in DEFAULT_PORTS.values() and target.origin not in self._dialer.policy.opened:
            raise AddressRefused(f"Port {target.port} of {target.host} is none of the web's.")


@asynccontextmanager
async def open_relay(dialer: Dialer) -> AsyncIterator[Relay]:
    """A proxy that connects as `dialer` may, as long as the context lasts; then its connections are broken off."""
    relay = Relay(dialer)
    server = await relay.start()
    try:
        yield relay
    finally:
        server.close()
        await relay.stop()


def read_request(first: str, lines: list[str]) -> tuple[Target, bytes]:
    """Where a request to a proxy wants to go, and the request as the server there gets it; empty for a tunnel."""
    if match := _CONNECT.fullmatch(first):
        return parse_url(f"https://{match[1]}/"), b""
    match = _PLAIN_REQUEST.fullmatch(first)
    if not match:
        raise AddressRefused("A client asked for what is no web page.")
    target = parse_url(match[2])
    names = ("proxy-", "connection:", "host:")
    kept = [line for line in lines if not line.lower().startswith(names)]
    request = [f"{match[1]} {target.path} HTTP/1.1", f"Host: {target.authority}", "Connection: close", *kept, "", ""]
    return target, "\r\n".join(request).encode("latin-1")


def _is_secret(name: str) -> bool:
    return name.strip().lower() == "proxy-authorization"


async def _pass_on(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, upstream: "httpcore.AsyncNetworkStream"
) -> None:
    """Pass bytes on in both directions until one side ends or has sent too much."""
    import httpcore

    async def send_blocks() -> None:
        while block := await reader.read(RELAY_BLOCK_BYTES):
            await upstream.write(block)

    async def receive_blocks() -> None:
        left = MAX_RELAYED_BYTES
        while left > 0 and (block := await upstream.read(RELAY_BLOCK_BYTES)):
            left -= len(block)
            writer.write(block)
            await writer.drain()

    ways = [asyncio.create_task(send_blocks()), asyncio.create_task(receive_blocks())]
    try:
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for way in ways:
            way.cancel()
            with suppress(asyncio.CancelledError, OSError, httpcore.NetworkError):
                await way

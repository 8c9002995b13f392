"""The protocol over streamable HTTP: on this machine alone, unless a token guards it."""

import asyncio
import contextlib
import hmac
import ipaddress
import socket
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from mcp.server import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp, Receive, Scope, Send

from chatbot.frontends.plain import say
from utils.errors import ConfigError, FileUnreadable
from utils.files import expanded, read_text

PATH = "/mcp"
SHORTEST, LONGEST = 16, 10_000
"""Characters of a token."""
LEAVING = 2
"""Seconds that leaving waits for what is under way; streams that clients keep open would never end."""
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True)
class Address:
    """Where to listen, and the token that clients must send; empty: none."""

    host: str
    port: int
    token: str = ""

    @property
    def local(self) -> bool:
        """Whether only this machine can reach it."""
        try:
            return self.host == "localhost" or ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def address_of(host: str, port: int, token_file: Path | None) -> Address:
    """The address with its token; raises `ConfigError` where others could reach it without one."""
    address = Address(host, port, read_token(token_file) if token_file else "")
    if not address.local and not address.token:
        raise ConfigError(
            f"Others could reach {host}, so a token must guard it.", "Write one into a file and name it: --token-file."
        )
    return address


def read_token(path: Path) -> str:
    """The text of the file without space around it; raises `ConfigError`."""
    try:
        token = read_text(expanded(path), LONGEST, encoding="ascii").strip()
    except FileUnreadable as error:
        raise ConfigError(f"The token in {error.problem}", "Name another file.") from error
    if len(token) < SHORTEST:
        raise ConfigError(f"The token in {path} is too short.", f"Write {SHORTEST} characters or more.")
    return token


def security(address: Address) -> TransportSecuritySettings:
    """Hosts and origins that requests may name, so that no web page reaches the server through a name of its own.

    Where it listens on every address of the machine its names are not known, and the token alone guards it.
    """
    names = [*LOOPBACK] if address.local else [bracketed(address.host)]
    if not address.local and everywhere(address.host):
        return TransportSecuritySettings(enable_dns_rebinding_protection=False)
    return TransportSecuritySettings(
        allowed_hosts=[form for name in names for form in (name, f"{name}:*")],
        allowed_origins=[form for name in names for form in (f"http://{name}", f"http://{name}:*")],
    )


def everywhere(host: str) -> bool:
    """Whether it stands for every address of the machine."""
    return host in ("0.0.0.0", "::")


def bracketed(host: str) -> str:
    """An address as it stands in a URL."""
    return f"[{host}]" if ":" in host else host


class Guard:
    """Lets requests through that carry the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """An ASGI application."""
        sent = dict(scope.get("headers", [])).get(b"authorization", b"")
        if scope["type"] != "http" or hmac.compare_digest(sent, self._expected):
            await self._app(scope, receive, send)
            return
        headers = [(b"www-authenticate", b"Bearer"), (b"content-type", b"text/plain")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body", "body": b"A token is needed."})


class Listener(uvicorn.Server):
    """Leaves when it is told to; signals are Magpie's."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take none."""
        yield


async def serve(server: Server[Any], address: Address, told: Callable[[int], None]) -> None:
    """Serve until this is cancelled, `told` which port that is; raises `ConfigError` where it cannot be had."""
    app: ASGIApp = server.streamable_http_app(streamable_http_path=PATH, transport_security=security(address))
    if address.token:
        app = Guard(app, address.token)
    listening = listen(address)
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        ws="none",
        lifespan="on",
        proxy_headers=False,
        timeout_graceful_shutdown=LEAVING,
    )
    listener = Listener(config)
    with listening:
        port = listening.getsockname()[1]
        told(port)
        say(f"Magpie serves http://{bracketed(address.host)}:{port}{PATH}", sys.stderr)
        serving = asyncio.create_task(listener.serve([listening]))
        try:
            await asyncio.shield(serving)
        except asyncio.CancelledError:
            listener.should_exit = True
            await serving
            raise


def listen(address: Address) -> socket.socket:
    """The open socket; raises `ConfigError`."""
    try:
        family = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((address.host, address.port), family=family)
    except OSError as error:
        raise ConfigError(
            f"Port {address.port} of {address.host} cannot be had: {error.strerror}.", "Name another with --port."
        ) from error

"""The protocol over streamable HTTP, guarded by a token: what is in the library is for its user alone."""

import asyncio
import contextlib
import hmac
import ipaddress
import secrets
import socket
import stat
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from filelock import FileLock
from mcp.server import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.types import ASGIApp, Receive, Scope, Send

from chatbot.frontends.plain import print_clean
from utils.errors import ConfigError, FileUnreadable
from utils.files import expand_home, read_text
from utils.paths import private_dir, write_private

ENDPOINT_PATH = "/mcp"
MIN_TOKEN_CHARS, MAX_TOKEN_CHARS = 16, 10_000
"""Characters of a token."""
TOKEN_FILE_NAME = "mcp_server_token"
"""The file in the data folder with the token that was made; another one takes its place when it is removed."""
SESSIONS = 100
"""Clients at once; each takes about 0.4 MB, and who leaves without a word stays until it is idle."""
IDLE_SECONDS = 1800.0
"""How long a session stays of which nothing is heard; its client has to begin another one then."""
LEAVING = 2
"""Seconds that leaving waits for what is under way; streams that clients keep open would never end."""
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True)
class ListenAddress:
    """Where to listen, and the token that clients must send; empty: none."""

    host: str
    port: int
    token: str = ""
    token_file: Path | None = None
    """Where users find it."""

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach it."""
        try:
            return self.host == "localhost" or ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def address_of(host: str, port: int, token_file: Path | None) -> ListenAddress:
    """The address with its token; None: without. Raises `ConfigError` where others could reach it without one."""
    address = ListenAddress(host, port, read_token(token_file) if token_file else "", token_file)
    if not address.is_local and not address.token:
        raise ConfigError(f"Others could reach {host}, so a token must guard it.", "Leave --no-token out.")
    return address


def kept_token(folder: Path) -> Path:
    """The file with this user's own token, made if there is none that nobody else could have read.

    On one machine, too: every user of it can connect to a port. Raises `ConfigError`.
    """
    path = folder / TOKEN_FILE_NAME
    try:
        with FileLock(private_dir(folder) / f".{TOKEN_FILE_NAME}.lock"):
            if not path.exists() or stat.S_IMODE(path.stat().st_mode) & 0o077:
                write_private(path, secrets.token_urlsafe(32) + "\n")
    except OSError as error:
        raise ConfigError(
            f"No token can be kept in {folder}: {error.strerror}.", "Name a file that has one: --token-file FILE."
        ) from error
    return path


def read_token(path: Path) -> str:
    """The text of the file without space around it; raises `ConfigError`."""
    try:
        token = read_text(expand_home(path), MAX_TOKEN_CHARS, encoding="ascii").strip()
    except FileUnreadable as error:
        raise ConfigError(f"The token in {error.problem}", "Name another file.") from error
    if len(token) < MIN_TOKEN_CHARS:
        raise ConfigError(f"The token in {path} is too short.", f"Write {MIN_TOKEN_CHARS} characters or more.")
    return token


def security_settings(address: ListenAddress) -> TransportSecuritySettings:
    """Hosts and origins that requests may name, so that no web page reaches the server through a name of its own.

    Where it listens on every address of the machine its names are not known, and the token alone guards it.
    """
    names = [*LOOPBACK] if address.is_local else [bracket_host(address.host)]
    if not address.is_local and is_everywhere(address.host):
        return TransportSecuritySettings(enable_dns_rebinding_protection=False)
    return TransportSecuritySettings(
        allowed_hosts=[form for name in names for form in (name, f"{name}:*")],
        allowed_origins=[form for name in names for form in (f"http://{name}", f"http://{name}:*")],
    )


def is_everywhere(host: str) -> bool:
    """Whether it stands for every address of the machine."""
    return host in ("0.0.0.0", "::")


def bracket_host(host: str) -> str:
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


def make_application(server: Server[Any], address: ListenAddress, idle: float = IDLE_SECONDS) -> Starlette:
    """The server behind HTTP; sessions end when they were `idle` for so many seconds."""
    return server.streamable_http_app(
        streamable_http_path=ENDPOINT_PATH,
        transport_security=security_settings(address),
        max_sessions=SESSIONS,
        session_idle_timeout=idle,
    )


async def serve_http(server: Server[Any], address: ListenAddress, told: Callable[[int], None]) -> None:
    """Serve until this is cancelled, `told` which port that is; raises `ConfigError` where it cannot be had."""
    app = make_application(server, address)
    listening = open_socket(address)
    config = uvicorn.Config(
        Guard(app, address.token) if address.token else app,
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
        whom = f" to clients that send the token in {address.token_file}" if address.token else ""
        print_clean(f"Magpie serves http://{bracket_host(address.host)}:{port}{ENDPOINT_PATH}{whom}", sys.stderr)
        serving = asyncio.create_task(listener.serve([listening]))
        try:
            await asyncio.shield(serving)
        except asyncio.CancelledError:
            listener.should_exit = True
            await serving
            raise


def open_socket(address: ListenAddress) -> socket.socket:
    """The open socket; raises `ConfigError`."""
    try:
        family = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((address.host, address.port), family=family)
    except OSError as error:
        raise ConfigError(
            f"Port {address.port} of {address.host} cannot be had: {error.strerror}.", "Name another with --port."
        ) from error

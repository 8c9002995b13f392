"""The protocol over streamable HTTP, guarded by a token: what is in the library is for its user alone."""

import hmac
from collections.abc import Callable
from typing import Any

from mcp.server import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.types import ASGIApp, Receive, Scope, Send

from chatbot.frontends.serving.address import ListenAddress
from chatbot.frontends.serving.listening import serve_application

ENDPOINT_PATH = "/mcp"
SESSIONS = 100
"""Clients at once; each takes about 0.4 MB, and who leaves without a word stays until it is idle."""
IDLE_SECONDS = 1800.0
"""How long a session stays of which nothing is heard; its client has to begin another one then."""


def security_settings(address: ListenAddress) -> TransportSecuritySettings:
    """Hosts and origins that requests may name."""
    if not address.names:
        return TransportSecuritySettings(enable_dns_rebinding_protection=False)
    return TransportSecuritySettings(
        allowed_hosts=[form for name in address.names for form in (name, f"{name}:*")],
        allowed_origins=[form for name in address.names for form in (f"http://{name}", f"http://{name}:*")],
    )


class TokenGuard:
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
    whom = f" to clients that send the token in {address.token_file}" if address.token else ""
    guarded = TokenGuard(app, address.token) if address.token else app
    await serve_application(guarded, address, told, path=ENDPOINT_PATH, whom=whom)

"""A server that is reached over HTTP: the SDK's transports, on connections that our guard makes."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Protocol

import httpx2
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

from tools.mcp_client.auth.oauth import Desk, SignIn
from tools.mcp_client.config import ServerSpec, filled
from tools.mcp_client.connection.process import LARGEST
from tools.mcp_client.connection.rate_limit import ENDLESS
from utils.network.addresses import endpoint, parse_url
from utils.network.dialer import Dialer
from utils.network.httpx2_transport import GuardedTransport2

_READING = 300.0
"""Seconds for which a stream of events may be silent, as in the SDK."""
_CONNECTING = 10.0


class Heard(Protocol):
    """Is told what comes."""

    def status(self, status: int) -> None:
        """Of an answer."""
        ...

    def listens(self, part: bytes) -> bool:
        """A part of a stream of events; whether more of it is wanted."""
        ...


@asynccontextmanager
async def streamable(spec: ServerSpec, desk: Desk, sign_in: SignIn, heard: Heard) -> AsyncGenerator[Any, None]:
    """Streams of messages over streamable HTTP."""
    async with (
        _client(spec, desk, sign_in, heard) as client,
        streamable_http_client(spec.url, http_client=client) as streams,
    ):
        yield streams


@asynccontextmanager
async def events(spec: ServerSpec, desk: Desk, sign_in: SignIn, heard: Heard) -> AsyncGenerator[Any, None]:
    """Streams of messages over the older HTTP with server-sent events."""

    def make(headers: Any = None, timeout: Any = None, auth: Any = None) -> httpx2.AsyncClient:
        return _client(spec, desk, sign_in, heard)

    async with sse_client(spec.url, sse_read_timeout=_READING, httpx_client_factory=make) as streams:
        yield streams


def _client(spec: ServerSpec, desk: Desk, sign_in: SignIn, heard: Heard) -> httpx2.AsyncClient:
    """A client for this server alone: its host and port may be private, and nothing else is opened."""
    headers = filled(spec.headers, desk.environment)
    target = parse_url(spec.url)

    async def hear(response: httpx2.Response) -> None:
        heard.status(response.status_code)

    def count(part: bytes) -> None:
        if not heard.listens(part):
            raise httpx2.ReadError(ENDLESS)

    tls = target.scheme == "https" or target.port == 80
    dialer = Dialer(desk.reach, endpoint(spec.url), f"mcp {spec.name}")
    own = any(name.lower() == "authorization" for name in headers)
    return httpx2.AsyncClient(
        transport=GuardedTransport2(dialer, tls=tls, max_bytes=LARGEST, events=count),
        headers={"User-Agent": desk.reach.user_agent, **headers},
        # Who gives a token does not sign in.
        auth=None if own else sign_in,
        timeout=httpx2.Timeout(_CONNECTING, read=max(_READING, spec.timeout)),
        event_hooks={"response": [hear]},
        trust_env=False,
    )

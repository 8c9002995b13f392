"""A server that is reached over HTTP: the SDK's transports, on connections that our guard makes."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Protocol

import httpx2
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

from tools.mcp_client.auth.oauth import Desk, SignIn
from tools.mcp_client.config import ServerSpec, fill_variables
from tools.mcp_client.connection.process import MAX_LINE_BYTES
from tools.mcp_client.connection.rate_limit import ENDLESS
from utils.network.addresses import endpoint_policy, parse_url
from utils.network.dialer import Dialer
from utils.network.httpx2_transport import GuardedTransport2

_STREAM_READ_SECONDS = 300.0
"""Seconds for which a stream of events may be silent, as in the SDK."""
_CONNECTING = 10.0


class Heard(Protocol):
    """Is told what comes."""

    def note_status(self, status: int) -> None:
        """Of an answer."""
        ...

    def count_part(self, part: bytes) -> bool:
        """A part of a stream of events; whether more of it is wanted."""
        ...


@asynccontextmanager
async def connect_streamable(spec: ServerSpec, desk: Desk, sign_in: SignIn, heard: Heard) -> AsyncGenerator[Any, None]:
    """Streams of messages over streamable HTTP."""
    async with (
        _make_client(spec, desk, sign_in, heard) as client,
        streamable_http_client(spec.url, http_client=client) as streams,
    ):
        yield streams


@asynccontextmanager
async def connect_events(spec: ServerSpec, desk: Desk, sign_in: SignIn, heard: Heard) -> AsyncGenerator[Any, None]:
    """Streams of messages over the older HTTP with server-sent events."""

    def make_client(headers: Any = None, timeout: Any = None, auth: Any = None) -> httpx2.AsyncClient:
        return _make_client(spec, desk, sign_in, heard)

    async with sse_client(spec.url, sse_read_timeout=_STREAM_READ_SECONDS, httpx_client_factory=make_client) as streams:
        yield streams


def _make_client(spec: ServerSpec, desk: Desk, sign_in: SignIn, heard: Heard) -> httpx2.AsyncClient:
    """A client for this server alone: its host and port may be private, and nothing else is opened."""
    headers = fill_variables(spec.headers, desk.environment)
    target = parse_url(spec.url)

    async def hear_status(response: httpx2.Response) -> None:
        heard.note_status(response.status_code)

    def count_bytes(part: bytes) -> None:
        if not heard.count_part(part):
            raise httpx2.ReadError(ENDLESS)

    tls = target.scheme == "https" or target.port == 80
    dialer = Dialer(desk.reach, endpoint_policy(spec.url), f"mcp {spec.name}")
    own = any(name.lower() == "authorization" for name in headers)
    return httpx2.AsyncClient(
        transport=GuardedTransport2(dialer, tls=tls, max_bytes=MAX_LINE_BYTES, bound_events=lambda: count_bytes),
        headers={"User-Agent": desk.reach.user_agent, **headers},
        # Who gives a token does not sign in.
        auth=None if own else sign_in,
        timeout=httpx2.Timeout(_CONNECTING, read=max(_STREAM_READ_SECONDS, spec.timeout)),
        event_hooks={"response": [hear_status]},
        trust_env=False,
    )

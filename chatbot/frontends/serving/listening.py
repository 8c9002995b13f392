"""An ASGI application behind a socket, until it is told to end; what the application does is not known here."""

import asyncio
import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from chatbot.frontends.plain import print_clean
from chatbot.frontends.serving.address import ListenAddress, open_socket
from utils.network.addresses import bracket_host

LEAVING = 2
"""Seconds that leaving waits for what is under way; streams that clients keep open would never end."""
MAX_CONNECTIONS = 1000
"""At once; a request on one more is told that the server is busy."""


class HeaderTimeoutProtocol(H11Protocol):
    """HTTP, of which a request whose beginning does not arrive in time is none."""

    header_seconds = 15.0
    """In which a request's line and headers must have arrived; who sends a letter a minute would keep a connection."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._await_headers()

    def data_received(self, data: bytes) -> None:
        """Take in what has arrived, and go on waiting only while that is no whole beginning."""
        super().data_received(data)
        if self._is_idle:
            self._await_headers()
        else:
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._stop_waiting()
        super().connection_lost(exc)

    @property
    def _is_idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _await_headers(self) -> None:
        if self._waiting is None:
            self._waiting = self.loop.call_later(self.header_seconds, self._give_up)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _give_up(self) -> None:
        self._waiting = None
        if self._is_idle:
            self.transport.close()


class Listener(uvicorn.Server):
    """Leaves when it is told to; signals are Magpie's."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take none."""
        yield


async def serve_application(
    app: ASGIApp, address: ListenAddress, told: Callable[[int], None], *, path: str = "", whom: str = ""
) -> None:
    """Serve until this is cancelled, `told` which port that is; raises `ConfigError` where it cannot be had.

    What is printed names `path`, and says `to whom`, where that is given.
    """
    listening = open_socket(address)
    config = uvicorn.Config(
        app,
        # Strict about what a request is, whatever faster parsers there are beside it.
        http=HeaderTimeoutProtocol,
        limit_concurrency=MAX_CONNECTIONS,
        log_config=None,
        access_log=False,
        ws="none",
        lifespan="on",
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=LEAVING,
    )
    listener = Listener(config)
    with listening:
        port = listening.getsockname()[1]
        told(port)
        print_clean(f"Magpie serves http://{bracket_host(address.host)}:{port}{path}{whom}", sys.stderr)
        serving = asyncio.create_task(listener.serve([listening]))
        try:
            await asyncio.shield(serving)
        except asyncio.CancelledError:
            listener.should_exit = True
            await serving
            raise

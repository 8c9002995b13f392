"""An ASGI application behind a socket, until it is told to end; what the application does is not known here."""

import asyncio
import contextlib
import sys
from collections.abc import Callable, Iterator

import uvicorn
from starlette.types import ASGIApp

from chatbot.frontends.plain import print_clean
from chatbot.frontends.serving.address import ListenAddress, open_socket
from utils.network.addresses import bracket_host

LEAVING = 2
"""Seconds that leaving waits for what is under way; streams that clients keep open would never end."""


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
        http="h11",
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

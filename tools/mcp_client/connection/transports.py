"""The ways to a server, in the order in which they are tried."""

from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from tools.mcp_client.auth.oauth import Desk, SignIn
from tools.mcp_client.config import ServerSpec
from tools.mcp_client.connection.http import Heard, connect_events, connect_streamable
from tools.mcp_client.connection.process import ServerProcess
from tools.mcp_client.connection.rate_limit import ENDLESS, Flood


class Transport(Protocol):
    """One way to a server."""

    on_news: Callable[[], None]
    """Is called when nothing more comes that way, and when the server tells of a change of its tools."""
    closed: bool
    patient: bool
    """Whether the server is given time to end by itself: one that never was ready is not."""

    def open_streams(self) -> AbstractAsyncContextManager[Any]:
        """Connect: the SDK's pair of streams; raises what the SDK raises and `MagpieError`."""
        ...

    def how_ended(self) -> str:
        """How it ended by itself, as a clause; empty where it did not or nobody can tell."""
        ...


class HttpServer:
    """A server over HTTP: that it is gone is seen when it is called."""

    patient = False

    def __init__(self, connect: Callable[[Heard], AbstractAsyncContextManager[Any]]) -> None:
        self._connect = connect
        self._status = 0
        self._flood = Flood()
        self.closed = False
        """Whether it is not listened to any more."""
        self.on_news: Callable[[], None] = lambda: None

    def open_streams(self) -> AbstractAsyncContextManager[Any]:
        """Connect."""
        return self._connect(self)

    def how_ended(self) -> str:
        """That it sent too much, or with which status it refused to begin: the SDK keeps that to itself."""
        if self.closed:
            return ENDLESS
        return f"it answers with HTTP status {self._status}" if self._status >= 400 and not self.patient else ""

    def note_status(self, status: int) -> None:
        """Keep the status of an answer."""
        self._status = status

    def count_part(self, part: bytes) -> bool:
        """Count a part of a stream of events; whether there were not too many."""
        # An event has a line at least, and an empty one behind it; an answer has its newlines escaped.
        if self.closed or not self._flood.is_within_limits(len(part), (part.count(b"\n") + part.count(b"\r")) / 2):
            self.closed = True
            self.on_news()
        return not self.closed


def iter_transports(spec: ServerSpec, desk: Desk, sign_in: SignIn) -> Iterator[Transport]:
    """The ways to a server: its program; or streamable HTTP, then the older one with events."""
    if spec.kind == "stdio":
        yield ServerProcess(spec, desk.environment)
        return
    if spec.kind == "http":
        yield HttpServer(lambda heard: connect_streamable(spec, desk, sign_in, heard))
    if not sign_in.refused:
        yield HttpServer(lambda heard: connect_events(spec, desk, sign_in, heard))

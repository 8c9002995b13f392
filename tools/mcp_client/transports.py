"""The ways to a server, in the order in which they are tried."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from tools.mcp_client.config import ServerSpec
from tools.mcp_client.http import events, streamable
from tools.mcp_client.process import ServerProcess
from utils.reach import Reach


class Transport(Protocol):
    """One way to a server."""

    on_close: Callable[[], None]
    """Is called when nothing more comes that way."""
    closed: bool

    def streams(self) -> AbstractAsyncContextManager[Any]:
        """Connect: the SDK's pair of streams; raises what the SDK raises and `MagpieError`."""
        ...

    def ended(self) -> str:
        """How it ended by itself, as a clause; empty where it did not or nobody can tell."""
        ...


class Remote:
    """A server over HTTP: that it is gone is seen when it is called."""

    closed = False

    def __init__(self, streams: Callable[[], AbstractAsyncContextManager[Any]]) -> None:
        self.streams = streams
        self.on_close: Callable[[], None] = lambda: None

    def ended(self) -> str:
        """Nobody can tell."""
        return ""


def transports(spec: ServerSpec, environment: Mapping[str, str], reach: Reach) -> Iterator[Transport]:
    """The ways to a server: its program; or streamable HTTP, then the older one with events."""
    if spec.kind == "stdio":
        yield ServerProcess(spec, environment)
        return
    if spec.kind == "http":
        yield Remote(lambda: streamable(spec, environment, reach))
    yield Remote(lambda: events(spec, environment, reach))

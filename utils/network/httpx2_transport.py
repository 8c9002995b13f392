"""The guarded transport for the clients of httpx2, the MCP SDK's among them: the one for httpx carries it out."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager

import httpx
import httpx2

from utils.network.dialer import Dialer
from utils.network.httpx_transport import GuardedTransport

EVENTS = "text/event-stream"


class AnswerRefused(httpx2.ReadError):
    """An answer that is not taken: packed, or larger than it may be. To ask again brings the same."""


class GuardedTransport2(httpx2.AsyncBaseTransport):
    """Connects as `dialer` may; an answer has at most `max_bytes`, and comes unpacked.

    A stream of events may be longer where `bound_events` makes for each what is given its parts and ends it.
    """

    def __init__(
        self,
        dialer: Dialer,
        *,
        tls: bool,
        max_bytes: int,
        bound_events: Callable[[], Callable[[bytes], None]] | None = None,
    ) -> None:
        self._inner = GuardedTransport(dialer, tls=tls)
        self._max_bytes = max_bytes
        self._bound_events = bound_events

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The answer; raises `NetworkError` for what may not be opened, and what httpx2 raises."""
        headers = [(name, value) for name, value in request.headers.raw if name.lower() != b"accept-encoding"]
        sent = httpx.Request(
            request.method,
            str(request.url),
            headers=[*headers, (b"Accept-Encoding", b"identity")],
            stream=_Sent(request.stream),
            extensions=dict(request.extensions),
        )
        with _as_httpx2():
            answer = await self._inner.handle_async_request(sent)
        if answer.headers.get("content-encoding", "identity").strip().lower() != "identity":
            await answer.aclose()
            raise AnswerRefused("its answer is packed, which was not asked for")
        events = answer.headers.get("content-type", "").lower().startswith(EVENTS)
        bounded = self._bound_events() if events and self._bound_events else _at_most(self._max_bytes)
        stream = _Received(answer, bounded)
        return httpx2.Response(
            answer.status_code, headers=answer.headers.raw, stream=stream, extensions=dict(answer.extensions)
        )

    async def aclose(self) -> None:
        """Close all connections."""
        await self._inner.aclose()


class _Sent(httpx.AsyncByteStream):
    """A request's body, from httpx2 to httpx."""

    def __init__(self, stream: object) -> None:
        if not isinstance(stream, httpx2.AsyncByteStream):
            raise TypeError("only an asynchronous body can be sent")
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._stream:
            yield part


class _Received(httpx2.AsyncByteStream):
    """An answer's body, from httpx to httpx2."""

    def __init__(self, answer: httpx.Response, count: Callable[[bytes], None]) -> None:
        """`count` is given each part, and raises what ends it."""
        self._answer = answer
        self._count = count

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _as_httpx2():
            async for part in self._answer.stream:  # type: ignore[union-attr]
                self._count(part)
                yield part

    async def aclose(self) -> None:
        await self._answer.aclose()


def _at_most(max_bytes: int) -> Callable[[bytes], None]:
    """Raises once the parts have more bytes together."""
    size = 0

    def count(part: bytes) -> None:
        nonlocal size
        size += len(part)
        if size > max_bytes:
            raise AnswerRefused(f"its answer has more than {max_bytes // 1_000_000} MB")

    return count


@contextmanager
def _as_httpx2() -> Iterator[None]:
    """Raises what httpx raises as the exception of the same name of httpx2."""
    try:
        yield
    except httpx.TransportError as error:
        raise getattr(httpx2, type(error).__name__, httpx2.TransportError)(str(error)) from error

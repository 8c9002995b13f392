"""An HTTP body that ends with a failure where it grows beyond a bound; apart from httpx it knows nothing."""

from collections.abc import AsyncIterable, AsyncIterator

import httpx


class BoundedStream(httpx.AsyncByteStream):
    """The bytes of another stream up to `limit`, then `failure` is raised."""

    def __init__(self, stream: AsyncIterable[bytes], limit: int, failure: Exception) -> None:
        self._stream = stream
        self._left = limit
        self._failure = failure

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._stream:
            self._left -= len(piece)
            if self._left < 0:
                raise self._failure
            yield piece

    async def aclose(self) -> None:
        """Close the stream within."""
        if isinstance(self._stream, httpx.AsyncByteStream):
            await self._stream.aclose()

"""A streamed reply on the wire: chunk by chunk, to the sign that it is complete, with a bound on every silence."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from chatbot.models.openai.errors import foreign_answer, read_details, said_error
from chatbot.models.remote.destination import Destination
from chatbot.models.remote.events import EventReader
from chatbot.models.wire_values import parse_object
from utils.errors import ReplyBroken

if TYPE_CHECKING:
    import httpx2

END = "[DONE]"
LAST_WORDS_SECONDS = 5.0
"""For what follows the end of a reply: the count of its tokens."""
DRAIN_SECONDS = 0.1
"""For the end of an answer that is complete, so that its connection can be used again."""


class ReplyStream:
    """The chunks of one answer; raises what httpx2 raises, `TimeoutError` after a silence and `ModelError`."""

    def __init__(self, response: "httpx2.Response", where: Destination) -> None:
        self._response = response
        self._where = where
        self._reader = EventReader()
        self._parts: AsyncIterator[bytes] = response.aiter_bytes()
        self._waiting: deque[dict[str, Any]] = deque()
        self._over = False
        self._finished = False
        """Whether a chunk said why the reply ended: what follows may be missing."""

    async def fetch_first(self) -> None:
        """Wait for the first chunk, which `next_chunk` then gives."""
        content_type = self._response.headers.get("content-type", "").lower()
        if "json" in content_type:
            await self._read_whole()
        elif "html" in content_type:
            raise foreign_answer(self._where, "it sends a web page")
        elif (chunk := await self.next_chunk()) is not None:
            self._waiting.appendleft(chunk)

    async def next_chunk(self) -> dict[str, Any] | None:
        """The next chunk; None at the end. Raises `ReplyBroken` where the stream stops before the reply is complete."""
        if not self._finished:
            return await self._next_within(self._where.endpoint.timeout)
        import httpx2

        with suppress(TimeoutError, httpx2.TransportError):
            return await self._next_within(LAST_WORDS_SECONDS)
        return None

    async def aclose(self) -> None:
        """Let go of the answer; one that is complete is read to its end, others are cut off at the server."""
        import httpx2

        if self._over:
            with suppress(TimeoutError, httpx2.TransportError):
                async with asyncio.timeout(DRAIN_SECONDS):
                    async for _ in self._parts:
                        pass
        await self._response.aclose()

    async def _next_within(self, seconds: float) -> dict[str, Any] | None:
        """The next chunk within some seconds, however many comments come meanwhile."""
        async with asyncio.timeout(seconds):
            while not self._waiting and not self._over:
                part = await anext(self._parts, None)
                for data in self._reader.finish() if part is None else self._reader.feed(part):
                    self._take_data(data)
                if part is None and not self._over:
                    self._over = True
                    self._check_end()
        return self._waiting.popleft() if self._waiting else None

    def _take_data(self, data: str) -> None:
        if self._over:
            return
        if data.strip() == END:
            self._over = True
            return
        chunk = parse_object(data)
        if chunk is None:
            if data.lstrip().startswith("<"):
                raise foreign_answer(self._where, "it sends a web page")
            raise ReplyBroken(f"{self._where.host} sent an event that is no JSON object.", "Ask again.")
        self._take_chunk(chunk)

    def _take_chunk(self, chunk: dict[str, Any]) -> None:
        details = {} if choices_of(chunk) else read_details(chunk)
        if details:
            code = details.get("code")
            raise said_error(self._where, code if isinstance(code, int) and 400 <= code < 600 else 500, details)
        self._finished = self._finished or any(choice.get("finish_reason") for choice in choices_of(chunk))
        self._waiting.append(chunk)

    def _check_end(self) -> None:
        if not self._finished:
            raise ReplyBroken("The reply ended before the model said that it was complete.", "Ask again.")

    async def _read_whole(self) -> None:
        """An answer in one piece, from a server that does not stream: its message is taken as the only chunk."""
        async with asyncio.timeout(self._where.endpoint.timeout):
            answer = parse_object((await self._response.aread()).decode("utf-8", "replace"))
        if answer is None:
            raise foreign_answer(self._where, "its answer is no JSON object")
        if not choices_of(answer) and not read_details(answer):
            raise foreign_answer(self._where, "its answer is no reply")
        for choice in choices_of(answer):
            choice.setdefault("delta", choice.get("message"))
        self._over = True
        self._take_chunk(answer)


def choices_of(chunk: dict[str, Any]) -> list[dict[str, Any]]:
    """The choices of a chunk that are some."""
    choices = chunk.get("choices")
    return [choice for choice in choices if isinstance(choice, dict)] if isinstance(choices, list) else []

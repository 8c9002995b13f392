"""A streamed reply on the wire: event by event, to the sign that it is complete, with a bound on every silence."""

import asyncio
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from chatbot.models.remote.destination import Destination
from chatbot.models.remote.errors import ApiErrors, PassingError, may_pass
from chatbot.models.remote.events import EventReader
from chatbot.models.wire_values import parse_object
from utils.errors import ReplyBroken

if TYPE_CHECKING:
    import httpx2

LAST_WORDS_SECONDS = 5.0
"""For what follows the end of a reply: the count of its tokens, the sign that the stream is over."""
MOST_EARLY = 1000
"""Events that may come before the reply begins."""
DRAIN_SECONDS = 0.1
"""For the end of an answer that is complete, so that its connection can be used again."""


class ApiStream(ABC):
    """The events of one answer; raises what httpx2 raises, `TimeoutError` after a silence and `ModelError`.

    What breaks before the reply has begun can be asked for again: an error that may be over soon is a `PassingError`.
    """

    end_mark = ""
    """Data that is no event and says that the stream is over."""

    def __init__(self, response: "httpx2.Response", where: Destination, errors: ApiErrors) -> None:
        self._response = response
        self._where = where
        self._errors = errors
        self._reader = EventReader()
        self._parts: AsyncIterator[bytes] = response.aiter_bytes()
        self._waiting: deque[dict[str, Any]] = deque()
        self._over = False
        self._finished = False
        """Whether an event said why the reply ended: what follows may be missing."""
        self._begun = False
        """Whether something of the reply is there."""

    @abstractmethod
    def read_failure(self, event: dict[str, Any]) -> tuple[int, dict[str, Any]] | None:
        """The status and the details of an event that is an error; None of any other."""

    @abstractmethod
    def says_reason(self, event: dict[str, Any]) -> bool:
        """Whether an event says why the reply ended."""

    @abstractmethod
    def split_whole(self, answer: dict[str, Any]) -> Sequence[dict[str, Any]]:
        """The events of an answer in one piece, from a server that does not stream; none where it is no reply."""

    def is_last(self, event: dict[str, Any]) -> bool:
        """Whether an event says that the stream is over."""
        return False

    def is_empty(self, event: dict[str, Any]) -> bool:
        """Whether nothing of the reply is in an event."""
        return False

    async def fetch_first(self) -> None:
        """Wait for the first event that brings something, which `next_event` gives with those before it."""
        content_type = self._response.headers.get("content-type", "").lower()
        if "json" in content_type:
            await self._read_whole()
        elif "html" in content_type:
            raise self._errors.foreign_answer(self._where, "it sends a web page")
        else:
            first: list[dict[str, Any]] = []
            while not first or self.is_empty(first[-1]):
                if (event := await self.next_event()) is None:
                    break
                first.append(event)
                if len(first) > MOST_EARLY:
                    raise ReplyBroken(f"{self._where.host} sends events without a reply.", "Ask again.")
            self._waiting.extendleft(reversed(first))
        self._begun = True

    async def next_event(self) -> dict[str, Any] | None:
        """The next event; None at the end. Raises `ReplyBroken` where the stream stops before the reply is complete."""
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
        """The next event within some seconds, however many comments come meanwhile."""
        async with asyncio.timeout(seconds):
            while not self._waiting and not self._over:
                part = await anext(self._parts, None)
                for data in self._reader.finish() if part is None else self._reader.feed(part):
                    self._take_data(data)
                if part is None and not self._over:
                    self._over = True
                    if not self._finished:
                        raise ReplyBroken("The reply ended before the model said that it was complete.", "Ask again.")
        return self._waiting.popleft() if self._waiting else None

    def _take_data(self, data: str) -> None:
        if self._over:
            return
        if data.strip() == self.end_mark:
            self._over = True
            return
        event = parse_object(data)
        if event is None:
            if data.lstrip().startswith("<"):
                raise self._errors.foreign_answer(self._where, "it sends a web page")
            raise ReplyBroken(f"{self._where.host} sent an event that is no JSON object.", "Ask again.")
        self._take_event(event)

    def _take_event(self, event: dict[str, Any]) -> None:
        if failure := self.read_failure(event):
            status, details = failure
            meaning = self._errors.said_error(self._where, status, details)
            raise meaning if self._begun or not may_pass(status, meaning) else PassingError(status, meaning)
        self._finished = self._finished or self.says_reason(event)
        self._over = self.is_last(event)
        self._waiting.append(event)

    async def _read_whole(self) -> None:
        async with asyncio.timeout(self._where.endpoint.timeout):
            answer = parse_object((await self._response.aread()).decode("utf-8", "replace"))
        if answer is None:
            raise self._errors.foreign_answer(self._where, "its answer is no JSON object")
        events = [answer] if self.read_failure(answer) else self.split_whole(answer)
        if not events:
            raise self._errors.foreign_answer(self._where, "its answer is no reply")
        for event in events:
            self._take_event(event)
        self._over = True

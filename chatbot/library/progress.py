"""Work that reports how far it is, and how its result is told; light to import."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import TYPE_CHECKING

from chatbot.conversation.events import Progress

if TYPE_CHECKING:
    from rag.collection import LibraryStats

Report = Callable[[int, int], None]
_INDEXES = {"exact": "exact search", "chroma": "Chroma", "hnsw": "pgvector's HNSW"}
_STATES = {
    "ready": "ready",
    "building": "while indexes are being made",
    "elsewhere": "in memory, as another Magpie has the index on disk open",
    "not open": "opened when it is needed",
}


class Tracked:
    """Work that reports how far it is, as a stream of progress; `result` once the stream has ended."""

    def __init__(self, label: str, work: Callable[[Report], Awaitable[int]]) -> None:
        self._label = label
        self._work = work
        self.result = 0

    async def follow_progress(self) -> AsyncGenerator[Progress, None]:
        """Carry the work out; closing the stream cancels it. Raises what the work raises."""
        steps: asyncio.Queue[Progress | None] = asyncio.Queue()
        task = asyncio.ensure_future(
            self._work(lambda done, total: steps.put_nowait(Progress(self._label, done, total)))
        )
        task.add_done_callback(lambda _: steps.put_nowait(None))
        try:
            while step := await steps.get():
                yield step
            self.result = await task
        finally:
            task.cancel()


def is_url(target: str) -> bool:
    """Whether it is meant as the address of a web page."""
    return target.lower().startswith(("http://", "https://"))


def counted(number: int, noun: str) -> str:
    """A number with its noun, for instance `1 chunk` or `2,000 chunks`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def index_of(stats: "LibraryStats") -> str:
    """Which index of the library answers, and where it is open."""
    return f"{_INDEXES[stats.answering]}, {_STATES[stats.index]}"

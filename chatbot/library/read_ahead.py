"""Files and pages are read ahead while others are embedded, and handed out in groups to be kept together."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field

from rag.documents import Document

GROUP_DOCUMENTS = 64
GROUP_CHARACTERS = 200_000
"""A group is full once it has so many documents, or targets, or they are so long."""
GROUP_SECONDS = 0.5
"""A group that has anything waits so long for more: small files do not wait for a large one behind them."""


@dataclass
class ReadPart:
    """Documents of one target, in their order: all of a small file, or some of one with many."""

    name: str
    documents: list[Document] = field(default_factory=list)
    ended: bool = False
    """Whether nothing more of it follows."""
    failure: Exception | None = None
    """Why it could not be read to its end; what was read before is among the documents all the same."""


class ReadAhead:
    """Reads targets one after the other, by at most one group further than was handed out."""

    def __init__(self, read: Callable[[str], AsyncGenerator[Document, None]], *, fail_fast: bool = False) -> None:
        self.reading = ""
        """The target that is being read."""
        self.stopped = False
        """Whether no further group is handed out."""
        self._read = read
        self._fail_fast = fail_fast
        self._group: list[ReadPart] = []
        self._documents = self._characters = 0
        self._begun = 0.0
        self._news = asyncio.Event()
        self._taken = asyncio.Event()

    async def groups(self, names: Sequence[str]) -> AsyncGenerator[list[ReadPart], None]:
        """The groups of these targets, to the last part that fails with `fail_fast`. Closing it ends the reading."""
        reading = asyncio.create_task(self._read_all(names))
        reading.add_done_callback(lambda _: self._news.set())
        try:
            while True:
                await self._wait_for_group(reading)
                if self.stopped or not self._group:
                    break
                group, self._group, self._documents, self._characters = self._group, [], 0, 0
                self._taken.set()
                yield group
            if not self.stopped:
                await reading
        finally:
            reading.cancel()
            await asyncio.wait({reading})

    def stop(self) -> None:
        """Hand out no further group, whatever was read."""
        self.stopped = True
        self._news.set()

    @property
    def _is_full(self) -> bool:
        return max(self._documents, len(self._group)) >= GROUP_DOCUMENTS or self._characters > GROUP_CHARACTERS

    async def _wait_for_group(self, reading: asyncio.Task[None]) -> None:
        with suppress(TimeoutError):
            while not (self.stopped or reading.done() or self._is_full):
                left = self._begun + GROUP_SECONDS - time.monotonic() if self._group else None
                async with asyncio.timeout(left):
                    await self._news.wait()
                self._news.clear()

    async def _read_all(self, names: Sequence[str]) -> None:
        for name in names:
            self.reading = name
            failure: Exception | None = None
            try:
                async with aclosing(self._read(name)) as documents:
                    async for document in documents:
                        (await self._part_of(name)).documents.append(document)
                        self._documents += 1
                        self._characters += len(document.text)
            except Exception as error:  # noqa: BLE001 - it is told with the target's name
                failure = error
            part = await self._part_of(name)
            part.ended, part.failure = True, failure
            if failure and self._fail_fast:
                return

    async def _part_of(self, name: str) -> ReadPart:
        """Where in the group something of a target belongs, once there is room."""
        while self._is_full:
            self._taken.clear()
            await self._taken.wait()
        self._news.set()
        if not self._group:
            self._begun = time.monotonic()
        if not self._group or self._group[-1].name != name:
            self._group.append(ReadPart(name))
        return self._group[-1]

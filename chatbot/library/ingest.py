"""Files, folders and pages go into the library: what cannot be read is listed at the end, and all else goes on."""

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path

from chatbot.conversation.events import Progress
from chatbot.library.progress import Report, Tracked, counted, is_url
from rag.documents import Document
from rag.embedding.language_advice import Tally
from rag.folders import find_files
from rag.library import Library
from rag.readers import read_documents
from tools.web.fetch import Fetcher
from utils.errors import LibraryError
from utils.faults import record_fault
from utils.text import one_line

GROUP_DOCUMENTS = 64
GROUP_CHARACTERS = 200_000
"""Documents of one file that are embedded together: until there are so many of them, or they are so long."""


@dataclass(frozen=True)
class Indexed:
    """A file or page that was read."""

    name: str
    documents: int
    chunks: int
    first: Document


@dataclass
class Summary:
    """What indexing came to."""

    files: int = 0
    documents: int = 0
    chunks: int = 0
    unchanged: int = 0
    gone: int = 0
    """Records that are no longer in their file, and therefore not in the library."""
    failures: list[tuple[str, str]] = field(default_factory=list)
    """What could not be indexed, and why."""
    started: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """Since it began."""
        return time.monotonic() - self.started

    def __str__(self) -> str:
        parts = [f"Indexed {counted(self.documents, 'document')}, {counted(self.chunks, 'chunk')}"]
        parts += [f"{self.unchanged:,} unchanged"] if self.unchanged else []
        parts += [f"{self.gone:,} no longer there"] if self.gone else []
        parts += [f"{len(self.failures):,} not indexed"] if self.failures else []
        return f"{'; '.join(parts)} ({self.seconds:.1f} s)."


class Ingest:
    """Adds what names mean to a collection of the library; `summary` tells what that came to."""

    def __init__(self, library: Library, fetcher: Fetcher, collection: str = "", *, fail_fast: bool = False) -> None:
        self.summary = Summary()
        self._library = library
        self._fetcher = fetcher
        self._collection = collection
        self._fail_fast = fail_fast
        self.files = 0
        """Files and pages that were named, once it runs."""
        self._stopping = False
        self._under_way = 0
        self._tally = Tally()

    @property
    def chunks(self) -> int:
        """Chunks that are in, those of the documents under way included."""
        return self.summary.chunks + self._under_way

    def stop(self) -> None:
        """Let the stream end after the current document, or the documents that are embedded with it."""
        self._stopping = True

    async def language_advice(self) -> str:
        """What to change that what was indexed can be found; empty where all is well, or the same was told before."""
        return await self._library.foreign_text.give_advice(self._tally)

    async def run(self, targets: Sequence[str]) -> AsyncGenerator[Progress | Indexed, None]:
        """Progress, and each file once it is in; closing the stream stops after the current document.

        Raises `LibraryError`, and with `fail_fast` what the first failure was.
        """
        names = await expand_targets(targets)
        self.files = len(names)
        for number, name in enumerate(names):
            if self._stopping:
                return
            async with aclosing(self._index_target(name)) as steps:
                async for step in steps:
                    yield (
                        step
                        if len(names) == 1 or isinstance(step, Indexed)
                        else progress_within(step, number, len(names))
                    )
        if len(names) > 1:
            yield Progress(f"{counted(len(names), 'file')}", len(names), len(names))

    async def _index_target(self, name: str) -> AsyncGenerator[Progress | Indexed, None]:
        label = one_line(name, 60) if is_url(name) else Path(name).name
        yield Progress(label, 0, 0)
        before = (self.summary.documents + self.summary.unchanged, self.summary.chunks)
        first: Document | None = None
        records: set[str] = set()
        try:
            async with aclosing(group_documents(self._read_target(name))) as found:
                async for documents in found:
                    first = first or documents[0]
                    records.update(document.source for document in documents if document.container)
                    # Of a file with many documents their number is told, not what becomes of each.
                    done = self.summary.documents + self.summary.unchanged - before[0]
                    async for step in self._add_documents(
                        documents, f"{label}: {counted(done, 'document')}" if done else label
                    ):
                        yield step
                    if self._stopping:
                        break
                else:
                    # Only a file that was read to its end tells what is not in it any more.
                    self.summary.gone += await self._library.files(self._collection).remove_gone(name, records)
        except LibraryError:
            raise
        except Exception as error:
            failure = record_fault(error, "Indexing it")
            self.summary.failures.append((name, str(failure)))
            if self._fail_fast:
                raise failure from error
        if first is not None:
            self.summary.files += 1
            read = self.summary.documents + self.summary.unchanged - before[0]
            yield Indexed(name, read, self.summary.chunks - before[1], first)

    async def _add_documents(self, documents: Sequence[Document], label: str) -> AsyncGenerator[Progress, None]:
        added: list[int] = []

        async def add_documents(report: Report) -> int:
            added.extend(await self._library.add_all(documents, report, collection=self._collection))
            return sum(added)

        work = Tracked(label, add_documents)
        async with aclosing(work.follow_progress()) as steps:
            async for step in steps:
                self._under_way = step.done
                yield step
        self._under_way = 0
        self.summary.chunks += work.result
        self.summary.documents += sum(count > 0 for count in added)
        self.summary.unchanged += sum(count == 0 for count in added)
        new = [document.text for document, count in zip(documents, added, strict=True) if count]
        await asyncio.to_thread(self._tally.count_texts, new)

    async def _read_target(self, name: str) -> AsyncGenerator[Document, None]:
        """The page, or the documents in the file; raises what says why it cannot be read or reached."""
        if is_url(name):
            yield await self._fetcher.fetch(name)
            return
        async with aclosing(read_documents(Path(name))) as documents:
            async for document in documents:
                yield document


def progress_within(step: Progress, number: int, count: int) -> Progress:
    """Progress in one of several files, as progress over all of them."""
    chunks = f": {step.done:,} of {step.total:,} chunks" if step.total else ""
    return Progress(step.label + chunks, number, count)


async def group_documents(documents: AsyncGenerator[Document, None]) -> AsyncGenerator[list[Document], None]:
    """Documents in groups that are worth embedding together; those before a failure come before it is raised."""
    group: list[Document] = []
    length = 0
    try:
        async with aclosing(documents):
            async for document in documents:
                group.append(document)
                length += len(document.text)
                if len(group) == GROUP_DOCUMENTS or length > GROUP_CHARACTERS:
                    yield group
                    group, length = [], 0
    except Exception:
        if group:
            yield group
        raise
    if group:
        yield group


async def expand_targets(targets: Sequence[str]) -> list[str]:
    """The addresses, and the files that paths, folders and patterns name, in their order."""
    names: list[str] = []
    for target in targets:
        names += [target] if is_url(target) else [str(path) for path in await find_files(Path(target))]
    return list(dict.fromkeys(names))

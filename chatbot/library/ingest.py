"""Files, folders and pages go into the library: what cannot be read is listed at the end, and all else goes on."""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path

from chatbot.conversation.events import Progress
from chatbot.library.progress import Report, Tracked, counted, is_url
from chatbot.library.read_ahead import ReadAhead, ReadPart
from rag.documents import Document
from rag.embedding.language_advice import Tally
from rag.folders import find_files
from rag.library import Library
from rag.readers import read_documents
from tools.web.fetch import Fetcher
from utils.errors import LibraryError
from utils.faults import record_fault
from utils.text import one_line

log = logging.getLogger(__name__)


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


@dataclass
class _Came:
    """What came of a file or page so far."""

    documents: int = 0
    chunks: int = 0
    first: Document | None = None
    records: set[str] = field(default_factory=set)
    failed: bool = False


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
        self._done = 0
        self._ahead = ReadAhead(self._read_target, fail_fast=fail_fast)
        self._came: dict[str, _Came] = {}
        self._under_way = 0
        self._tally = Tally()

    @property
    def chunks(self) -> int:
        """Chunks that are in, those of the documents under way included."""
        return self.summary.chunks + self._under_way

    def stop(self) -> None:
        """Let the stream end after the documents that are embedded now."""
        self._ahead.stop()

    async def language_advice(self) -> str:
        """What to change that what was indexed can be found; empty where all is well, or the same was told before."""
        return await self._library.foreign_text.give_advice(self._tally)

    async def run(self, targets: Sequence[str]) -> AsyncGenerator[Progress | Indexed, None]:
        """Progress, and each file once it is in; closing the stream stops at once, and what is in stays.

        Raises `LibraryError`, and with `fail_fast` what the first failure was.
        """
        names = await asyncio.to_thread(expand_targets, targets)
        self.files = len(names)
        if names:
            yield self._progress(Progress(label_of(names[0]), 0, 0))
        async with aclosing(self._take_groups(names)) as steps:
            async for step in steps:
                yield step
        # Of what was read in part, that part is in.
        for indexed in filter(None, map(self._end, list(self._came))):
            yield indexed
        if len(names) > 1 and not self._ahead.stopped:
            yield Progress(counted(len(names), "file"), len(names), len(names))

    async def _take_groups(self, names: Sequence[str]) -> AsyncGenerator[Progress | Indexed, None]:
        async with aclosing(self._ahead.groups(names)) as groups:
            async for group in groups:
                async with aclosing(self._take_in(group)) as steps:
                    async for step in steps:
                        yield step
                if self._done < self.files > 1:
                    yield self._progress(Progress(label_of(self._ahead.reading), 0, 0))

    def _progress(self, step: Progress) -> Progress:
        """Progress in one of several files, as progress over all of them."""
        if self.files == 1:
            return step
        chunks = f": {step.done:,} of {step.total:,} chunks" if step.total else ""
        return Progress(step.label + chunks, self._done, self.files)

    async def _take_in(self, group: Sequence[ReadPart]) -> AsyncGenerator[Progress | Indexed, None]:
        """Keep what was read, and tell of the files that were read to their ends."""
        parts = [part for part in group if not self._came.setdefault(part.name, _Came()).failed]
        async with aclosing(self._keep_parts(parts)) as steps:
            async for step in steps:
                yield self._progress(step)
        for part in parts:
            if part.failure:
                self._note_failure(part.name, part.failure)
        # Only a file that was read to its end tells what is not in it any more.
        whole = {part.name: self._came[part.name].records for part in parts if part.ended and not part.failure}
        self.summary.gone += await self._library.files(self._collection).remove_gone(whole)
        for part in group:
            if part.ended and (indexed := self._end(part.name)):
                yield indexed

    async def _keep_parts(self, parts: Sequence[ReadPart]) -> AsyncGenerator[Progress, None]:
        """Keep their documents together; where that fails, those of each file alone, so that only one fails."""
        documents = [document for part in parts for document in part.documents]
        if not documents:
            return
        added: list[int] = []
        try:
            async with aclosing(self._add_documents(documents, self._label(parts), added)) as steps:
                async for step in steps:
                    yield step
        except LibraryError:
            raise
        except Exception as error:  # noqa: BLE001 - it is told with the file's name
            if len(parts) == 1:
                parts[0].failure = error
                return
            log.warning("%d files cannot be kept together (%s: %s); each is kept alone", len(parts), type(error), error)
            async with aclosing(self._keep_each(parts)) as steps:
                async for step in steps:
                    yield step
            return
        await self._count(parts, added)

    async def _keep_each(self, parts: Sequence[ReadPart]) -> AsyncGenerator[Progress, None]:
        for part in parts:
            async with aclosing(self._keep_parts([part])) as steps:
                async for step in steps:
                    yield step
            if part.failure and self._fail_fast:
                return

    async def _add_documents(
        self, documents: Sequence[Document], label: str, added: list[int]
    ) -> AsyncGenerator[Progress, None]:
        async def add_documents(report: Report) -> int:
            added.extend(await self._library.add_all(documents, report, collection=self._collection))
            return sum(added)

        async with aclosing(Tracked(label, add_documents).follow_progress()) as steps:
            async for step in steps:
                self._under_way = step.done
                yield step
        self._under_way = 0

    async def _count(self, parts: Sequence[ReadPart], added: Sequence[int]) -> None:
        counts = iter(added)
        new: list[str] = []
        for part in parts:
            came = self._came[part.name]
            for document, count in zip(part.documents, counts, strict=False):
                came.documents += 1
                came.chunks += count
                came.first = came.first or document
                came.records.update([document.source] if document.container else [])
                self.summary.documents += count > 0
                self.summary.unchanged += count == 0
                new += [document.text] if count else []
        self.summary.chunks += sum(added)
        await asyncio.to_thread(self._tally.count_texts, new)

    def _label(self, parts: Sequence[ReadPart]) -> str:
        """What is embedded: by its last file; of one with many documents how many are in already."""
        done = self._came[parts[0].name].documents if len(parts) == 1 else 0
        label = label_of(parts[-1].name)
        return f"{label}: {counted(done, 'document')}" if done else label

    def _note_failure(self, name: str, error: Exception) -> None:
        failure = record_fault(error, "Indexing it")
        self._came[name].failed = True
        self.summary.failures.append((name, str(failure)))
        if self._fail_fast:
            raise failure from error

    def _end(self, name: str) -> Indexed | None:
        """A file is dealt with, as far as it goes."""
        came = self._came.pop(name)
        self._done += 1
        if came.first is None:
            return None
        self.summary.files += 1
        return Indexed(name, came.documents, came.chunks, came.first)

    async def _read_target(self, name: str) -> AsyncGenerator[Document, None]:
        """The page, or the documents in the file; raises what says why it cannot be read or reached."""
        if is_url(name):
            yield await self._fetcher.fetch(name)
            return
        async with aclosing(read_documents(Path(name))) as documents:
            async for document in documents:
                yield document


def label_of(name: str) -> str:
    """What a file or page is called while it is read."""
    return one_line(name, 60) if is_url(name) else Path(name).name


def expand_targets(targets: Sequence[str]) -> list[str]:
    """The addresses, and the files that paths, folders and patterns name, in their order. Blocks."""
    names: list[str] = []
    for target in targets:
        names += [target] if is_url(target) else map(str, find_files(Path(target)))
    return list(dict.fromkeys(names))

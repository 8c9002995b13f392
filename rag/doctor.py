"""The doctor of a library: compares its indexes with library.db, has mended what is wrong, and tells what it found."""

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from rag.backend import ChunkFeed, LibraryBackend
from rag.collection import OpenCollection, Report
from rag.embedding.base import Vectors
from rag.indexes.chroma import VectorIndex
from rag.indexes.exact import ExactIndex
from rag.indexes.index_owner import LOCK, Folders, IndexOwner, discard
from rag.indexes.index_sync import BLOCK, EntryT, IndexT
from rag.indexes.persistent_index import PersistentIndex
from rag.stored import Finding, Run, VectorEntry
from utils.errors import EmbedderUnavailable, LibraryError
from utils.sqlite import unwritable

# Chunks that are looked for by their own vectors.
PROBES = 50
# What a chunk's own vector finds at least: itself, or a chunk with the same words.
SAME = 0.999
# A chunk's own vector has to find it among so many.
NEAREST = 10


@dataclass(frozen=True)
class Diagnosis:
    """What was looked at and what was found."""

    documents: int
    chunks: int
    findings: tuple[Finding, ...]
    unchecked: tuple[str, ...]
    """Collections whose indexes another process holds: there, library.db alone was checked."""

    @property
    def sound(self) -> bool:
        """Whether all is well now."""
        return all(finding.repaired for finding in self.findings)


async def examine(
    backend: LibraryBackend, shelves: Sequence[OpenCollection], progress: Report | None = None
) -> Diagnosis:
    """Check library.db, then all indexes, and mend what can be mended; `progress` is told of embedding.

    Raises `LibraryError` where nothing can be written: that is no damage.
    """
    findings, unchecked = await asyncio.to_thread(backend.check), list[str]()
    if all(finding.repaired for finding in findings):
        try:
            for shelf in shelves:
                findings += await _check_shelf(backend, shelf, progress)
                if not all([await asyncio.to_thread(own) for own in (shelf.keeper.own, shelf.keeper.own_chroma)]):
                    unchecked.append(shelf.store.collection)
            findings += await asyncio.to_thread(partial(backend.drop_leftovers, alone=not unchecked))
            findings += await asyncio.to_thread(_leftovers, [shelf.keeper for shelf in shelves])
        except LibraryError as error:
            if unwritable(error.__cause__):
                raise
            findings.append(Finding(str(error), False))
    counts = [count for shelf in shelves for count in await _counts(shelf)]
    documents, chunks = (sum(count[i] for count in counts) for i in (0, 1))
    return Diagnosis(documents, chunks, tuple(findings), tuple(unchecked))


async def _counts(shelf: OpenCollection) -> list[tuple[int, int]]:
    with contextlib.suppress(LibraryError):
        return list((await asyncio.to_thread(shelf.store.counts)).values())
    return []


async def _check_shelf(backend: LibraryBackend, shelf: OpenCollection, progress: Report | None) -> list[Finding]:
    name = shelf.store.collection
    await shelf.rest()
    findings = await asyncio.to_thread(backend.check_documents, name)
    await shelf.cut_all_anew()
    findings += await asyncio.to_thread(backend.check_vectors, shelf.fingerprint)
    missing = await asyncio.to_thread(shelf.vectors.not_embedded, name)
    if missing:
        try:
            await shelf.embed_missing(progress)
            findings.append(Finding(f"Texts of {name} that had no vector were embedded: {len(missing):,}.", True))
        except EmbedderUnavailable as error:
            findings.append(Finding(f"{len(missing):,} texts of {name} have no vector. {error}", False))
    return findings + await asyncio.to_thread(_check_indexes, shelf.keeper, shelf.feed, shelf.fingerprint)


def _check_indexes(keeper: IndexOwner, feed: ChunkFeed, fingerprint: str) -> list[Finding]:
    vectors, matrix, keywords = keeper.vectors, keeper.matrix, keeper.keywords
    exact, near, words = list[Finding](), list[Finding](), list[Finding]()
    if keeper.own():
        exact = _check_index(
            "exact", matrix, keeper, feed, lambda: _lacking(matrix, feed) or _differing(matrix, feed, fingerprint)
        )
        words = _check_index("keyword", keywords, keeper, feed, lambda: _lacking(keywords, feed))
    if keeper.own_chroma():
        near = _check_index(
            "vector", vectors, keeper, feed, lambda: _lacking(vectors, feed) or _unfound(vectors, feed, fingerprint)
        )
    return [*exact, *near, *words]


def _check_index(
    kind: str, index: PersistentIndex[EntryT, IndexT], keeper: IndexOwner, feed: ChunkFeed, differs: Callable[[], str]
) -> list[Finding]:
    findings = []
    if index.clear_draft():
        findings.append(Finding(f"A {kind} index of {feed.collection} that was never finished was removed.", True))
    sound = index.sound()
    index.tend(keeper.until)
    wrong = differs() if sound else "was missing, damaged or not closed"
    if sound and wrong:
        index.drop()
        index.tend(keeper.until)
    if wrong and feed.ids():
        findings.append(Finding(f"The {kind} index of {feed.collection} {wrong}; it was made anew.", index.on_disk))
    return findings


def _lacking(index: PersistentIndex[EntryT, IndexT], feed: ChunkFeed) -> str:
    """How the chunks in an index differ from those in library.db, which others may change meanwhile."""
    before = feed.ids()
    known, _ = index.ask(lambda opened: opened.ids())
    after = feed.ids()
    missing, strange = len(before & after - known), len(known - before - after)
    if not index.on_disk:
        return "failed"
    return f"lacked {missing:,} chunks and had {strange:,} that are gone" if missing or strange else ""


def _differing(index: PersistentIndex[Run, ExactIndex], feed: ChunkFeed, fingerprint: str) -> str:
    """Whether an index has other vectors than library.db."""
    after, differ = 0, False
    while runs := feed.run(fingerprint, after, BLOCK)[0]:
        differ |= index.ask(partial(ExactIndex.differs, run=runs[0]))[0]
        after = runs[0].id
    if not index.on_disk:
        return "failed"
    return "had other vectors than library.db" if differ else ""


def _unfound(index: PersistentIndex[VectorEntry, VectorIndex], feed: ChunkFeed, fingerprint: str) -> str:
    """Whether chunks, some of them, are found by their own vectors."""
    ids = sorted(feed.ids())
    lost = 0
    for key in ids[:: max(1, len(ids) // PROBES)]:
        entries = feed.vectors(fingerprint, key - 1, 1)
        if entries and entries[0].vectors is not None:
            lost += not _finds(index, entries[0].id, entries[0].vectors[0])
    if not index.on_disk:
        return "failed"
    return f"did not find {lost:,} of {PROBES:,} chunks by their own vectors" if lost else ""


def _finds(index: PersistentIndex[VectorEntry, VectorIndex], key: int, vector: Vectors) -> bool:
    found, _ = index.ask(lambda opened: opened.query(vector, NEAREST))
    return any(chunk == key or similarity >= SAME for chunk, similarity in found)


def _leftovers(keepers: Sequence[IndexOwner]) -> list[Finding]:
    """Remove the indexes of collections that are gone."""
    folders = [keeper.folders for keeper in keepers]
    known = {each.vectors.name for each in folders}
    findings = []
    for base, data_dir in {(each.vectors.parent, each.keywords.parent.parent) for each in folders}:
        for lock in sorted(base.glob(f"*{LOCK}")):
            name = lock.name.removesuffix(LOCK)
            # No folder of ours is without its lock; others may have put theirs beside it.
            if name not in known and discard(Folders.named(base, data_dir, name)):
                findings.append(Finding(f"The indexes of {name}, which is no collection any more, were removed.", True))
    return findings

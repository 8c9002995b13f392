"""The check of the indexes on this machine: they are compared with the library, and made anew where they differ."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from rag.embedding.base import Vectors
from rag.indexes.chroma import VectorIndex
from rag.indexes.chunk_feed import ChunkFeed
from rag.indexes.exact import ExactIndex
from rag.indexes.index_owner import LOCK, Folders, IndexOwner, discard_indexes
from rag.indexes.index_sync import CHUNKS_AT_ONCE, EntryT, IndexT
from rag.indexes.persistent_index import PersistentIndex
from rag.stored import Finding, Run, VectorEntry

# Chunks that are looked for by their own vectors.
PROBES = 50
# What a chunk's own vector finds at least: itself, or a chunk with the same words.
SAME_SIMILARITY = 0.999
# A chunk's own vector has to find it among so many.
NEAREST_CHECKED = 10


def check_local_indexes(keeper: IndexOwner, feed: ChunkFeed, fingerprint: str) -> list[Finding]:
    """Compare the indexes that this process owns with the library, and have those made anew that differ."""
    vectors, matrix, keywords = keeper.vectors, keeper.matrix, keeper.keywords
    exact, near, words = list[Finding](), list[Finding](), list[Finding]()
    check_index = partial(_check_index, keeper, feed)
    if keeper.try_to_own():
        exact = check_index(
            "exact", matrix, lambda: _lacking_chunks(matrix, feed) or _differing_vectors(matrix, feed, fingerprint)
        )
        words = check_index("keyword", keywords, lambda: _lacking_chunks(keywords, feed))
    if keeper.own_chroma():
        near = check_index(
            "vector", vectors, lambda: _lacking_chunks(vectors, feed) or _unfound_chunks(vectors, feed, fingerprint)
        )
    return [*exact, *near, *words]


def _check_index(
    keeper: IndexOwner, feed: ChunkFeed, kind: str, index: PersistentIndex[EntryT, IndexT], differs: Callable[[], str]
) -> list[Finding]:
    findings = []
    if index.clear_draft():
        findings.append(Finding(f"A {kind} index of {feed.collection} that was never finished was removed.", True))
    sound = index.is_sound()
    index.tend(keeper.build_deadline)
    wrong = differs() if sound else "was missing, damaged or not closed"
    if sound and wrong:
        index.drop()
        index.tend(keeper.build_deadline)
    if wrong and feed.chunk_ids():
        findings.append(Finding(f"The {kind} index of {feed.collection} {wrong}; it was made anew.", index.on_disk))
    return findings


def _lacking_chunks(index: PersistentIndex[EntryT, IndexT], feed: ChunkFeed) -> str:
    """How the chunks in an index differ from those in library.db, which others may change meanwhile."""
    before = feed.chunk_ids()
    known, waits = index.ask(lambda opened: opened.ids())
    after = feed.chunk_ids()
    # Where a chunk has no vector yet, those that came later wait for it: that is no damage.
    reached = index.reached
    lacking = {key for key in before & after - known if not waits or key <= reached}
    missing, strange = len(lacking), len(known - before - after)
    if not index.on_disk:
        return "failed"
    return f"lacked {missing:,} chunks and had {strange:,} that are gone" if missing or strange else ""


def _differing_vectors(index: PersistentIndex[Run, ExactIndex], feed: ChunkFeed, fingerprint: str) -> str:
    """Whether an index has other vectors than the library."""
    after, differ = 0, False
    while runs := feed.read_run(fingerprint, after, CHUNKS_AT_ONCE)[0]:
        differ |= index.ask(partial(ExactIndex.has_other_vectors, run=runs[0]))[0]
        after = runs[0].id
    if not index.on_disk:
        return "failed"
    return "had other vectors than the library" if differ else ""


def _unfound_chunks(index: PersistentIndex[VectorEntry, VectorIndex], feed: ChunkFeed, fingerprint: str) -> str:
    """Whether chunks, some of them, are found by their own vectors."""
    ids = sorted(feed.chunk_ids())
    lost = 0
    for key in ids[:: max(1, len(ids) // PROBES)]:
        entries = feed.read_vectors(fingerprint, key - 1, 1)
        if entries and entries[0].vectors is not None:
            lost += not _finds_itself(index, entries[0].id, entries[0].vectors[0])
    if not index.on_disk:
        return "failed"
    return f"did not find {lost:,} of {PROBES:,} chunks by their own vectors" if lost else ""


def _finds_itself(index: PersistentIndex[VectorEntry, VectorIndex], key: int, vector: Vectors) -> bool:
    found, _ = index.ask(lambda opened: opened.query(vector, NEAREST_CHECKED))
    return any(chunk == key or similarity >= SAME_SIMILARITY for chunk, similarity in found)


def remove_strange_indexes(data_dir: Path, chroma: Path | None, collections: Sequence[str]) -> list[Finding]:
    """Remove the indexes of what is none of the collections any more."""
    folders = [Folders.of(data_dir, chroma, name) for name in collections]
    known = {each.vectors.name for each in folders}
    findings = []
    for base, top in {(each.vectors.parent, each.keywords.parent.parent) for each in folders}:
        for lock in sorted(base.glob(f"*{LOCK}")):
            name = lock.name.removesuffix(LOCK)
            # No folder of ours is without its lock; others may have put theirs beside it.
            if name not in known and discard_indexes(Folders.named(base, top, name)):
                findings.append(Finding(f"The indexes of {name}, which is no collection any more, were removed.", True))
    return findings

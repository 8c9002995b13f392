"""A library copied from one backend into another, vectors and all; a copy that was cut off goes on where it was."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rag.backend import LibraryBackend
from rag.embedding.base import Vectors
from rag.records.copies import KeptDocument
from rag.stored import Collection, no_collection
from utils.errors import LibraryError

COPIED_TOGETHER = 50
"""Documents of one transaction."""


@dataclass(frozen=True)
class CopyReport:
    """What a copy came to: all that is there now, and how many documents of it were copied this time."""

    documents: int
    chunks: int
    copied: int


def copy_library(
    source: LibraryBackend, target: LibraryBackend, report: Callable[[int, int], None], only: Sequence[str] = ()
) -> CopyReport:
    """Copy all documents, or those of the collections `only`, and compare both afterwards.

    What else the target has stays there.

    `report` is told documents done and in all, of which each is gone through twice. Raises `LibraryError`, also where
    something of the copy is not what it should be.
    """
    collections = _wanted_collections(source, only)
    models = list(source.models().count_texts())
    total = 2 * sum(collection.documents for collection in collections)
    done = copied = chunks = documents = 0
    for collection in collections:
        if collection.shape:
            target.collections().keep_shape(collection.name, collection.shape)
        for batch in _batches(source, collection.name):
            copied += _copy_batch(source, target, collection.name, models, batch)
            report(done := done + len(batch), total)
    _copy_records(source, target)
    for collection in collections:
        for batch in _batches(source, collection.name):
            _compare_batch(source, target, collection.name, models, batch)
            documents, chunks = documents + len(batch), chunks + sum(len(one.prepared.chunks) for one in batch)
            report(done := done + len(batch), total)
    return CopyReport(documents, chunks, copied)


def _wanted_collections(source: LibraryBackend, only: Sequence[str]) -> list[Collection]:
    there = {one.name: one for one in source.collections().all_collections()}
    for name in only:
        if name not in there:
            raise no_collection(name, list(there))
    return [there[name] for name in dict.fromkeys(only)] if only else list(there.values())


def _batches(source: LibraryBackend, collection: str) -> Iterator[list[KeptDocument]]:
    after = 0
    while found := source.copies().next_documents(collection, after, COPIED_TOGETHER):
        yield list(found.values())
        after = max(found)


def _copy_batch(
    source: LibraryBackend, target: LibraryBackend, collection: str, models: Sequence[str], batch: list[KeptDocument]
) -> int:
    """Copy documents that are not there as they are; how many."""
    there = target.copies().find_documents(collection, [one.document.source for one in batch])
    missing = [one for one in batch if there.get(one.document.source) != one]
    if missing:
        target.copies().put_documents(collection, missing)
    # Afterwards, as the store drops vectors of texts that it has not.
    hashes = _hashes_of(batch)
    for model in models:
        wanted = target.vectors(model).missing_hashes(hashes)
        target.vectors(model).keep_vectors(source.copies().find_vectors(model, list(wanted)))
    return len(missing)


def _copy_records(source: LibraryBackend, target: LibraryBackend) -> None:
    """Copy what is noted of models and what they read, that once."""
    for name, text in source.copies().all_notes().items():
        target.models().write_note(name, text)
    known = target.models().count_tokens()
    for model, tokens in source.models().count_tokens().items():
        if tokens > known.get(model, 0):
            target.models().add_tokens(model, tokens - known.get(model, 0))


def _compare_batch(
    source: LibraryBackend, target: LibraryBackend, collection: str, models: Sequence[str], batch: list[KeptDocument]
) -> None:
    there = target.copies().find_documents(collection, [one.document.source for one in batch])
    known, copied = _vectors_of(source, models, batch), _vectors_of(target, models, batch)
    for one in batch:
        found = there.get(one.document.source)
        if found is None or found.digest(copied) != one.digest(known):
            raise LibraryError(
                f"The copy of {one.document.source} is not what it should be.",
                "Something may have changed it meanwhile. Copy again: what is there already is not copied twice.",
            )


def _vectors_of(
    backend: LibraryBackend, models: Sequence[str], batch: list[KeptDocument]
) -> list[dict[bytes, Vectors]]:
    hashes = _hashes_of(batch)
    return [backend.copies().find_vectors(model, hashes) for model in models]


def _hashes_of(batch: list[KeptDocument]) -> list[bytes]:
    return sorted({digest for one in batch for digest in one.prepared.hashes})

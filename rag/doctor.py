"""The doctor of a library: compares its indexes with library.db, has mended what is wrong, and tells what it found."""

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from rag.backend import LibraryBackend
from rag.collection import OpenCollection, Report
from rag.stored import Finding
from utils.errors import EmbedderUnavailable, LibraryError
from utils.sqlite import is_unwritable


@dataclass(frozen=True)
class Diagnosis:
    """What was looked at and what was found."""

    documents: int
    chunks: int
    findings: tuple[Finding, ...]
    unchecked: tuple[str, ...]
    """Collections of which another process holds indexes: those were not checked, the library itself was."""

    @property
    def is_sound(self) -> bool:
        """Whether all is well now."""
        return all(finding.repaired for finding in self.findings)


async def examine_library(
    backend: LibraryBackend, shelves: Sequence[OpenCollection], progress: Report | None = None
) -> Diagnosis:
    """Check library.db, then all indexes, and mend what can be mended; `progress` is told of embedding.

    Raises `LibraryError` where nothing can be written: that is no damage.
    """
    findings, unchecked = await asyncio.to_thread(backend.check), list[str]()
    if all(finding.repaired for finding in findings):
        try:
            for shelf in shelves:
                found, whole = await _check_shelf(backend, shelf, progress)
                findings += found
                if not whole:
                    unchecked.append(shelf.store.collection)
            names = [shelf.store.collection for shelf in shelves]
            findings += await asyncio.to_thread(partial(backend.drop_leftovers, names, alone=not unchecked))
        except LibraryError as error:
            if is_unwritable(error.__cause__):
                raise
            findings.append(Finding(str(error), False))
    counts = [count for shelf in shelves for count in await _count_chunks(shelf)]
    documents, chunks = (sum(count[i] for count in counts) for i in (0, 1))
    return Diagnosis(documents, chunks, tuple(findings), tuple(unchecked))


async def _count_chunks(shelf: OpenCollection) -> list[tuple[int, int]]:
    with contextlib.suppress(LibraryError):
        return list((await asyncio.to_thread(shelf.store.count_by_origin)).values())
    return []


async def _check_shelf(
    backend: LibraryBackend, shelf: OpenCollection, progress: Report | None
) -> tuple[list[Finding], bool]:
    """What was found, and whether all of its indexes could be checked."""
    name = shelf.store.collection
    await shelf.wait_until_tended()
    findings = await asyncio.to_thread(backend.check_documents, name)
    await shelf.cut_all_anew()
    findings += await asyncio.to_thread(backend.check_vectors, shelf.fingerprint)
    missing = await asyncio.to_thread(shelf.vectors.not_embedded, name)
    if missing and shelf.embeds_alone:
        try:
            await shelf.embed_missing(progress)
            findings.append(Finding(f"Texts of {name} that had no vector were embedded: {len(missing):,}.", True))
        except EmbedderUnavailable as error:
            findings.append(Finding(f"{len(missing):,} texts of {name} have no vector. {error}", False))
    of_indexes, whole = await asyncio.to_thread(shelf.keeper.check_indexes)
    return findings + of_indexes, whole

"""`magpie rag remove`, `rebuild`, `doctor`, `stats` and `collections`: what is in the library."""

import time
from dataclasses import asdict

from chatbot.frontends.library_cli.job import Job, format_table
from chatbot.frontends.library_cli.listing import document_lines, fields_of
from chatbot.library.contents import KINDS
from chatbot.library.progress import counted, index_of
from chatbot.library.removal import remove_named
from rag.catalogue import AmbiguousName
from utils.errors import ConfigError, LibraryError
from utils.text import one_line


async def remove(job: Job) -> int:
    """Remove documents by name, or a collection with all that is in it."""
    if job.arguments.all:
        return await remove_collection(job)
    name = job.arguments.name
    try:
        removed = await remove_named(job.library, name, job.arguments.collection or "")
    except AmbiguousName as error:
        return tell_candidates(job, error)
    if not removed:
        raise LibraryError(
            f"Nothing in the library is called {one_line(name, 100)}.",
            "Name a file, a folder, an address, a title, or a number that `magpie rag list` shows.",
        )
    if job.as_json:
        job.print_json({"removed": removed})
    else:
        job.print_text(f"Removed {counted(removed, 'document')}.")
    return 0


def tell_candidates(job: Job, error: AmbiguousName) -> int:
    """Say which documents a name may mean; the exit code, as nothing was removed."""
    if job.as_json:
        job.print_json({"removed": 0, "candidates": [fields_of(document) for document in error.candidates]})
    else:
        job.print_aside(f"{error.problem} Nothing was removed. Write the number of the one that is meant.")
        job.print_aside(document_lines(error.candidates, collection=True))
    return 1


async def remove_collection(job: Job) -> int:
    """Remove the collection that was named, and say what it was."""
    name = job.arguments.collection
    if not name:
        raise ConfigError("--all removes a whole collection.", "Name it with --collection NAME.")
    removed = await job.library.remove_collection(name)
    if job.as_json:
        job.print_json({"removed": removed, "collection": name})
    else:
        job.print_text(f"Removed the collection {name} with {counted(removed, 'document')}.")
    return 0


async def doctor(job: Job) -> int:
    """Check everything and mend what is wrong; the exit code, 1 where something could not be mended."""
    diagnosis = await job.library.examine()
    if job.as_json:
        job.print_json(asdict(diagnosis) | {"sound": diagnosis.is_sound})
        return 0 if diagnosis.is_sound else 1
    for finding in diagnosis.findings:
        job.print_text(f"{'Mended' if finding.repaired else 'Not mended'}: {finding.what}")
    for name in diagnosis.unchecked:
        job.print_text(
            f"Indexes of {name} are open in another Magpie and were not all checked; the library itself was."
        )
    checked = f"{counted(diagnosis.documents, 'document')}, {counted(diagnosis.chunks, 'chunk')}"
    job.print_text(f"The library is {'sound' if diagnosis.is_sound else 'damaged'}: {checked}.")
    return 0 if diagnosis.is_sound else 1


async def rebuild(job: Job) -> int:
    """Make the indexes anew."""
    started = time.monotonic()
    try:
        chunks = await job.library.rebuild(lambda done, total: job.line.show(f"{done:,} of {total:,} chunks embedded"))
    finally:
        job.line.clear()
    seconds = time.monotonic() - started
    if job.as_json:
        job.print_json({"chunks": chunks, "seconds": round(seconds, 3)})
    else:
        job.print_text(f"Made the indexes anew: {counted(chunks, 'chunk')} ({seconds:.1f} s).")
    return 0


async def stats(job: Job) -> int:
    """Tell what a collection holds and where it lies."""
    told = await job.library.stats()
    if job.as_json:
        origins = {name: {"documents": d, "chunks": c} for name, (d, c) in told.origins.items()}
        job.print_json(
            {
                "collection": job.config.rag.collection,
                "documents": told.documents,
                "chunks": told.chunks,
                "origins": origins,
                "bytes_on_disk": told.bytes_on_disk,
                "embedding_model": told.embedding_model,
                "vector_index": told.answering,
                "folder": str(told.folder),
            }
        )
        return 0
    rows = [
        ("collection", job.config.rag.collection),
        ("documents", f"{told.documents:,}"),
        ("chunks", f"{told.chunks:,}"),
    ]
    rows += [
        (f"{KINDS[origin]}s", f"{counted(documents, 'document')}, {counted(chunks, 'chunk')}")
        for origin, (documents, chunks) in told.origins.items()
    ]
    rows += [("size", f"{told.bytes_on_disk / 1e6:,.1f} MB"), ("embedding model", told.embedding_model)]
    job.print_text(format_table([*rows, ("vector index", index_of(told)), ("folder", str(told.folder))]))
    return 0


async def collections(job: Job) -> int:
    """List the collections with what they hold and how their documents are cut."""
    found = await job.library.list_collections()
    shapes = [collection.shape or job.config.rag.chunk_shape for collection in found]
    if job.as_json:
        for collection, shape in zip(found, shapes, strict=True):
            job.print_json(
                {
                    "name": collection.name,
                    "documents": collection.documents,
                    "chunks": collection.chunks,
                    "chunk_size": shape.size,
                    "chunk_overlap": shape.overlap,
                    "chunk_unit": shape.unit,
                    "chunk_tokenizer": shape.tokenizer,
                }
            )
    elif not found:
        job.print_text("There are no collections yet.")
    else:
        rows = [
            (c.name, f"{c.documents:,}", f"{c.chunks:,}", shape.describe())
            for c, shape in zip(found, shapes, strict=True)
        ]
        job.print_text(format_table([("collection", "documents", "chunks", "cut at"), *rows]))
    return 0

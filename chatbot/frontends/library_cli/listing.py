"""`magpie rag list`: the documents of the library, to be read by the page or by a program as a whole."""

from collections.abc import Sequence
from typing import Any

from rich.cells import cell_len, set_cell_size

from chatbot.frontends.library_cli.arguments import named_collections
from chatbot.frontends.library_cli.job import Job, text_width, wrap_text
from chatbot.frontends.library_cli.search import short_source
from chatbot.library.contents import KINDS, PAGE, DocumentPage, ListRequest, origin_of, read_page, shown_title
from rag.stored import DocumentQuery, ListedDocument
from utils.text import well_formed

TITLES_AT_ONCE = 500
"""Documents that are read together where a program is told of all."""
LISTING_INDENT = 8
"""Of what stands below a title: as wide as the number before it."""


async def list(job: Job) -> int:
    """Print the documents that are asked for; the exit code, 0 also where there are none."""
    arguments = job.arguments
    query = DocumentQuery(
        words=tuple(well_formed(word) for word in arguments.words),
        origins=tuple(arguments.kind or ()),
        collections=named_collections(arguments) or (job.config.rag.collection,),
        sort=arguments.sort,
    )
    if job.as_json:
        await tell_documents(job, ListRequest(query, arguments.page))
        return 0
    page = await read_page(job.library.catalogue, ListRequest(query, arguments.page), arguments.limit or PAGE)
    several = len(query.collections) > 1
    for origin, documents in page.by_kind.items():
        job.print_text(f"{KINDS[origin].capitalize()}s ({page.counts.get(origin, 0):,})")
        job.print_text(f"{document_lines(documents, collection=several)}\n")
    job.print_text(told(page, filtered=bool(query.words or query.origins)))
    return 0


async def tell_documents(job: Job, request: ListRequest) -> None:
    """Print an object a document: those of the page where pages are asked for, else all of them."""
    catalogue, limit = job.library.catalogue, job.arguments.limit
    size = limit or (PAGE if request.page > 1 else TITLES_AT_ONCE)
    offset = (request.page - 1) * size
    while documents := await catalogue.page(request.query, offset, size):
        for document in documents:
            job.print_json(fields_of(document))
        if limit or request.page > 1 or len(documents) < size:
            break
        offset += size


def fields_of(document: ListedDocument) -> dict[str, Any]:
    """A document for programs."""
    return {
        "number": document.number,
        "title": document.title,
        "source": document.source,
        "origin": document.origin,
        "collection": document.collection,
        "container": document.container,
        "media_type": document.media_type,
        "added": document.added,
        "fetched": document.fetched,
        "chunks": document.chunks,
    }


def document_lines(documents: Sequence[ListedDocument], *, collection: bool) -> str:
    """Documents below each other: number, title, when it was added and chunks in columns, below it where it is from."""
    room = min(60, text_width() - LISTING_INDENT - len("  2026-11-25  chunks"))
    lines = [f"number  {'document':<{room}}  added       chunks"]
    for one in documents:
        title = shown_title(one)
        cut = title if cell_len(title) <= room else f"{set_cell_size(title, room - 1).rstrip()}…"
        lines.append(f"{one.number:>6}  {set_cell_size(cut, room)}  {one.added[:10]:<10}  {one.chunks:>6,}")
        lines.append(wrap_text(origin_of(one, short_source(one.source), collection=collection), LISTING_INDENT))
    return "\n".join(lines)


def told(page: DocumentPage, *, filtered: bool) -> str:
    """Which of how many documents these are, and how to see more."""
    if not page.total:
        return "Nothing in the library fits that." if filtered else "Nothing is in the collection yet."
    if not page.documents:
        return f"There is no page {page.number:,}; the last one is {page.pages:,}."
    following = [f"--page {page.number + 1} goes on."] if page.number < page.pages else []
    return wrap_text(" ".join([str(page), *following]), 0)

"""The commands on the library: index, list, search, status, rebuild, remove."""

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from chatbot.commands.base import command
from chatbot.conversation.events import Event, Listing, Notice, Progress
from chatbot.conversation.sources import describe_nearness
from chatbot.library.contents import KINDS, DocumentPage, ListRequest, document_table, parse_request, read_page
from chatbot.library.progress import Tracked, counted, index_of
from chatbot.library.removal import remove_named
from rag.catalogue import AmbiguousName
from rag.search.filters import take_filters
from rag.search.search import SearchOptions
from utils.errors import ConfigError
from utils.text import one_line

if TYPE_CHECKING:
    from chatbot.engine.chat import Chat
    from rag.library import Library

_EXCERPT_CHARS = 160


@command(argument="<file, folder or URL>", aliases=("index",))
async def rag_index(chat: "Chat", argument: str) -> AsyncIterator[Event]:
    """Add a file, the files of a folder, or a web page to the library."""
    library, target = open_library(chat), unquote_path(argument)
    if not target:
        yield Notice("Write what to index after the command: /rag-index <file, folder or URL>", "error")
        return
    from chatbot.library.ingest import Ingest

    ingest = Ingest(library, chat.retrieval.fetcher, chat.profile.collection)
    async with aclosing(ingest.run([target])) as steps:
        async for step in steps:
            if isinstance(step, Progress):
                yield step
    summary = ingest.summary
    if len(summary.failures) == 1 and not summary.files:
        yield Notice(summary.failures[0][1], "error")
        return
    if summary.failures:
        yield Listing("Not indexed", ("file", "reason"), tuple(summary.failures))
    found = summary.files or summary.failures
    yield Notice(str(summary)) if found else Notice(f"There are no files in {target}.", "warning")
    if advice := await ingest.language_advice():
        yield Notice(advice, "warning")


@command(argument="<query>", aliases=("search",))
async def rag_search(chat: "Chat", argument: str) -> AsyncIterator[Event]:
    """Show the passages that are found."""
    library = open_library(chat)
    if not argument:
        yield Notice("Write what to look for after the command: /rag-search <query>", "error")
        return
    query, filters = take_filters(argument)
    if not query:
        yield Notice("Write what to look for beside the filters: /rag-search tag=birds <query>", "error")
        return
    options = replace(scoped_options(chat), filters=filters)
    passages = await library.search(query, limit=chat.profile.scope.limit, options=options)
    if not passages:
        empty = await library.is_empty()
        yield Notice("The library is empty; /rag-index fills it." if empty else "Nothing in the library is near that.")
        return
    by_words = chat.configuration.values.rag.search_mode == "bm25"
    rows = tuple(
        (
            describe_nearness(p, by_words),
            one_line(p.headed_title, _EXCERPT_CHARS),
            one_line(p.text, _EXCERPT_CHARS),
            p.source,
        )
        for p in passages
    )
    yield Listing("Passages", ("score" if by_words else "similarity", "title", "text", "source"), rows)


@command(aliases=("stats",))
async def rag_status(chat: "Chat", _: str) -> AsyncIterator[Event]:
    """Show what it holds, and where."""
    own = chat.profile.collection
    stats = await open_library(chat).stats(own)
    rows = [("collection", own)] if own else []
    rows += [("documents", f"{stats.documents:,}"), ("chunks", f"{stats.chunks:,}")]
    rows += [
        (f"{KINDS[origin]}s", f"{counted(documents, 'document')}, {counted(chunks, 'chunk')}")
        for origin, (documents, chunks) in stats.origins.items()
    ]
    rows += [
        ("size", f"{stats.bytes_on_disk / 1e6:,.1f} MB"),
        ("embedding model", stats.embedding_model),
        ("vector index", index_of(stats)),
        ("folder", str(stats.folder)),
    ]
    yield Listing("Library", ("", ""), tuple(rows))


@command()
async def rag_rebuild(chat: "Chat", _: str) -> AsyncIterator[Event]:
    """Make the vector index anew."""
    label, started = "Rebuilding the vector index", time.monotonic()
    yield Progress(label, 0, 0)
    work = Tracked(label, partial(open_library(chat).rebuild, collection=chat.profile.collection))
    async for step in work.follow_progress():
        yield replace(step, done=min(step.done, step.total))
    yield Notice(f"Rebuilt the vector index: {counted(work.result, 'chunk')} ({time.monotonic() - started:.1f} s).")


@command()
async def rag_doctor(chat: "Chat", _: str) -> AsyncIterator[Event]:
    """Check the library and mend what is wrong."""
    diagnosis = await open_library(chat).examine()
    if diagnosis.findings:
        rows = tuple((finding.what, "yes" if finding.repaired else "no") for finding in diagnosis.findings)
        yield Listing("Found in the library", ("what", "mended"), rows)
    for name in diagnosis.unchecked:
        yield Notice(
            f"Indexes of {name} are open in another Magpie and were not all checked; the library itself was.", "warning"
        )
    checked = f"{counted(diagnosis.documents, 'document')}, {counted(diagnosis.chunks, 'chunk')}"
    if diagnosis.is_sound:
        yield Notice(f"The library is sound: {checked}.")
    else:
        yield Notice(f"The library is damaged: {checked}.", "error")


@command(argument="<number, file, folder, URL or title>")
async def rag_remove(chat: "Chat", argument: str) -> AsyncIterator[Event]:
    """Remove a document, or all of a folder or site, by any name that /library shows."""
    library, target = open_library(chat), unquote_path(argument)
    if not target:
        yield Notice(
            "Write what to remove after the command: /rag-remove <number, file, folder, URL or title>", "error"
        )
        return
    try:
        removed = await remove_named(library, target, chat.profile.collection)
    except AmbiguousName as error:
        yield document_table("Nothing was removed", error.candidates, collection=True)
        yield Notice(f"{error.problem} Write the number of the one that is meant: /rag-remove <number>", "warning")
        return
    if removed:
        yield Notice(f"Removed {counted(removed, 'document')}.")
    else:
        yield Notice(f"Nothing in the library is called {one_line(target, 100)}.", "warning")


def scoped_options(chat: "Chat") -> SearchOptions:
    """How a search is made in a chat, by its profile."""
    scope = chat.profile.scope
    return SearchOptions(scope.mode, collections=scope.collections, reranking=chat.reranking)


def open_library(chat: "Chat") -> "Library":
    """The library; raises `ConfigError` where it is switched off."""
    if chat.library is None:
        raise ConfigError("The library is switched off.", "Set rag.enabled to true and start again.")
    return chat.library


def unquote_path(argument: str) -> str:
    """A path as it is typed: quotes around it and backslashes before spaces belong to the shell."""
    text = argument.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    return text.replace("\\ ", " ")


@command(argument="[words]", aliases=("rag-list",))
async def library(chat: "Chat", argument: str) -> AsyncIterator[Event]:
    """List what is in the library: by words, or files, web, snippets; by title, by size; page 2."""
    catalogue = open_library(chat).catalogue
    own = chat.profile.chosen or (chat.configuration.values.rag.collection,)
    known = {collection.name: collection.documents for collection in await open_library(chat).list_collections()}
    request = parse_request(argument, known)
    collections = request.query.collections or own
    page = await read_page(catalogue, replace(request, query=replace(request.query, collections=collections)))
    for origin, documents in page.by_kind.items():
        title = f"{KINDS[origin].capitalize()}s ({page.counts.get(origin, 0):,})"
        yield document_table(title, documents, collection=len(collections) > 1)
    yield Notice(" ".join([*_told(page, request), *_others(known, collections)]))


@command(argument="[names]")
async def collection(chat: "Chat", argument: str) -> AsyncIterator[Event]:
    """Search and add to other collections in this conversation; without a name: list them."""
    library, usual = open_library(chat), chat.configuration.values.rag.collection
    there = await library.list_collections()
    names = argument.replace(",", " ").split()
    if not names:
        used = chat.profile.chosen or (usual,)
        rows = tuple(
            (
                "●" if one.name in used else "",
                one.name,
                counted(one.documents, "document"),
                counted(one.chunks, "chunk"),
                one.shape.describe() if one.shape else "",
            )
            for one in there
        )
        yield Listing("Collections (/collection <name> uses one from now on)", ("", "name", "", "", "cut at"), rows)
        return
    known = [one.name for one in there]
    unknown = [name for name in names if name not in (usual, *known)]
    if unknown and len(names) > 1:
        yield Notice(f"There is no collection {one_line(unknown[0], 100)}. {_named(known)}", "error")
        return
    for name in unknown:
        # Whether it can be the name of one is known before anything is to be put into it.
        await library.stats(name)
    chosen = await chat.choose_collections([] if names == [usual] else names)
    yield Notice(chosen.describe())
    if unknown:
        yield Notice(f"Nothing is in {unknown[0]} yet; /rag-index begins it. {_named(known)}", "warning")


def _named(known: Sequence[str]) -> str:
    return f"There are: {', '.join(known)}." if known else ""


def _told(page: DocumentPage, request: ListRequest) -> list[str]:
    """What this is of how much, and what can be done with it."""
    if not page.total:
        is_filtered = request.query.words or request.query.origins
        return ["Nothing in the library fits that." if is_filtered else "Nothing is in it yet; /rag-index fills it."]
    if not page.documents:
        return [f"There is no page {page.number:,}; the last one is {page.pages:,}."]
    following = f"/library {replace(request, page=page.number + 1)} goes on."
    return [str(page), *([following] if page.number < page.pages else []), "/rag-remove <number> takes one out."]


def _others(known: dict[str, int], shown: Sequence[str]) -> list[str]:
    """The collections of which nothing is listed."""
    others = [f"{name} ({documents:,})" for name, documents in known.items() if name not in shown]
    return [f"Other collections: {', '.join(others)}; /library in <name> lists one."] if others else []

"""The command that lists what is in the library."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from chatbot.commands.base import command
from chatbot.commands.library import open_library
from chatbot.conversation.events import Event, Notice
from chatbot.library.contents import (
    KINDS,
    DocumentPage,
    ListRequest,
    document_table,
    parse_request,
    read_page,
)

if TYPE_CHECKING:
    from chatbot.engine.chat import Chat


@command(argument="[words]", aliases=("rag-list",))
async def library(chat: "Chat", argument: str) -> AsyncIterator[Event]:
    """List what is in the library: by words, or files, web, snippets; by title, by size; page 2."""
    catalogue, own = open_library(chat).catalogue, chat.configuration.values.rag.collection
    known = {collection.name: collection.documents for collection in await open_library(chat).list_collections()}
    request = parse_request(argument, known)
    collections = request.query.collections or (own,)
    page = await read_page(catalogue, replace(request, query=replace(request.query, collections=collections)))
    for origin, documents in page.by_kind.items():
        title = f"{KINDS[origin].capitalize()}s ({page.counts.get(origin, 0):,})"
        yield document_table(title, documents, collection=len(collections) > 1)
    yield Notice(" ".join([*_told(page, request), *_others(known, collections)]))


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

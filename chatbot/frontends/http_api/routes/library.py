"""/api/library: what is in it, searched and listed; the library is shared by everybody who has a token."""

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query, Response
from pydantic import Field

from chatbot.engine.chat import Chat
from chatbot.frontends.http_api.errors import ApiRefusal
from chatbot.frontends.http_api.passages import ScoredPassage, SearchMode, readable_collection, scored_passages
from chatbot.frontends.http_api.service import Desk, OpenLibrary
from chatbot.frontends.http_api.uploads import drop_upload
from chatbot.frontends.http_api.values import ApiModel, CleanJson
from rag.documents import Document, Passage, cut_surroundings
from rag.library import Library
from rag.search.search import SearchOptions
from rag.stored import DocumentQuery, Filters, ListedDocument

library_router = APIRouter(prefix="/api/library", tags=["library"])
CollectionName = Annotated[str, Query(max_length=100, description="Empty for the usual one.")]
SourceName = Annotated[str, Query(min_length=1, max_length=4096, description="The address or path of a document.")]


class CollectionEntry(ApiModel):
    """A collection with what it holds."""

    name: str
    documents: int
    chunks: int


class LibraryState(ApiModel):
    """What the library holds."""

    collection: str
    """The usual one."""
    embedding_model: str
    bytes_on_disk: int
    collections: list[CollectionEntry]


class FoundList(ApiModel):
    """Passages, best first."""

    passages: list[ScoredPassage]


class DocumentEntryValue(ApiModel):
    """A document in a list."""

    number: int
    collection: str
    source: str
    title: str
    origin: str
    media_type: str
    fetched: str
    container: str
    """The file of records that it is one of; empty for others."""
    chunks: int
    added: str


class DocumentList(ApiModel):
    """A page of documents."""

    documents: list[DocumentEntryValue]
    total: int


class DocumentText(ApiModel):
    """A document, or the part of it that was asked for."""

    source: str
    title: str
    origin: str
    media_type: str
    fetched: str
    text: str
    characters: int
    """Of the whole text."""


class SearchQuery(ApiModel):
    """What is looked for in the library."""

    query: Annotated[str, Field(min_length=1, max_length=10_000, pattern=r"\S", examples=["ferry timetable"])]
    collection: Annotated[str, Field(max_length=100)] = ""
    """Empty for the usual one."""
    limit: Annotated[int, Field(ge=1, le=50)] = 5
    mode: SearchMode | None = None
    """By words, by meaning, or both; unset: as the settings say."""
    source: Annotated[tuple[str, ...], Field(max_length=100)] = ()
    """Only from these documents, folders, sites or titles."""


class ListQuery(ApiModel):
    """Which documents are listed."""

    words: Annotated[str, Field(max_length=300)] = ""
    """Each is in a title or an address."""
    collection: Annotated[str, Field(max_length=100)] = ""
    """Empty for all."""
    kind: Literal["file", "web", "snippet"] | None = None
    """Unset: all."""
    sort: Literal["date", "title", "size"] = "date"
    limit: Annotated[int, Field(ge=1, le=500)] = 50
    offset: Annotated[int, Field(ge=0, le=10_000_000)] = 0


class DocumentPart(ApiModel):
    """Which document is read, and what of it."""

    source: Annotated[str, Field(min_length=1, max_length=4096)]
    """Its address or path."""
    collection: Annotated[str, Field(max_length=100)] = ""
    """Empty for the usual one."""
    start: Annotated[int, Field(ge=0, le=2**53)] | None = None
    """Of the passage whose surroundings are wanted; unset: all of the document."""
    end: Annotated[int, Field(ge=0, le=2**53)] = 0
    around: Annotated[int, Field(ge=0, le=100_000)] = 2000
    """How many characters around it."""


@library_router.get("")
async def tell_library(desk: Desk, library: OpenLibrary) -> LibraryState:
    """What the library holds."""
    stats = await library.stats()
    held = [
        CollectionEntry(name=one.name, documents=one.documents, chunks=one.chunks)
        for one in await library.list_collections()
    ]
    usual = desk.configuration.values.rag.collection
    return LibraryState(
        collection=usual, embedding_model=stats.embedding_model, bytes_on_disk=stats.bytes_on_disk, collections=held
    )


@library_router.get("/search", response_model=FoundList)
async def search_library(desk: Desk, library: OpenLibrary, asked: Annotated[SearchQuery, Query()]) -> Response:
    """The passages nearest to a question."""
    config = desk.configuration.values
    name = await readable_collection(library, config, asked.collection)
    filters = Filters(sources=asked.source)
    options = SearchOptions(asked.mode, filters=filters, collections=(name,), reranking=desk.reranking)
    found = await library.search(asked.query, asked.limit, options)
    compared = (asked.mode or config.rag.search_mode) != "bm25"
    return CleanJson({"passages": scored_passages(found, compared=compared)})


@library_router.get("/documents", response_model=DocumentList)
async def list_documents(desk: Desk, library: OpenLibrary, asked: Annotated[ListQuery, Query()]) -> Response:
    """The documents, files first, then web pages, then search results."""
    config, name = desk.configuration.values, asked.collection
    named = (await readable_collection(library, config, name),) if name else ()
    query = DocumentQuery(tuple(asked.words.split()), (asked.kind,) if asked.kind else (), named, asked.sort)
    documents = [_listed(one) for one in await library.catalogue.page(query, asked.offset, asked.limit)]
    return CleanJson({"documents": documents, "total": sum((await library.catalogue.counts(query)).values())})


@library_router.get("/document", response_model=DocumentText)
async def read_document(desk: Desk, library: OpenLibrary, asked: Annotated[DocumentPart, Query()]) -> Response:
    """The text of a document; with `start` and `end` of a passage, that and what stands around it."""
    document = await _find_document(desk, library, asked.source, asked.collection)
    text = document.text
    if asked.start is not None:
        passage = Passage(text[asked.start : asked.end], asked.source, "", document.origin, start=asked.start)
        text = cut_surroundings(document, passage, asked.around)
    named = ("source", "title", "origin", "media_type", "fetched")
    told = {name: getattr(document, name) for name in named}
    return CleanJson({**told, "text": text, "characters": len(document.text)})


@library_router.delete("/document", status_code=204)
async def remove_document(
    desk: Desk, library: OpenLibrary, source: SourceName, collection: CollectionName = ""
) -> None:
    """Take a document out; the owner alone may."""
    _require_owner(desk)
    document = await _find_document(desk, library, source, collection)
    await library.remove(document.source, await readable_collection(library, desk.configuration.values, collection))
    await drop_upload(desk.configuration.values.data_folder, document.source)


@library_router.delete("/collections/{name}", status_code=204)
async def remove_collection(
    desk: Desk, library: OpenLibrary, name: Annotated[str, Path(min_length=1, max_length=100)]
) -> None:
    """Take a whole collection out; the owner alone may."""
    _require_owner(desk)
    if name not in {one.name for one in await library.list_collections()}:
        raise ApiRefusal(404, "There is no such collection.", "GET /api/library lists them.", code="no_collection")
    await library.remove_collection(name)


def _require_owner(desk: Chat) -> None:
    """What is shared by all is taken out by whom Magpie belongs to; raises `ApiRefusal`."""
    if not desk.person.is_owner:
        raise ApiRefusal(403, "Only whom Magpie belongs to can do that.", "Ask them.", code="not_owner")


async def _find_document(desk: Chat, library: Library, source: str, collection: str) -> Document:
    name = await readable_collection(library, desk.configuration.values, collection)
    document = await library.find_document(source, name)
    if document is None:
        told = "There is no such document."
        raise ApiRefusal(404, told, "GET /api/library/documents lists them.", code="no_document")
    return document


def _listed(document: ListedDocument) -> dict[str, str | int]:
    return {name: getattr(document, name) for name in DocumentEntryValue.model_fields}

"""The documents of the library as resources, newest first, a page at a time."""

from typing import Any
from urllib.parse import quote, unquote

from mcp import MCPError
from mcp.server import ServerRequestContext
from mcp_types import (
    INVALID_PARAMS,
    Annotations,
    ListResourcesResult,
    ListResourceTemplatesResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from chatbot.frontends.mcp_server.retrieval import Retrieval
from rag.documents import MARKED_UP

DOCUMENTS_PER_PAGE = 100
"""Documents of one answer."""
MAX_ID_DIGITS = 18
"""Of an id at most: SQLite's have 64 bits."""
URI_PREFIX = "magpie://library/"

Context = ServerRequestContext[Any]


class Documents:
    """Lists and reads them."""

    def __init__(self, retrieval: Retrieval) -> None:
        self._retrieval = retrieval

    async def list_documents(self, _: Context, params: PaginatedRequestParams | None) -> ListResourcesResult:
        """A page of documents; the cursor is the id of the last one."""
        cursor = params.cursor if params else None
        if cursor is not None and not (cursor.isdecimal() and len(cursor) <= MAX_ID_DIGITS):
            raise MCPError(INVALID_PARAMS, f"There is no cursor {cursor!r}: begin without one.")
        library = await self._retrieval.open_library()
        before = int(cursor) if cursor else None
        entries = await library.list_entries(self._retrieval.shown_collections, before, DOCUMENTS_PER_PAGE + 1)
        resources = [
            Resource(
                uri=uri_of(entry.collection, entry.source),
                name=entry.title or entry.source,
                description=entry.source,
                mime_type=type_of(entry.media_type),
                annotations=Annotations(last_modified=entry.fetched) if entry.fetched else None,
            )
            for entry in entries[:DOCUMENTS_PER_PAGE]
        ]
        return ListResourcesResult(
            resources=resources,
            next_cursor=str(entries[DOCUMENTS_PER_PAGE - 1].id) if len(entries) > DOCUMENTS_PER_PAGE else None,
        )

    async def list_templates(self, _: Context, params: PaginatedRequestParams | None) -> ListResourceTemplatesResult:
        """How the address of a document is made of what a passage says of it."""
        template = ResourceTemplate(
            name="document",
            uri_template=URI_PREFIX + "{collection}/{source}",
            description="The whole text of a document of the library, by its collection and its source.",
        )
        return ListResourceTemplatesResult(resource_templates=[template])

    async def read_document(self, _: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        """The whole text of a document."""
        collection, source = parts_of(params.uri)
        shown = self._retrieval.shown_collections
        document = None
        if source and (not shown or collection in shown):
            library = await self._retrieval.open_library()
            if collection in {one.name for one in await library.list_collections()}:
                document = await library.find_document(source, collection)
        if document is None:
            raise MCPError(INVALID_PARAMS, f"Resource not found: {params.uri}", {"uri": params.uri})
        contents = TextResourceContents(uri=params.uri, mime_type=type_of(document.media_type), text=document.text)
        return ReadResourceResult(contents=[contents])


def uri_of(collection: str, source: str) -> str:
    """The address of a document."""
    return f"{URI_PREFIX}{quote(collection, safe='')}/{quote(source, safe='')}"


def parts_of(uri: str) -> tuple[str, str]:
    """Collection and source of a document's address; empty where it is none."""
    collection, _, source = uri.removeprefix(URI_PREFIX).partition("/") if uri.startswith(URI_PREFIX) else ("", "", "")
    return unquote(collection), unquote(source)


def type_of(media_type: str) -> str:
    """The type of what is kept of a document: its text."""
    if media_type in MARKED_UP:
        return "text/markdown"
    return media_type if media_type.startswith("text/") else "text/plain"

"""What is in the library, by the page: how a list is asked for, and the words around it, in the chat and in a shell."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from chatbot.conversation.events import Listing
from chatbot.library.progress import counted
from rag.catalogue import Catalogue
from rag.documents import Origin
from rag.stored import DocumentQuery, ListedDocument
from utils.text import one_line, well_formed

PAGE = 15
"""Documents of a page, of two lines each: with their headings not much more than a screen."""
KINDS: Mapping[Origin, str] = {"file": "file", "web": "web page", "snippet": "search result"}
"""What documents of an origin are called; with an s they are several."""
_KIND_WORDS: Mapping[str, Origin] = {
    "files": "file",
    "file": "file",
    "web": "web",
    "page": "web",
    "pages": "web",
    "snippets": "snippet",
    "snippet": "snippet",
    "results": "snippet",
}
_OPTIONS = {*_KIND_WORDS, "by", "page", "in"}
_TOKEN = re.compile(r'"([^"]*)"|(\S+)')


@dataclass(frozen=True)
class ListRequest:
    """Which documents are asked for, and which page of them."""

    query: DocumentQuery = field(default_factory=DocumentQuery)
    page: int = 1

    def __str__(self) -> str:
        """The same in words, as `parse_request` reads them."""
        query = self.query
        words = [f'"{word}"' if " " in word or word.lower() in _OPTIONS else word for word in query.words]
        kinds = [next(word for word, kind in _KIND_WORDS.items() if kind == origin) for origin in query.origins]
        sort = [] if query.sort == DocumentQuery().sort else ["by", query.sort]
        within = [part for collection in query.collections for part in ("in", collection)]
        return " ".join([*words, *kinds, *sort, *within, *(["page", str(self.page)] if self.page > 1 else [])])


@dataclass(frozen=True)
class DocumentPage:
    """Some of the documents that a query finds, and how many it finds in all."""

    documents: Sequence[ListedDocument]
    counts: Mapping[Origin, int]
    number: int
    """Of the page, from 1 on."""
    size: int
    """Documents of a page at most."""

    @property
    def total(self) -> int:
        """Documents on all pages."""
        return sum(self.counts.values())

    @property
    def pages(self) -> int:
        """How many pages there are."""
        return -(-self.total // self.size)

    @property
    def by_kind(self) -> dict[Origin, list[ListedDocument]]:
        """The documents of the page, those of each origin by themselves."""
        return {
            origin: found
            for origin in KINDS
            if (found := [document for document in self.documents if document.origin == origin])
        }

    def __str__(self) -> str:
        """Which documents these are, of how many of each kind."""
        kinds = ", ".join(counted(count, KINDS.get(origin, origin)) for origin, count in self.counts.items())
        if len(self.documents) == self.total:
            return f"{kinds}."
        first = (self.number - 1) * self.size + 1
        return f"{first:,} to {first + len(self.documents) - 1:,} of {self.total:,}: {kinds}."


async def read_page(catalogue: Catalogue, request: ListRequest, size: int = PAGE) -> DocumentPage:
    """The page that is asked for, read alone; raises `LibraryError`."""
    documents = await catalogue.page(request.query, (request.page - 1) * size, size)
    return DocumentPage(documents, await catalogue.counts(request.query), request.page, size)


def parse_request(text: str, collections: Collection[str]) -> ListRequest:
    """What is asked for in words: `files`, `web`, `snippets`, `by title`, `page 2`, `in` one of the collections.

    All other words, and what stands in quotes, must be in a title or an address.
    """
    tokens = [(quoted or plain, bool(quoted)) for quoted, plain in _TOKEN.findall(well_formed(text))]
    request, read = ListRequest(), 0
    while read < len(tokens):
        word, is_quoted = tokens[read]
        following = tokens[read + 1][0] if read + 1 < len(tokens) else ""
        taken, request = (1, _with_word(request, word)) if is_quoted else _read(request, word, following, collections)
        read += taken
    return request


def _read(request: ListRequest, word: str, following: str, collections: Collection[str]) -> tuple[int, ListRequest]:
    """How many words were read, one or two, and the request with what they ask for."""
    query = request.query
    match word.lower(), following.lower():
        case "by", ("date" | "title" | "size") as sort:
            return 2, replace(request, query=replace(query, sort=sort))
        case "page", number if number.isdecimal() and int(number[:9]) > 0:
            return 2, replace(request, page=int(number[:9]))
        case "in", _ if following in collections:
            return 2, replace(request, query=replace(query, collections=(*query.collections, following)))
        case kind, _ if kind in _KIND_WORDS:
            return 1, replace(request, query=replace(query, origins=(*query.origins, _KIND_WORDS[kind])))
        case _:
            return 1, _with_word(request, word)


def _with_word(request: ListRequest, word: str) -> ListRequest:
    return replace(request, query=replace(request.query, words=(*request.query.words, word)))


def shown_title(document: ListedDocument) -> str:
    """The title as lists show it; a document that has none is called by its source."""
    return one_line(document.title, 60) or one_line(document.source, 60)


def origin_of(document: ListedDocument, source: str, *, collection: bool) -> str:
    """Where it came from: its source as it is shown, the file of records that has it, and the collection if wanted."""
    apart = document.container and not document.source.startswith(document.container)
    within = [f"in {one_line(document.container)}"] if apart else []
    return " ".join([source, *within, *([f"({document.collection})"] if collection else [])])


def document_table(title: str, documents: Sequence[ListedDocument], *, collection: bool) -> Listing:
    """Documents as a table that has room for their addresses."""
    rows = tuple(
        (
            str(one.number),
            one.added[:10],
            f"{one.chunks:,}",
            f"{shown_title(one)}\n{origin_of(one, one_line(one.source, 500), collection=collection)}",
        )
        for one in documents
    )
    return Listing(title, ("number", "added", "chunks", "document"), rows)

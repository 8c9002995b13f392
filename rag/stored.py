"""What a library keeps, and what indexes and searches get of it: plain values."""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rag.chunk_size import ChunkShape
from rag.documents import Chunk, Document, Origin, Properties
from rag.embedding.base import Vectors, whole
from utils.errors import LibraryError

FEED_VERSION = 2
"""Grows when the same library gives an index other entries: indexes are then made anew."""


@dataclass(frozen=True)
class StoredChunk:
    """A chunk with all that a search result says of it."""

    id: int
    text: str
    heading: tuple[str, ...]
    source: str
    title: str
    origin: Origin
    media_type: str
    fetched: str
    index: int
    total: int
    start: int
    end: int

    @classmethod
    def from_row(cls, row: Sequence[Any]) -> "StoredChunk":
        """The chunk of a row of a database, whose columns stand in the order above; the heading has a line a level."""
        key, text, heading, *rest = row
        return cls(key, text, tuple(heading.splitlines()), *rest)


@dataclass(frozen=True)
class VectorEntry:
    """A chunk as the vector index takes it; `vectors` has one row a piece, None where it is not embedded yet."""

    chunk: StoredChunk
    vectors: Vectors | None

    @property
    def id(self) -> int:
        """The chunk's."""
        return self.chunk.id


@dataclass(frozen=True)
class Run:
    """Chunks, one after another, with nothing but their vectors: a row a piece, and the chunk of each row."""

    ids: NDArray[np.int64]
    vectors: Vectors

    @property
    def id(self) -> int:
        """The last chunk's."""
        return int(self.ids[-1])


@dataclass(frozen=True)
class TextEntry:
    """A chunk as the keyword index takes it; its document's text comes with the first chunk only."""

    id: int
    text: str
    language: str
    document: str | None


@dataclass(frozen=True)
class Removal:
    """A chunk that is gone: the number of its deletion, its id and how many pieces it had."""

    number: int
    chunk: int
    pieces: int


@dataclass(frozen=True)
class Filters:
    """What a search is kept to; an empty field lets everything through."""

    sources: tuple[str, ...] = ()
    """Addresses, paths, folders, file names, titles, or patterns with `*`."""
    origins: tuple[Origin, ...] = ()
    media_types: tuple[str, ...] = ()
    since: str = ""
    """ISO 8601; documents of that time or later: as they say, else when they were fetched or changed."""
    until: str = ""
    authors: tuple[str, ...] = ()
    """Each a part of an author's name, in whatever case."""
    tags: tuple[str, ...] = ()
    """All of them, in whatever case."""
    languages: tuple[str, ...] = ()
    """By their codes: `de`."""

    def __bool__(self) -> bool:
        return any(astuple(self))

    def wanted_values(self) -> list[tuple[str, tuple[str, ...]]]:
        """By what column of documents they go, and the values that this may have; none that lets everything through."""
        named = [("origin", self.origins), ("media_type", self.media_types), ("language", self.languages)]
        return [(column, wanted) for column, wanted in named if wanted]

    def moments(self) -> list[tuple[str, str]]:
        """How a document's time must compare with which one."""
        return [(comparison, moment) for comparison, moment in ((">=", self.since), ("<=", self.until)) if moment]


@dataclass(frozen=True)
class Prepared:
    """A document's chunks with what is embedded of each, its language, and what cut it."""

    chunks: Sequence[Chunk]
    hashes: Sequence[bytes]
    """Of what is embedded, one a chunk."""
    texts: Mapping[bytes, str]
    """What is embedded, by hash."""
    language: str
    chunker: str


@dataclass(frozen=True)
class Collection:
    """A knowledge base; `shape` None: as the settings say."""

    name: str
    documents: int
    chunks: int
    shape: ChunkShape | None


@dataclass(frozen=True)
class DocumentEntry:
    """A document as a list of documents shows it; newer ones have higher ids."""

    id: int
    collection: str
    source: str
    title: str
    media_type: str
    fetched: str


Sort = Literal["date", "title", "size"]


@dataclass(frozen=True)
class DocumentQuery:
    """Which documents are listed, and in what order: files first, then web pages, then search results."""

    words: tuple[str, ...] = ()
    """Each of them is in the title or in the source, in whatever case."""
    origins: tuple[Origin, ...] = ()
    """Empty: all."""
    collections: tuple[str, ...] = ()
    """Empty: all."""
    sort: Sort = "date"
    """By the newest, by the title, or by the most chunks."""


@dataclass(frozen=True)
class ListedDocument:
    """A document without its text."""

    number: int
    """Its own in the whole library; newer ones have higher numbers, and none is ever given twice."""
    collection: str
    source: str
    title: str
    origin: Origin
    media_type: str
    fetched: str
    """When a page was read or a file last changed, ISO 8601 with offset; empty where that is not known."""
    container: str
    """The file of records that it is one of; empty for others."""
    chunks: int
    added: str
    """When it was last taken in or met again unchanged, ISO 8601, UTC."""


@dataclass(frozen=True)
class Finding:
    """Something that was not as it should be, in one sentence, and whether it now is."""

    what: str
    repaired: bool


def damaged_library(what: str) -> LibraryError:
    """The failure of a library in which something is not as it was kept."""
    return LibraryError(f"The library is damaged: {what}.", "Type /rag-doctor, which mends what can be mended.")


def no_collection(name: str, there: Sequence[str]) -> LibraryError:
    """The failure where a collection is named that is not there."""
    return LibraryError(
        f"There is no collection {name}.",
        f"There are: {', '.join(there)}." if there else "magpie rag ingest begins one.",
    )


def make_storable(document: Document) -> Document:
    """The document with lone surrogates, which UTF-8 cannot hold, replaced."""
    return replace(
        document,
        source=whole(document.source),
        title=whole(document.title),
        text=whole(document.text),
        fetched=whole(document.fetched),
        container=whole(document.container),
        properties=Properties(*map(_whole_value, astuple(document.properties))),
    )


def _whole_value(value: Any) -> Any:
    return whole(value) if isinstance(value, str) else tuple(map(whole, value))


def matches_properties(properties: Properties, filters: Filters) -> bool:
    """Whether what a document says of its author and its tags is what the filters want."""
    author = properties.author.casefold()
    tags = {tag.casefold() for tag in properties.tags}
    named = not filters.authors or any(wanted.casefold() in author for wanted in filters.authors)
    return named and all(tag.casefold() in tags for tag in filters.tags)

"""Documents, their chunks, and the passages that a search hands out: plain values."""

import hashlib
from dataclasses import dataclass, field
from typing import Annotated, Literal

from msgspec import Meta

Origin = Literal["file", "web", "snippet"]
PictureType = Literal["image/png", "image/jpeg"]
"""What pictures are sent as: every model that sees takes both."""
MAX_SIDE_SENT = 1568
"""Pixels of the longer side of a picture that is sent: Claude's are made so small before it sees them (Anthropic's
documentation of vision), and models that run at home look at fewer."""

MARKED_UP = frozenset(
    {
        "application/epub+zip",
        "application/mbox",
        "application/rtf",
        "application/vnd.oasis.opendocument.presentation",
        "application/vnd.oasis.opendocument.spreadsheet",
        "application/vnd.oasis.opendocument.text",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "application/x-ipynb+json",
        "application/xhtml+xml",
        "message/rfc822",
        "text/asciidoc",
        "text/html",
        "text/markdown",
        "text/org",
        "text/x-markdown",
        "text/x-rst",
    }
)
"""Types of which a document's text is Markdown: the readers keep headings, lists, tables and code in that form."""

CHUNKER = 3
"""Grows when the same text is cut otherwise, or something else of it embedded: documents are then cut anew."""


@dataclass(frozen=True)
class Properties:
    """What a document says of itself beside its title; empty where it does not."""

    author: str = ""
    """Its authors, parted by commas."""
    published: str = ""
    """A day or a moment, ISO 8601."""
    tags: tuple[str, ...] = ()
    language: str = ""
    """By its code: `de`."""


@dataclass(frozen=True)
class Document:
    """A text with where it came from. `source` (an absolute path or a URL) is its identity."""

    source: str
    title: str
    text: str
    origin: Origin
    media_type: str = "text/plain"
    fetched: str = ""
    """When it was read or last changed, ISO 8601 with offset; empty when unknown."""
    container: str = ""
    """The absolute path of the file of records that it is one of; empty for a file or page of its own."""
    properties: Properties = Properties()

    @property
    def content_hash(self) -> str:
        """SHA-256 of title and text, hexadecimal."""
        return hashlib.sha256(f"{self.title}\0{self.text}".encode()).hexdigest()


@dataclass(frozen=True)
class Chunk:
    """A part of a document: `text == document.text[start:end]`."""

    text: str
    index: int
    start: int
    end: int
    heading: tuple[str, ...] = ()
    """The headings above it, outermost first."""


@dataclass(frozen=True)
class Passage:
    """A piece of text that can be read and cited."""

    text: str
    source: str
    title: str
    origin: Origin
    chunk_index: int = 0
    total_chunks: int = 1
    similarity: float = 0.0
    """Cosine of the passage and the question, -1 to 1."""
    fetched: str = ""
    media_type: str = ""
    heading: tuple[str, ...] = ()
    """The headings above it, outermost first."""
    start: int = 0
    """Where it begins and ends in its document's text, in characters."""
    end: int = 0
    score: float = 0.0
    """By what it was ranked: higher is better, comparable within one search only."""
    collection: str = ""
    found_by: str = ""
    """The server that found it and says what stands there, where Magpie has not looked itself."""
    published: str = ""
    """When its page says that it was published, ISO 8601; empty where it does not, and of what the library found."""

    @property
    def headed_title(self) -> str:
        """Its document's title and the headings above it."""
        return join_headings(self.title, self.heading)


@dataclass(frozen=True)
class Picture:
    """A picture as a model is sent it: decoded, made smaller and encoded anew, so that it holds its pixels alone."""

    name: str
    """Its file's name."""
    media_type: PictureType
    width: Annotated[int, Meta(ge=1, le=MAX_SIDE_SENT)]
    height: Annotated[int, Meta(ge=1, le=MAX_SIDE_SENT)]
    """In pixels, as it is sent."""
    data: bytes = field(repr=False)
    text: str = ""
    """What is written in it, as far as it was read; empty where nothing is, or where nothing reads it."""
    first_of_several: bool = False
    """Whether it is the first frame of an animation, or the first page of several."""
    unread: str = ""
    """Why what is written in it was not read, in a sentence or two; empty where it was, or where nothing reads it."""

    @property
    def size(self) -> str:
        """Width and height: `1,568×1,045`."""
        return f"{self.width:,}×{self.height:,}{', the first of several' if self.first_of_several else ''}"


def contextual_text(title: str, heading: tuple[str, ...], text: str) -> str:
    """What is embedded and searched of a chunk: its document's title and its headings stand before it."""
    return f"{join_headings(title, heading)}\n{text}".strip()


def join_headings(title: str, heading: tuple[str, ...]) -> str:
    """A title and the headings below it, the title once."""
    above = (title, *heading) if heading[:1] != (title,) else heading
    return " > ".join(line for line in above if line)


def text_hash(text: str) -> bytes:
    """SHA-256 of what is embedded of a chunk."""
    return hashlib.sha256(text.encode()).digest()


def is_intact(title: str, heading: tuple[str, ...], text: str, kept_hash: bytes, chunker: str) -> bool:
    """Whether a chunk is what was embedded; an older chunker's are believed until they are cut anew."""
    return not chunker.startswith(f"{CHUNKER} ") or text_hash(contextual_text(title, heading, text)) == kept_hash


def cut_surroundings(document: Document, passage: Passage, characters: int) -> str:
    """A passage with about so many characters of its document around it; itself where it is not in there any more."""
    start = passage.start
    if not document.text.startswith(passage.text, start):
        start = document.text.find(passage.text)
    if start < 0:
        return passage.text
    half = max(0, characters // 2)
    return document.text[max(0, start - half) : start + len(passage.text) + half].strip()

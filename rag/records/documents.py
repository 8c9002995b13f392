"""A document as a store keeps it, and whether that is what was put in."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from rag.documents import Document, is_intact

REMADE = ""
"""In the place of a text's digest where the text was put together: whoever adds the document again replaces it."""


def changes_anything(document: Document, known: Sequence[str] | None) -> bool:
    """Whether a document is to be kept; `known`: origin and digest of the one with its source, if there is one."""
    if known is None:
        return True
    origin, content_hash = known
    if document.origin == "snippet" and origin != "snippet":
        return False
    return origin != document.origin or content_hash != document.content_hash


@dataclass(frozen=True)
class PieceRecord:
    """A chunk as it lies in the store."""

    ordinal: int
    start: int
    end: int
    text: str
    hash: bytes
    heading: str


@dataclass(frozen=True)
class DocumentRecord:
    """A document as it lies in the store, its text packed."""

    pieces: list[PieceRecord]
    id: int
    source: str
    title: str
    content_hash: str
    count: int
    blob: bytes
    chunker: str

    def known_text(self) -> str | None:
        """Its text, None where that is damaged."""
        try:
            text = zlib.decompress(self.blob).decode()
        except (zlib.error, UnicodeDecodeError):
            return None
        known = Document(self.source, self.title, text, "file").content_hash
        return text if self.content_hash in (known, REMADE) else None

    def is_whole(self, text: str | None) -> bool:
        """Whether the chunks are all there, as they were embedded, and are parts of the text where that is known."""
        ordinals = [piece.ordinal for piece in self.pieces]
        return (
            ordinals == list(range(len(ordinals)))
            and len(ordinals) == self.count
            and all(
                is_intact(self.title, tuple(piece.heading.splitlines()), piece.text, piece.hash, self.chunker)
                and (text is None or text[piece.start : piece.end] == piece.text)
                for piece in self.pieces
            )
        )

    def remake_text(self) -> str | None:
        """The text put together from the chunks; None where they are damaged as well."""
        if not self.pieces or not self.is_whole(None):
            return None
        text = ""
        for piece in self.pieces:
            text = text.ljust(piece.start, "\n")[: piece.start] + piece.text
        return text

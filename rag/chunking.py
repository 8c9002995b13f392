"""A document's text becomes chunks that know where in it they stand; pure."""

from collections.abc import Iterable
from functools import cache
from typing import Any

from rag.documents import Chunk


class _Piece(str):
    """A stretch of the text with its place."""

    start = 0


def split(text: str, size: int = 500, overlap: int = 100) -> list[Chunk]:
    """Cut at paragraphs, else lines, else words, else anywhere; lengths in characters.

    For every chunk `chunk.text == text[chunk.start:chunk.end]`; whatever is no white space stands in some chunk.
    """
    pieces: list[_Piece] = _splitter()(chunk_size=size, chunk_overlap=overlap).split_text(text)
    return [Chunk(str(piece), i, piece.start, piece.start + len(piece)) for i, piece in enumerate(pieces)]


@cache
def _splitter() -> Any:
    """langchain's splitter, its import put off; searching the text for its chunks would go wrong where text repeats."""
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    class PlacedSplitter(RecursiveCharacterTextSplitter):  # type: ignore[misc]
        """Every stretch of the text passes `_merge_splits` once and in order, so its place is known by counting."""

        _at = 0

        def _merge_splits(self, splits: Iterable[str], separator: str) -> list[str]:
            merged: list[str] = super()._merge_splits([self._place(piece) for piece in splits], separator)
            return merged

        def _place(self, text: str) -> _Piece:
            piece = _Piece(text)
            piece.start = self._at
            self._at += len(text)
            return piece

        def _join_docs(self, docs: list[Any], separator: str) -> str | None:
            text = separator.join(docs)
            piece = _Piece(text.strip())
            piece.start = docs[0].start + len(text) - len(text.lstrip()) if docs else 0
            return piece or None

    return PlacedSplitter

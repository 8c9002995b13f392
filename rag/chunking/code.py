"""Source code is cut by definition, with langchain's splitters for languages."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

# Media types and the names of their langchain_text_splitters.Language.
CODE = {
    "application/javascript": "js",
    "application/x-php": "php",
    "text/javascript": "js",
    "text/typescript": "ts",
    "text/x-c": "c",
    "text/x-c++": "cpp",
    "text/x-csharp": "csharp",
    "text/x-go": "go",
    "text/x-haskell": "haskell",
    "text/x-java": "java",
    "text/x-kotlin": "kotlin",
    "text/x-lua": "lua",
    "text/x-php": "php",
    "text/x-python": "python",
    "text/x-ruby": "ruby",
    "text/x-rust": "rust",
    "text/x-scala": "scala",
    "text/x-swift": "swift",
}


class _Piece(str):
    """A stretch of the text with its place."""

    start = 0


def split_code(
    text: str, language: str, size: int, overlap: int, measure: Callable[[str], int]
) -> Iterator[tuple[int, int]]:
    """Beginning and end of every chunk: whole classes and functions where they fit, else whole lines."""
    splitter = _make_splitter().from_language(language, chunk_size=size, chunk_overlap=overlap, length_function=measure)
    done = 0
    for piece in splitter.split_text(text):
        # What a last space adds to the piece before is stripped again.
        if piece.start + len(piece) > done:
            done = piece.start + len(piece)
            yield piece.start, done


@cache
def _make_splitter() -> Any:
    """langchain's splitter, its import put off; searching the text for its chunks would go wrong where text repeats."""
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    class PlacedSplitter(RecursiveCharacterTextSplitter):  # type: ignore[misc]
        """Every stretch of the text passes `_merge_splits` once and in order, so its place is known by counting."""

        _at = 0

        def _merge_splits(self, splits: Iterable[str], separator: str) -> list[str]:
            merged: list[str] = super()._merge_splits([self._place_piece(piece) for piece in splits], separator)
            return merged

        def _place_piece(self, text: str) -> _Piece:
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

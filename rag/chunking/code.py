"""Source code is cut by definition; what is too long for a chunk of its own, with langchain's splitters."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from typing import Any

from rag.chunking.definitions import Definition, find_definitions

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

_MOST_CHARACTERS = 12
"""Characters that a token, or a character, stands for at most in a text that is measured at all."""


class _Piece(str):
    """A stretch of the text with its place."""

    start = 0


@dataclass(frozen=True)
class _Stretch:
    """A stretch of code that is not parted further, and the names of the definitions that it is in."""

    start: int
    end: int
    names: tuple[str, ...]
    long: bool = False


def split_code(
    text: str, language: str, size: int, overlap: int, measure: Callable[[str], int]
) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Beginning, end and names above of every chunk: whole classes and functions where they fit, else whole lines."""
    for stretch in _join_stretches(
        text, _part_definition(text, find_definitions(text, language), (), size, measure), size, measure
    ):
        if not stretch.long:
            start, end = _stripped(text, stretch.start, stretch.end)
            if start < end:
                yield start, end, stretch.names
            continue
        for start, end in _split_lines(text[stretch.start : stretch.end], language, size, overlap, measure):
            yield stretch.start + start, stretch.start + end, stretch.names


def _part_definition(
    text: str, definition: Definition, above: tuple[str, ...], size: int, measure: Callable[[str], int]
) -> Iterator[_Stretch]:
    """The definition whole where it fits into a chunk, else what is in it and between that."""
    names = (*above, definition.name) if definition.name else above
    start, end = _stripped(text, definition.start, definition.end)
    # Counting tokens takes long: what has so many characters is never one chunk.
    if end - start <= _MOST_CHARACTERS * size and measure(text[start:end]) <= size:
        yield _Stretch(definition.start, definition.end, names)
        return
    after = definition.start
    for inner in definition.inner:
        yield from _between(text, after, inner.start, names, size, measure)
        yield from _part_definition(text, inner, names, size, measure)
        after = inner.end
    yield from _between(text, after, definition.end, names, size, measure)


def _between(
    text: str, start: int, end: int, names: tuple[str, ...], size: int, measure: Callable[[str], int]
) -> Iterator[_Stretch]:
    begin, close = _stripped(text, start, end)
    if begin < close:
        long = close - begin > _MOST_CHARACTERS * size or measure(text[begin:close]) > size
        yield _Stretch(start, end, names, long)


def _join_stretches(
    text: str, stretches: Iterable[_Stretch], size: int, measure: Callable[[str], int]
) -> Iterator[_Stretch]:
    """Neighbours that fit into one chunk are one, below the names that they share."""
    last: _Stretch | None = None
    for stretch in stretches:
        joined = last and _join_two(last, stretch, text)
        if joined and measure(text[slice(*_stripped(text, joined.start, joined.end))]) <= size:
            last = joined
        else:
            if last:
                yield last
            last = stretch
    if last:
        yield last


def _join_two(one: _Stretch, other: _Stretch, text: str) -> _Stretch | None:
    """Two neighbours as one; none where what they are in would be lost, as of the last method before a function."""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(one.names, other.names, strict=False))
    shared = tuple(name for name, _ in same)
    if one.long or other.long or len(shared) < max(len(one.names), len(other.names)) - 1:
        return None
    # What only closes the definition around it takes no name from the one before.
    closing = not any(map(str.isalnum, text[other.start : other.end]))
    return _Stretch(one.start, other.end, one.names if closing else shared)


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    """The stretch without white space around it."""
    code = text[start:end]
    return start + len(code) - len(code.lstrip()) if code.strip() else end, end - len(code) + len(code.rstrip())


def _split_lines(
    text: str, language: str, size: int, overlap: int, measure: Callable[[str], int]
) -> Iterator[tuple[int, int]]:
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

"""A document's text becomes chunks that know where in it, and under which headings, they stand; pure."""

import bisect
from collections.abc import Callable, Iterator

from rag.chunk_size import ChunkShape
from rag.chunking.code import CODE, split_code
from rag.chunking.markdown import outline_markdown
from rag.chunking.outline import outline_prose
from rag.chunking.packing import Packer
from rag.chunking.rulers import CharacterRuler, Ruler, TokenRuler
from rag.documents import MARKED_UP, Chunk

__all__ = ["CODE", "split_text"]

PAGED = frozenset({"application/pdf"})
Placed = tuple[int, int, tuple[str, ...]]
"""Beginning, end and headings of a chunk."""


def split_text(
    text: str,
    media_type: str = "text/plain",
    shape: ChunkShape = ChunkShape(),
    measure: Callable[[str], int] | None = None,
) -> list[Chunk]:
    """Cut Markdown at its headings, code at its definitions, all else at paragraphs, sentences and words.

    `measure` counts the tokens of a text, for a shape in tokens. For every chunk
    `chunk.text == text[chunk.start:chunk.end]`; whatever is no white space stands in some chunk. Only a code block, a
    table or a list of Markdown makes a chunk longer than `shape.size`, and never longer than twice that.
    """
    if not text.strip():
        return []
    if shape.unit == "characters":
        measure = len
    if measure is None:
        raise ValueError("tokens need a measure that counts them")
    placed = _cut_code if media_type in CODE else _cut_pages if media_type in PAGED else _cut_text
    return [
        Chunk(text[start:end], index, start, end, heading)
        for index, (start, end, heading) in enumerate(placed(text, media_type, shape, measure))
    ]


def _cut_code(text: str, media_type: str, shape: ChunkShape, measure: Callable[[str], int]) -> Iterator[Placed]:
    yield from split_code(text, CODE[media_type], shape.size, shape.overlap, measure)


def _cut_pages(text: str, media_type: str, shape: ChunkShape, measure: Callable[[str], int]) -> Iterator[Placed]:
    """Text whose pages a form feed ends: a chunk's heading is the page that it begins on."""
    ends = [place for place, letter in enumerate(text) if letter == "\f"]
    for start, end, _ in _cut_text(text, media_type, shape, measure):
        yield start, end, (f"page {bisect.bisect_left(ends, start) + 1}",)


def _cut_text(text: str, media_type: str, shape: ChunkShape, measure: Callable[[str], int]) -> Iterator[Placed]:
    ruler: Ruler = CharacterRuler() if shape.unit == "characters" else TokenRuler(text, measure)
    outline = outline_markdown(text, ruler, shape.size) if media_type in MARKED_UP else outline_prose(text)
    packer = Packer(text, outline, ruler, shape.size, shape.overlap)
    for section in outline.sections:
        for start, end in packer.pack_section(section):
            yield start, end, section.heading

"""A document's text becomes chunks that know where in it they stand; pure."""

from typing import TYPE_CHECKING

from rag.documents import Chunk

if TYPE_CHECKING:
    from langchain_text_splitters import RecursiveCharacterTextSplitter


def split(text: str, size: int = 500, overlap: int = 100) -> list[Chunk]:
    """Cut at paragraphs, else lines, else words, else anywhere; lengths in characters.

    For every chunk `chunk.text == text[chunk.start:chunk.end]`; whatever is no white space stands in some chunk.
    """
    # The previous piece's end, less what two pieces share, is where the next one can begin at the earliest: pieces
    # are stretches of the text in their order, so the first occurrence from there has the same words before it.
    chunks: list[Chunk] = []
    start = 0
    for piece in _splitter(size, overlap).split_text(text):
        start = text.index(piece, start)
        chunks.append(Chunk(piece, len(chunks), start, start + len(piece)))
        start = max(start, start + len(piece) - overlap)
    return chunks


def _splitter(size: int, overlap: int) -> "RecursiveCharacterTextSplitter":
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    return RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=overlap)

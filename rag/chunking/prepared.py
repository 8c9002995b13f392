"""Documents cut as their collection is cut now, with what is embedded and kept of them."""

import asyncio
from collections.abc import Callable, Sequence

from rag.chunk_size import ChunkShape
from rag.chunking import split_text
from rag.chunking.kept_shape import KeptShape
from rag.documents import CHUNKER, Document, contextual_text, text_hash
from rag.search.tokenization import detect_language
from rag.stored import Prepared


def name_cut(shape: ChunkShape) -> str:
    """Names what cuts documents so; a document that something else cut is cut anew."""
    return f"{CHUNKER} {shape.name}"


async def cut_documents(documents: Sequence[Document], kept: KeptShape) -> dict[str, Prepared]:
    """What becomes of documents, by their sources, as the collection is cut now; raises `LibraryError`."""
    if not documents:
        return {}
    shape = await kept.find()
    measure = await kept.make_measure(shape)
    return await asyncio.to_thread(lambda: {one.source: cut_document(one, shape, measure) for one in documents})


def cut_document(document: Document, shape: ChunkShape, measure: Callable[[str], int] | None) -> Prepared:
    """What becomes of a document that is cut so; `measure` counts the tokens, None for characters. Blocks."""
    chunks = split_text(document.text, document.media_type, shape, measure)
    language = document.properties.language or detect_language(document.text)
    texts = [contextual_text(document.title, chunk.heading, chunk.text) for chunk in chunks]
    hashes = [text_hash(text) for text in texts]
    return Prepared(chunks, hashes, dict(zip(hashes, texts, strict=True)), language, name_cut(shape))

"""How fast a library of generated chunks and vectors is put in and searched, and how large it is."""

import asyncio
import os
import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from benchmarks.citus.cluster import Server
from benchmarks.sessions import Writer
from rag.chunk_size import ChunkShape
from rag.chunking.prepared import name_cut
from rag.documents import Chunk, Document, contextual_text, text_hash
from rag.postgres.backend import PostgresBackend
from rag.postgres.search.vector_search import VectorSearch
from rag.postgres.search.word_search import WordSearch
from rag.search.query_terms import read_question
from rag.settings import RagSettings
from rag.stored import Filters, Prepared
from utils.network.offline import OfflineSwitch

COLLECTION, MODEL = "generated", "generated"
DIMENSIONS = 384
CHUNKS_OF_DOCUMENT, WORDS_OF_CHUNK, WORDS_OF_QUESTION = 10, 80, 7
DOCUMENTS_AT_ONCE = 10
PASSAGES = 10
"""Chunks that are looked up for one search."""
LOOK_UPS = 300
READERS = 16


class Generated:
    """Documents of words by chance, cut into chunks, with vectors by chance."""

    def __init__(self) -> None:
        self._writer = Writer()
        self._random = np.random.default_rng(1)

    def document(self, number: int) -> tuple[Document, Prepared]:
        """One of them."""
        source, chunks, start = f"/generated/{number}", list[Chunk](), 0
        for ordinal in range(CHUNKS_OF_DOCUMENT):
            text = self._writer.text(WORDS_OF_CHUNK)
            chunks.append(Chunk(text, ordinal, start, start + len(text), ()))
            start += len(text) + 2
        document = Document(source, source, "\n\n".join(chunk.text for chunk in chunks), "file")
        hashes = [text_hash(contextual_text(source, (), chunk.text)) for chunk in chunks]
        return document, Prepared(chunks, hashes, {}, "en", name_cut(ChunkShape(500, 0, "characters")))

    def vectors(self, hashes: Sequence[bytes]) -> dict[bytes, np.ndarray]:
        """One of length 1 for each."""
        made = self._random.standard_normal((len(hashes), 1, DIMENSIONS), np.float32)
        made /= np.linalg.norm(made, axis=2, keepdims=True)
        return dict(zip(hashes, made, strict=True))


async def measure(name: str, entry: Server, servers: Sequence[Server], chunks: int) -> None:
    """Print what was measured on these servers."""
    os.environ["MAGPIE_POSTGRES_URL"] = entry.address
    backend = PostgresBackend(RagSettings(backend="postgres"), OfflineSwitch())
    try:
        await asyncio.to_thread(_measure, name, backend, chunks)
    finally:
        backend.close()
    sizes = [sum(file.stat().st_size for file in (server.folder / "base").rglob("*")) for server in servers]
    print(f"  files of the servers, MB: {', '.join(f'{size / 1e6:.0f}' for size in sizes)}", flush=True)


def _measure(name: str, backend: PostgresBackend, chunks: int) -> None:
    seconds = _put_in(backend, chunks // CHUNKS_OF_DOCUMENT)
    print(f"{name}: {chunks:,} chunks put in by one writer, {chunks / seconds:,.0f} a second", flush=True)
    print(f"  {backend.size() / chunks:,.0f} bytes a chunk, its share of text, vector and indexes with it", flush=True)
    vectors = VectorSearch(backend.database, COLLECTION, MODEL)
    words, generated = WordSearch(backend.database, vectors), Generated()
    texts = [" ".join(generated.document(number)[0].text.split()[:WORDS_OF_QUESTION]) for number in range(LOOK_UPS)]
    directions = generated.vectors([str(number).encode() for number in range(LOOK_UPS)])

    def by_words(number: int) -> float:
        began = time.monotonic()
        assert words.find_words(read_question(texts[number], ["en"]), PASSAGES, Filters()).chunks
        return time.monotonic() - began

    def by_meaning(number: int) -> float:
        vector, began = directions[str(number).encode()][0], time.monotonic()
        assert len(vectors.find_nearest(vector, PASSAGES, Filters(), [], False)) == PASSAGES
        return time.monotonic() - began

    for told, look_up in (("words", by_words), ("meaning, all compared", by_meaning)):
        print(f"  {PASSAGES} passages by {told}: {_times(look_up, 1)}", flush=True)
        print(f"  the same by {READERS} readers at once: {_times(look_up, READERS)}", flush=True)


def _put_in(backend: PostgresBackend, documents: int) -> float:
    """Seconds that it takes, without those in which they are generated."""
    generated, store, vectors, seconds = Generated(), backend.documents(COLLECTION), backend.vectors(MODEL), 0.0
    for first in range(0, documents, DOCUMENTS_AT_ONCE):
        block = [generated.document(number) for number in range(first, min(first + DOCUMENTS_AT_ONCE, documents))]
        made = generated.vectors([key for _, prepared in block for key in prepared.hashes])
        began = time.monotonic()
        vectors.keep_vectors(made)
        store.replace_documents(block)
        seconds += time.monotonic() - began
    return seconds


def _times(look_up: Callable[[int], float], readers: int) -> str:
    with ThreadPoolExecutor(readers) as threads:
        began = time.monotonic()
        times = sorted(threads.map(look_up, range(LOOK_UPS)))
    rate = LOOK_UPS / (time.monotonic() - began)
    p95 = times[int(len(times) * 0.95)]
    return f"{statistics.median(times) * 1e3:.1f} ms (p50), {p95 * 1e3:.1f} ms (p95), {rate:,.0f} a second"

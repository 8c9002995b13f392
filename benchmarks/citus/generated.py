"""What a Magpie does that puts generated chunks in or searches them: each runs in a process of its own."""

import asyncio
import random
import resource
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.sessions import Writer
from benchmarks.speed import DIMENSIONS, Directions
from rag.chunking.prepared import name_cut
from rag.documents import Chunk, Document, contextual_text, text_hash
from rag.library import Library
from rag.postgres.backend import PostgresBackend
from rag.search.search import Mode, SearchOptions
from rag.settings import RagSettings
from rag.stored import Prepared
from utils.network.offline import OfflineSwitch

SETTINGS = RagSettings(backend="postgres", collection="generated")
CHUNKS_OF_DOCUMENT, WORDS_OF_CHUNK, WORDS_OF_QUESTION = 10, 80, 7
COMMONEST = 100
"""Words that no question has: a search leaves out the stop words of a language."""
DOCUMENTS_AT_ONCE = 50
PASSAGES = 5


@dataclass(frozen=True)
class Done:
    """What a process has done."""

    seconds: Sequence[float]
    """Of each search, or of each group of documents."""
    chunks: int
    """That it put in."""
    work: float
    """Seconds of a processor that it took."""
    megabytes: float
    """Of memory that it had at most, resident."""


class Generated:
    """Documents of words by chance, cut into chunks, with vectors by chance."""

    def __init__(self, seed: int) -> None:
        self._writer = Writer()
        self._writer.rng = random.Random(seed)
        self._random = np.random.default_rng(seed)

    def document(self, number: int) -> tuple[Document, Prepared]:
        """One of them."""
        source, chunks, start = f"/generated/{number}", list[Chunk](), 0
        for ordinal in range(CHUNKS_OF_DOCUMENT):
            text = self._writer.text(WORDS_OF_CHUNK)
            chunks.append(Chunk(text, ordinal, start, start + len(text), ()))
            start += len(text) + 2
        document = Document(source, source, "\n\n".join(chunk.text for chunk in chunks), "file")
        hashes = [text_hash(contextual_text(source, (), chunk.text)) for chunk in chunks]
        return document, Prepared(chunks, hashes, {}, "en", name_cut(SETTINGS.chunk_shape))

    def vectors(self, hashes: Sequence[bytes]) -> dict[bytes, np.ndarray]:
        """One of length 1 for each."""
        made = self._random.standard_normal((len(hashes), 1, DIMENSIONS), np.float32)
        made /= np.linalg.norm(made, axis=2, keepdims=True)
        return dict(zip(hashes, made, strict=True))

    def question(self) -> str:
        """Some words."""
        rare = set(self._writer.words[:COMMONEST])
        words = (word for word in self._writer.text(20 * WORDS_OF_QUESTION).split() if word not in rare)
        return " ".join(word for word, _ in zip(words, range(WORDS_OF_QUESTION), strict=False))


def put_in(first: int, documents: int, seconds: float) -> Done:
    """Put in so many documents from a number on, or as many as the seconds are enough for."""
    backend = PostgresBackend(SETTINGS, OfflineSwitch())
    store, vectors = backend.documents(SETTINGS.collection), backend.vectors(Directions.fingerprint)
    generated, spent, done = Generated(first + 1), list[float](), 0
    work, end = time.process_time(), time.monotonic() + seconds
    while done < documents and (began := time.monotonic()) < end:
        count = min(DOCUMENTS_AT_ONCE, documents - done)
        block = [generated.document(number) for number in range(first + done, first + done + count)]
        vectors.keep_vectors(generated.vectors([key for _, prepared in block for key in prepared.hashes]))
        store.replace_documents(block)
        spent.append(time.monotonic() - began)
        done += count
    backend.close()
    return Done(spent, done * CHUNKS_OF_DOCUMENT, time.process_time() - work, _peak())


def search(mode: Mode, readers: int, seed: int, seconds: float) -> Done:
    """Search for so long, with so many searches at once."""

    async def ask() -> list[float]:
        with tempfile.TemporaryDirectory() as folder:
            library = await Library.open(Path(folder), SETTINGS, Directions())
            options, generated, spent = SearchOptions(mode, relevant_only=False), Generated(seed), list[float]()
            await library.search(generated.question(), PASSAGES, options)
            end = time.monotonic() + seconds

            async def ask_on() -> None:
                while (began := time.monotonic()) < end:
                    assert await library.search(generated.question(), PASSAGES, options)
                    spent.append(time.monotonic() - began)

            await asyncio.gather(*(ask_on() for _ in range(readers)))
            await library.close()
            return spent

    work = time.process_time()
    spent = asyncio.run(ask())
    return Done(spent, 0, time.process_time() - work, _peak())


def kept_chunks() -> int:
    """How many there are."""
    backend = PostgresBackend(SETTINGS, OfflineSwitch())
    counted = backend.documents(SETTINGS.collection).count_by_origin()
    backend.close()
    return sum(chunks for _, chunks in counted.values())


def drop_index() -> None:
    """Remove the index of the vectors: what is put in then need not be put into it."""
    backend = PostgresBackend(SETTINGS, OfflineSwitch())
    backend.indexes(SETTINGS.collection, Directions.fingerprint).discard()
    backend.close()


async def make_index() -> float:
    """Seconds that the index of the vectors takes."""
    with tempfile.TemporaryDirectory() as folder:
        library = await Library.open(Path(folder), SETTINGS, Directions())
        began = time.monotonic()
        await library.catch_up()
        spent = time.monotonic() - began
        await library.close()
    return spent


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

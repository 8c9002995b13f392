"""The library's facade: add, search, remove, rebuild, stats; it knows nothing of where documents come from."""

import asyncio
import contextlib
import hashlib
import logging
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rag.chunking import split
from rag.documents import Document, Origin, Passage
from rag.embedding import BATCH, Embedder, Vectors, whole
from rag.keeper import PATIENCE, IndexKeeper, State
from rag.ranking import collapse
from rag.settings import RagSettings
from rag.store import Store, StoredChunk
from rag.vectors import Hits
from utils.errors import LibraryError

log = logging.getLogger(__name__)

Report = Callable[[int, int], None]

# Seconds that a search waits for chunks that are not embedded yet, as after a change of the model.
EMBEDDING_WAIT = 2.0


# Chunks that are looked at for each passage wanted; more of them only where copies crowd out what is different.
CANDIDATES = (3, 12, 48)


@dataclass(frozen=True)
class LibraryStats:
    """What the library holds."""

    documents: int
    chunks: int
    origins: dict[Origin, tuple[int, int]]
    """Documents and chunks by origin."""
    bytes_on_disk: int
    embedding_model: str
    folder: Path
    index: State
    """Who holds the vector index: `ready` (this process), `building`, `elsewhere` or `not open`."""


class Library:
    """Documents in, passages out, for any number of processes on one folder."""

    def __init__(self, store: Store, keeper: IndexKeeper, settings: RagSettings, embedder: Embedder) -> None:
        self._store = store
        self._keeper = keeper
        self._settings = settings
        self._embedder = embedder
        self._tending: asyncio.Task[None] | None = None
        self._embedding: asyncio.Task[None] | None = None
        self._again = False

    @classmethod
    async def open(cls, data_dir: Path, settings: RagSettings, embedder: Embedder) -> "Library":
        """Open or begin the library in a folder, in some milliseconds; raises `LibraryError`."""

        def opened() -> "Library":
            store = Store(data_dir / "library.db", settings.collection)
            folder = (settings.chroma_db_path or data_dir / "chroma").expanduser().absolute()
            return cls(store, IndexKeeper(store, embedder.fingerprint, folder), settings, embedder)

        return await asyncio.to_thread(opened)

    async def add(self, document: Document, progress: Report | None = None) -> int:
        """Keep a document, in the place of an older one with its source; the number of chunks that this added.

        0 when nothing changed, or for a search result's snippet where the page itself is kept. `progress` is told
        chunks done and chunks in all. Raises `LibraryError`.
        """
        document = storable(document)
        if not await asyncio.to_thread(self._store.accepts, document):
            return 0
        shape = self._settings.chunk_shape
        measure = await self._embedder.counter() if shape.unit == "tokens" else None
        chunks = await asyncio.to_thread(split, document.text, document.media_type, shape, measure)
        texts = [chunk.text for chunk in chunks]
        await self._embed(texts, progress)
        added = await asyncio.to_thread(self._store.replace, document, chunks, [text_hash(text) for text in texts])
        self._tend()
        return added

    async def search(self, query: str, limit: int = 0, *, min_similarity: float | None = None) -> list[Passage]:
        """The passages nearest in meaning, best first, near-duplicates once; `limit` 0: the setting `top_k`.

        `min_similarity` is a cosine, None: the setting. Raises `LibraryError`.
        """
        limit = limit or self._settings.top_k
        floor = self._settings.min_similarity if min_similarity is None else min_similarity
        vector = (await self._embedder.embed([query]))[0]
        found: list[Passage] = []
        for count in (limit * factor for factor in CANDIDATES):
            hits = await self._nearest(vector, count)
            known = await asyncio.to_thread(self._store.chunks, [chunk for chunk, _ in hits])
            passages = [passage_of(known[chunk], score) for chunk, score in hits if chunk in known and score >= floor]
            found = collapse(passages)[:limit]
            if len(found) == limit or len(hits) < count or hits[-1][1] < floor:
                break
        return found

    async def _nearest(self, vector: Vectors, count: int) -> Hits:
        hits = await asyncio.to_thread(self._keeper.search, vector, count)
        self._tend()
        if self._keeper.behind:
            await asyncio.wait({self._embed_behind()}, timeout=EMBEDDING_WAIT)
            hits = await asyncio.to_thread(self._keeper.search, vector, count)
        return hits

    async def remove(self, source: str) -> int:
        """Remove by source, by a folder or the beginning of an address, or by title; the number of documents.

        Raises `LibraryError` when several documents have that title.
        """
        if not source:
            return 0
        known = await asyncio.to_thread(self._store.sources)
        doomed = [source] if any(name == source for name, _ in known) else []
        doomed = doomed or [name for name, _ in known if name.startswith(source.rstrip("/") + "/")]
        if not doomed:
            doomed = [name for name, title in known if title.casefold() == source.casefold()]
            if len(doomed) > 1:
                raise LibraryError(
                    f"{len(doomed)} documents have the title {source!r}.", f"Name one of: {', '.join(doomed[:5])}."
                )
        removed = await asyncio.to_thread(self._store.delete, doomed)
        if removed:
            self._tend()
        return removed

    async def rebuild(self, progress: Report | None = None) -> int:
        """Throw the vector index away and make it anew from library.db; the number of chunks in it.

        Only texts that this embedding model has never seen are embedded. Where another process owns the index, that
        process makes it anew as soon as it is used. Raises `LibraryError`.
        """
        await asyncio.to_thread(self._store.order_rebuild)
        await self._embed_missing(progress)
        await asyncio.to_thread(self._keeper.tend)
        return (await self.stats()).chunks

    async def stats(self) -> LibraryStats:
        """What the library holds, and where."""
        counts = await asyncio.to_thread(self._store.counts)
        return LibraryStats(
            documents=sum(documents for documents, _ in counts.values()),
            chunks=sum(chunks for _, chunks in counts.values()),
            origins=counts,
            bytes_on_disk=await asyncio.to_thread(size_on_disk, self._store.path, self._keeper.folder),
            embedding_model=self._settings.embedding_model,
            folder=self._store.path.parent,
            index=self._keeper.state,
        )

    async def titles(self, limit: int = 200) -> list[str]:
        """Titles of documents, newest first."""
        known = await asyncio.to_thread(self._store.sources)
        return list(dict.fromkeys(title for _, title in known))[:limit]

    async def surroundings(self, passage: Passage, characters: int = 800) -> str:
        """The passage with about so many characters of its document around it; itself where that is gone."""
        document = await self.document(passage.source)
        if document is None:
            return passage.text
        start = int(passage.metadata.get("start", 0))
        if not document.text.startswith(passage.text, start):
            start = document.text.find(passage.text)
        if start < 0:
            return passage.text
        half = max(0, characters // 2)
        return document.text[max(0, start - half) : start + len(passage.text) + half].strip()

    async def document(self, source: str) -> Document | None:
        """The document with this source, its whole text in it."""
        return await asyncio.to_thread(self._store.document, source)

    async def empty(self) -> bool:
        """Whether nothing is kept yet."""
        return await asyncio.to_thread(self._store.empty)

    async def close(self) -> None:
        """Finish the work on the index and let go of every file."""
        self._keeper.hurry()
        if self._tending:
            await asyncio.wait({self._tending}, timeout=PATIENCE)
        for task in (self._tending, self._embedding):
            if task is not None:
                task.cancel()
        await asyncio.to_thread(self._keeper.close)
        await asyncio.to_thread(self._store.close)

    async def _embed(self, texts: Sequence[str], progress: Report | None) -> None:
        """See to it that every text has its vector in library.db."""
        hashes = {text_hash(text): text for text in texts}
        missing = await asyncio.to_thread(self._store.without_vector, self._embedder.fingerprint, list(hashes))
        todo = {key: text for key, text in hashes.items() if key in missing}
        await self._embed_new(todo, progress, len(texts))

    async def _embed_missing(self, progress: Report | None = None) -> None:
        todo = await asyncio.to_thread(self._store.not_embedded, self._embedder.fingerprint)
        await self._embed_new(todo, progress, len(todo))

    async def _embed_new(self, todo: dict[bytes, str], progress: Report | None, total: int) -> None:
        keys = list(todo)
        done = total - len(keys)
        for start in range(0, len(keys), BATCH):
            block = keys[start : start + BATCH]
            vectors = await self._embedder.embed_pieces([todo[key] for key in block])
            kept = dict(zip(block, vectors, strict=True))
            await asyncio.to_thread(self._store.keep_vectors, self._embedder.fingerprint, kept)
            done += len(block)
            if progress and done < total:
                progress(done, total)
        if progress:
            progress(total, total)

    def _tend(self) -> None:
        """Look after the index in the background, once more if that is already being done."""
        self._again = True
        if self._tending is None or self._tending.done():
            self._tending = asyncio.create_task(self._keep_tending())

    async def _keep_tending(self) -> None:
        while self._again:
            self._again = False
            await asyncio.to_thread(self._keeper.tend)
            if self._keeper.behind:
                await asyncio.wait({self._embed_behind()})
                await asyncio.to_thread(self._keeper.tend)

    def _embed_behind(self) -> asyncio.Task[None]:
        """Embed in the background what has no vector of this model, unless that is already being done."""
        if self._embedding is None or self._embedding.done():
            self._embedding = asyncio.create_task(self._embed_quietly())
        return self._embedding

    async def _embed_quietly(self) -> None:
        try:
            await self._embed_missing()
        except LibraryError as error:
            # Whoever asks the library something meets the same trouble, and is told.
            log.warning("Chunks could not be embedded: %s", error)


def text_hash(text: str) -> bytes:
    """SHA-256 of the text that is embedded."""
    return hashlib.sha256(text.encode()).digest()


def storable(document: Document) -> Document:
    """The document with lone surrogates, which UTF-8 cannot hold, replaced."""
    return replace(
        document,
        source=whole(document.source),
        title=whole(document.title),
        text=whole(document.text),
        fetched=whole(document.fetched),
    )


def passage_of(chunk: StoredChunk, similarity: float) -> Passage:
    """The chunk as a search hands it out."""
    return Passage(
        text=chunk.text,
        source=chunk.source,
        title=chunk.title,
        origin=chunk.origin,
        chunk_index=chunk.index,
        total_chunks=chunk.total,
        similarity=similarity,
        fetched=chunk.fetched,
        metadata={"start": str(chunk.start), "end": str(chunk.end), "media_type": chunk.media_type},
    )


def size_on_disk(database: Path, index: Path) -> int:
    """Bytes of library.db with its side files, and of the index, which may be replaced at any moment."""
    files = [*database.parent.glob(database.name + "*")]
    files += [Path(folder, name) for folder, _, names in os.walk(index) for name in names]
    size = 0
    for path in files:
        with contextlib.suppress(FileNotFoundError):
            size += path.stat().st_size
    return size

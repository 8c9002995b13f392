"""One collection at work: documents are cut, embedded and kept, and its indexes looked after."""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from rag.backend import Answering, LibraryBackend, State, StoredVectors
from rag.chunking.kept_shape import KeptShape
from rag.chunking.prepared import cut_document, cut_documents, name_cut
from rag.documents import Document, Origin
from rag.embedding.base import EmbeddedTexts, LibraryEmbedder
from rag.indexes.index_owner import BUILD_PATIENCE_SECONDS
from rag.settings import RagSettings
from rag.stored import Prepared
from utils.errors import EmbedderUnavailable, LibraryError
from utils.faults import in_background

log = logging.getLogger(__name__)

Report = Callable[[int, int], None]

# Seconds that a search waits for chunks that are not embedded yet, as after a change of the model.
EMBEDDING_WAIT = 2.0
# Seconds from a search to a look after the indexes: looking takes time from the searches that follow, and to open
# Chroma takes a second, in which a process that asks once has its answer and is gone.
TENDING = 0.5
# While documents come one after the other, the indexes are looked after a fifth of the time: a look takes as long as
# taking in several documents, and searches find what the indexes do not have yet. Seconds between two looks at most.
TENDING_REST, LONGEST_TENDING_REST = 4, 10.0
# Documents that are cut anew between two looks at what else there is to do.
CUT_AT_ONCE = 20
KEPT_AT_ONCE = 100
"""Documents that are kept in one transaction, for which others that write have to wait."""


@dataclass(frozen=True)
class LibraryStats:
    """What a collection holds."""

    documents: int
    chunks: int
    origins: dict[Origin, tuple[int, int]]
    """Documents and chunks by origin."""
    bytes_on_disk: int
    embedding_model: str
    folder: Path
    index: State
    """Who holds the indexes that are needed here: `ready` (this process), `building`, `elsewhere` or `not open`."""
    answering: Answering
    """Which index answers a search by meaning."""


class OpenCollection:
    """A collection with its indexes."""

    def __init__(
        self,
        backend: LibraryBackend,
        collection: str,
        embedder: LibraryEmbedder,
        settings: RagSettings,
        shape: KeptShape,
    ) -> None:
        self.store = backend.documents(collection)
        self.keeper = backend.indexes(collection, embedder.fingerprint)
        self._shape = shape
        self._keep_days = 0 if settings.read_only else settings.web_keep_days
        self.fingerprint = embedder.fingerprint
        self.vectors = backend.vectors(embedder.fingerprint)
        self._embedder = embedder
        self.embeds_alone = True
        """Whether what has no vector is embedded in the background; not where the user has to agree first."""
        self.tell_trouble: Callable[[EmbedderUnavailable], None] = lambda error: None
        """Is told why texts are kept that have no vectors yet."""
        self._tending: asyncio.Task[None] | None = None
        self._embedding: asyncio.Task[None] | None = None
        self._again = False
        self._soon: asyncio.TimerHandle | None = None
        self._hurry = asyncio.Event()
        """Set while somebody waits for the indexes."""

    async def add(
        self, documents: Sequence[Document], progress: Report | None, embedded: EmbeddedTexts | None = None
    ) -> list[int]:
        """Keep documents, embedded together but for what is `embedded`; for each the number of chunks it added."""
        # Of several documents with one source the last one is kept.
        latest = {document.source: document for document in documents}
        accepted = await asyncio.to_thread(self.store.accepted_sources, list(latest.values()))
        prepared = await cut_documents([latest[source] for source in latest if source in accepted], self._shape)
        texts = {key: text for cut in prepared.values() for key, text in cut.texts.items()}
        if embedded:
            await self._take(texts, embedded)
        await self._embed_added(texts, sum(len(cut.chunks) for cut in prepared.values()), progress)
        self.keeper.writes = True
        added = await asyncio.to_thread(self._keep, latest, prepared)
        self.tend_indexes()
        return [added.pop(document.source, 0) for document in reversed(documents)][::-1]

    def _keep(self, documents: Mapping[str, Document], prepared: Mapping[str, Prepared]) -> dict[str, int]:
        """Keep what was prepared of documents, and note that the others were met; what was added, by source."""
        met = [document for source, document in documents.items() if source not in prepared]
        for start in range(0, len(met), KEPT_AT_ONCE):
            self.store.touch_documents(met[start : start + KEPT_AT_ONCE])
        added: dict[str, int] = {}
        cut = [(documents[source], one) for source, one in prepared.items()]
        for start in range(0, len(cut), KEPT_AT_ONCE):
            block = cut[start : start + KEPT_AT_ONCE]
            chunks = self.store.replace_documents(block)
            added.update(zip((document.source for document, _ in block), chunks, strict=True))
        return added

    async def remove_sources(self, sources: Sequence[str]) -> int:
        """Remove documents; how many there were."""
        removed = await asyncio.to_thread(self.store.delete_documents, sources) if sources else 0
        if removed:
            self.keeper.writes = True
            self.tend_indexes()
        return removed

    async def _take(self, texts: Mapping[bytes, str], embedded: EmbeddedTexts) -> None:
        """Keep what was embedded of the texts and has no vector yet."""
        missing = await asyncio.to_thread(self.vectors.missing_hashes, list(texts))
        if ready := embedded.of(self.fingerprint, missing):
            await asyncio.to_thread(self.vectors.keep_vectors, ready)

    async def _embed_texts(self, texts: Mapping[bytes, str], total: int, progress: Report | None) -> None:
        missing = await asyncio.to_thread(self.vectors.missing_hashes, list(texts))
        await self._embed_new({key: text for key, text in texts.items() if key in missing}, total, progress)

    async def _embed_added(self, texts: Mapping[bytes, str], total: int, progress: Report | None) -> None:
        """Embed what is about to be kept; where a server cannot do that now, it is kept and embedded later."""
        try:
            await self._embed_texts(texts, total, progress)
        except EmbedderUnavailable as error:
            if not self._embedder.served:
                raise
            self.tell_trouble(error)

    async def embed_missing(self, progress: Report | None = None) -> None:
        """Embed what has no vector of this model yet."""
        todo = await asyncio.to_thread(self.vectors.not_embedded, self.store.collection)
        self.keeper.writes |= bool(todo)
        await self._embed_new(todo, len(todo), progress)

    async def _embed_new(self, todo: dict[bytes, str], total: int, progress: Report | None) -> None:
        await keep_new_vectors(self._embedder, self.vectors, todo, total, progress)

    async def rebuild(self, progress: Report | None) -> None:
        """Make the indexes anew, after what another chunker cut or another model embedded."""
        await self.cut_all_anew()
        self.keeper.writes = True
        await asyncio.to_thread(self.keeper.order_rebuild)
        await self.embed_missing(progress)
        await asyncio.to_thread(self.keeper.tend_indexes)

    async def open_indexes(self, meaning: bool) -> None:
        """Open those indexes that open at once and that a search needs, for one by words alone without `meaning`."""
        if not self.keeper.is_opened(meaning):
            await asyncio.to_thread(self.keeper.open_indexes, meaning)

    def tend_indexes(self) -> None:
        """Look after the indexes in the background, once more if that is already being done."""
        self._again = True
        if self._tending is None or self._tending.done():
            self._tending = in_background(self._keep_tending(), "Looking after the indexes")

    def tend_soon(self) -> None:
        """Look after the indexes in a moment: not after every search, and not at all where there is but one."""
        if self._soon is None or self._soon.when() < asyncio.get_running_loop().time():
            self._soon = asyncio.get_running_loop().call_later(TENDING, self.tend_indexes)

    async def wait_until_tended(self) -> None:
        """Wait until the work in the background is done, that which was put off for a moment too."""
        if self._soon is not None and self._soon.when() > asyncio.get_running_loop().time():
            self._soon.cancel()
            self._soon = None
            self.tend_indexes()
        if self._tending is not None:
            self._hurry.set()
            await asyncio.wait({self._tending})
            self._hurry.clear()

    async def _keep_tending(self) -> None:
        while self._again:
            self._again, began = False, time.monotonic()
            await asyncio.to_thread(self._forget_expired)
            await asyncio.to_thread(self.keeper.tend_indexes)
            await self._cut_anew()
            if self.keeper.behind and self.embeds_alone:
                await asyncio.wait({self._embed_behind()})
                await asyncio.to_thread(self.keeper.tend_indexes)
            if self._again:
                await self._rest(min(TENDING_REST * (time.monotonic() - began), LONGEST_TENDING_REST))

    async def _rest(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._hurry.wait()

    def _forget_expired(self) -> None:
        """Forget what the web said long ago and nobody cited; once, by the process that owns the indexes."""
        if self._keep_days and self.keeper.try_to_own():
            try:
                self.keeper.writes |= bool(self.store.delete_documents(self.store.expired_sources(self._keep_days)))
            except LibraryError as error:
                # Whoever asks the library something meets the same trouble, and is told.
                log.warning("Old pages could not be forgotten: %s", error)
            self._keep_days = 0

    async def cut_all_anew(self) -> None:
        """Cut every document anew that was cut by something else than is set now."""
        while await self._cut_some():
            pass

    @property
    def cuts_alone(self) -> bool:
        """Whether documents may be cut anew without a word of the user: not where their texts would be sent away."""
        return not self._embedder.host

    async def _cut_anew(self) -> None:
        """The same in the background, by the process that owns the indexes."""
        if not self.cuts_alone:
            return
        try:
            while self.keeper.try_to_own() and await self._cut_some():
                await asyncio.to_thread(self.keeper.tend_indexes)
        except LibraryError as error:
            # Whoever asks the library something meets the same trouble, and is told.
            log.warning("Documents could not be cut anew: %s", error)

    async def _cut_some(self) -> bool:
        if await asyncio.to_thread(self.store.is_empty):
            return False
        shape = await self._shape.find()
        sources = await asyncio.to_thread(self.store.cut_otherwise, name_cut(shape), CUT_AT_ONCE)
        self.keeper.writes |= bool(sources)
        measure = await self._shape.make_measure(shape) if sources else None
        for source in sources:
            document = await asyncio.to_thread(self.store.find_document, source)
            if document is not None:
                cut = await asyncio.to_thread(cut_document, document, shape, measure)
                if self.embeds_alone:
                    await self._embed_texts(cut.texts, len(cut.chunks), None)
                await asyncio.to_thread(self.store.cut_anew, source, cut)
        return bool(sources)

    async def wait_embedded(self) -> None:
        """Wait a moment for what is not embedded yet."""
        if not self.embeds_alone:
            return
        await asyncio.wait({self._embed_behind()}, timeout=EMBEDDING_WAIT)

    def _embed_behind(self) -> asyncio.Task[None]:
        """Embed in the background what has no vector of this model, unless that is already being done."""
        if self._embedding is None or self._embedding.done():
            # Whoever asks the library something meets the same trouble, and is told.
            self._embedding = in_background(self.embed_missing(), "Embedding chunks")
        return self._embedding

    async def close(self) -> None:
        """Finish the work on the indexes and let go of every file."""
        self._hurry.set()
        self.keeper.hurry_builds()
        if self._soon:
            self._soon.cancel()
        if self._tending:
            await asyncio.wait({self._tending}, timeout=BUILD_PATIENCE_SECONDS)
        for task in (self._tending, self._embedding):
            if task is not None:
                task.cancel()
        await asyncio.to_thread(self.keeper.close)


async def keep_new_vectors(
    embedder: LibraryEmbedder, vectors: StoredVectors, todo: Mapping[bytes, str], total: int, progress: Report | None
) -> None:
    """Embed texts, by their hashes, and keep each batch; `total` are the chunks that `progress` counts up to."""
    keys = list(todo)
    done = total - len(keys)
    for start in range(0, len(keys), embedder.batch):
        block = keys[start : start + embedder.batch]
        made = await embedder.embed_pieces([todo[key] for key in block])
        await asyncio.to_thread(vectors.keep_vectors, dict(zip(block, made, strict=True)))
        done += len(block)
        if progress and done < total:
            progress(done, total)
    if progress:
        progress(total, total)

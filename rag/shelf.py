"""One collection at work: documents are cut, embedded and kept, and candidates for a question are found."""

import asyncio
import logging
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rag.chunking import split
from rag.collections import Collections
from rag.database import Database
from rag.documents import CHUNKER, Document, contextual, text_hash
from rag.embedding import BATCH, Embedder, Vectors
from rag.feed import Feed, Filters
from rag.keeper import PATIENCE, Folders, IndexKeeper
from rag.search import Candidate, Wording
from rag.settings import RagSettings
from rag.store import Prepared, Store
from rag.vector_store import VectorStore
from rag.words import DEFAULT, detect_language, query_terms
from utils.errors import LibraryError

log = logging.getLogger(__name__)

Report = Callable[[int, int], None]

# Seconds that a search waits for chunks that are not embedded yet, as after a change of the model.
EMBEDDING_WAIT = 2.0
# Seconds from a search to a look after the indexes: looking takes time from the searches that follow, and to open
# Chroma takes a second, in which a process that asks once has its answer and is gone.
TENDING = 0.5
# Documents that are cut anew between two looks at what else there is to do.
CUT_AT_ONCE = 20
# Keyword hits that are looked through where only some documents are wanted.
FILTERED = 10_000


@dataclass(frozen=True)
class Question:
    """What is looked for: its words, and its vector where meaning counts."""

    text: str
    vector: Vectors | None
    depth: int
    """Candidates that each side names."""
    filters: Filters


class Shelf:
    """A collection with its indexes."""

    def __init__(
        self, database: Database, folders: Folders, collection: str, embedder: Embedder, settings: RagSettings
    ) -> None:
        self.store = Store(database, collection)
        self.feed = Feed(database, collection)
        self.keeper = IndexKeeper(database, collection, embedder.fingerprint, folders)
        self.shape = Collections(database).shape(collection) or settings.chunk_shape
        self._keep_days = settings.web_keep_days
        self.fingerprint = embedder.fingerprint
        self._vectors = VectorStore(database, embedder.fingerprint)
        self._embedder = embedder
        self._tending: asyncio.Task[None] | None = None
        self._embedding: asyncio.Task[None] | None = None
        self._again = False
        self._soon: asyncio.TimerHandle | None = None

    async def add(self, documents: Sequence[Document], progress: Report | None) -> list[int]:
        """Keep documents, embedded together; for each the number of chunks that this added."""
        wanted = [document for document in documents if await asyncio.to_thread(self.store.accepts, document)]
        prepared = {document.source: await self._cut(document) for document in wanted}
        texts = {key: text for cut in prepared.values() for key, text in cut.texts.items()}
        await self._embed(texts, sum(len(cut.chunks) for cut in prepared.values()), progress)
        added: list[int] = []
        for document in documents:
            if cut := prepared.get(document.source):
                added.append(await asyncio.to_thread(self.store.replace, document, cut))
            else:
                await asyncio.to_thread(self.store.touch, document)
                added.append(0)
        self.tend()
        return added

    async def remove(self, sources: Sequence[str]) -> int:
        """Remove documents; how many there were."""
        removed = await asyncio.to_thread(self.store.delete, sources) if sources else 0
        if removed:
            self.tend()
        return removed

    async def _cut(self, document: Document) -> Prepared:
        measure = await self._embedder.counter() if self.shape.unit == "tokens" else None
        chunks = await asyncio.to_thread(split, document.text, document.media_type, self.shape, measure)
        language = await asyncio.to_thread(detect_language, document.text)
        texts = [contextual(document.title, chunk.heading, chunk.text) for chunk in chunks]
        hashes = [text_hash(text) for text in texts]
        return Prepared(chunks, hashes, dict(zip(hashes, texts, strict=True)), language, self.chunker)

    @property
    def chunker(self) -> str:
        """Names what cuts the documents; a document that something else cut is cut anew."""
        return f"{CHUNKER} {self.shape.size}/{self.shape.overlap} {self.shape.unit}"

    async def _embed(self, texts: Mapping[bytes, str], total: int, progress: Report | None) -> None:
        missing = await asyncio.to_thread(self._vectors.missing, list(texts))
        await self._embed_new({key: text for key, text in texts.items() if key in missing}, total, progress)

    async def embed_missing(self, progress: Report | None = None) -> None:
        """Embed what has no vector of this model yet."""
        todo = await asyncio.to_thread(self._vectors.not_embedded, self.store.collection)
        await self._embed_new(todo, len(todo), progress)

    async def _embed_new(self, todo: dict[bytes, str], total: int, progress: Report | None) -> None:
        keys = list(todo)
        done = total - len(keys)
        for start in range(0, len(keys), BATCH):
            block = keys[start : start + BATCH]
            vectors = await self._embedder.embed_pieces([todo[key] for key in block])
            await asyncio.to_thread(self._vectors.keep, dict(zip(block, vectors, strict=True)))
            done += len(block)
            if progress and done < total:
                progress(done, total)
        if progress:
            progress(total, total)

    async def open(self, meaning: bool) -> None:
        """Open those indexes that open at once and that a search needs, for one by words alone without `meaning`."""
        if not self.keeper.opened(meaning):
            await asyncio.to_thread(self.keeper.open, meaning)

    async def candidates(self, question: Question) -> list[Candidate]:
        """What words and meaning find of a question."""
        found, lacking = await asyncio.to_thread(self._candidates, question)
        self._tend_soon()
        if lacking:
            await asyncio.wait({self._embed_behind()}, timeout=EMBEDDING_WAIT)
            found, _ = await asyncio.to_thread(self._candidates, question)
        return found

    def _candidates(self, question: Question) -> tuple[list[Candidate], bool]:
        """What is found, and whether a chunk could not be, as it is not embedded yet."""
        self.keeper.open(question.vector is not None)
        allowed = set(self.feed.matching(question.filters)) if question.filters else None
        words = query_terms(question.text, self.store.languages() or [DEFAULT])
        chunks, documents, rarity = self._by_words(words, question.depth, allowed)
        cosines, lacking = self._by_meaning(question, chunks, allowed)
        # The documents of all that was found, and of the first chunks by which whole documents were.
        owners = self.feed.documents(list({*chunks, *cosines, *documents}))
        whole = {owners[key]: score for key, score in documents.items() if key in owners}
        wording = Wording(question.text, rarity)
        candidates = [
            Candidate(
                key,
                self.store.collection,
                cosines.get(key, math.nan),
                chunks.get(key, math.nan),
                whole.get(owners[key], math.nan),
                wording,
                self.feed.chunks,
            )
            for key in {**chunks, **cosines}
            if key in owners
        ]
        return candidates, lacking

    def _by_words(
        self, words: list[str], depth: int, allowed: set[int] | None
    ) -> tuple[dict[int, float], dict[int, float], dict[str, float]]:
        """BM25 of chunks, of documents by their first chunks, and how rare each word is."""
        deep = depth if allowed is None else FILTERED
        (chunks, documents, rarity), _ = self.keeper.keywords.ask(
            lambda index: (
                index.chunks.query(words, deep),
                index.documents.query(words, deep),
                index.chunks.rarity(words),
            )
        )
        passing = [(key, score) for key, score in chunks if allowed is None or key in allowed]
        return dict(passing[:depth]), dict(documents), rarity

    def _by_meaning(
        self, question: Question, found: Mapping[int, float], allowed: set[int] | None
    ) -> tuple[dict[int, float], bool]:
        """Cosines of the nearest chunks, and of those that words have found; whether a chunk has no vector yet."""
        if question.vector is None:
            return {}, False
        vector = question.vector
        if allowed is not None:
            near = self._cosines(vector, sorted(allowed))
            best = sorted(near, key=lambda key: -near[key])[: question.depth]
            return {key: near[key] for key in {*best, *found} if key in near}, len(near) < len(allowed)
        hits, lacking = self.keeper.vectors.ask(lambda index: index.query(vector, question.depth))
        nearest = dict(hits)
        # The cosines of an index are near the truth, those of the kept vectors are the truth.
        return nearest | self._cosines(vector, list({*nearest, *found})), lacking

    def _cosines(self, vector: Vectors, chunks: Sequence[int]) -> dict[int, float]:
        """Of the chunks that are embedded, from the matrix unless it would have to be read for that."""
        matrix = self.keeper.matrix
        known = matrix.ask(lambda index: index.cosines(vector, chunks))[0] if matrix.used else {}
        missing = [chunk for chunk in chunks if chunk not in known]
        return {**known, **(self._vectors.similarities(vector, missing) if missing else {})}

    def tend(self) -> None:
        """Look after the indexes in the background, once more if that is already being done."""
        self._again = True
        if self._tending is None or self._tending.done():
            self._tending = asyncio.create_task(self._keep_tending())

    def _tend_soon(self) -> None:
        """Look after the indexes in a moment: not after every search, and not at all where there is but one."""
        if self._soon is None or self._soon.when() < asyncio.get_running_loop().time():
            self._soon = asyncio.get_running_loop().call_later(TENDING, self.tend)

    async def rest(self) -> None:
        """Wait until the work in the background is done."""
        if self._tending is not None:
            await asyncio.wait({self._tending})

    async def _keep_tending(self) -> None:
        while self._again:
            self._again = False
            await asyncio.to_thread(self._forget_expired)
            await asyncio.to_thread(self.keeper.tend)
            await self._cut_anew()
            if self.keeper.behind:
                await asyncio.wait({self._embed_behind()})
                await asyncio.to_thread(self.keeper.tend)

    def _forget_expired(self) -> None:
        """Forget what the web said long ago and nobody cited; once, by the process that owns the indexes."""
        if self._keep_days and self.keeper.own():
            try:
                self.store.delete(self.store.expired(self._keep_days))
            except LibraryError as error:
                # Whoever asks the library something meets the same trouble, and is told.
                log.warning("Old pages could not be forgotten: %s", error)
            self._keep_days = 0

    async def cut_all_anew(self) -> None:
        """Cut every document anew that was cut by something else than is set now."""
        while await self._cut_some():
            pass

    async def _cut_anew(self) -> None:
        """The same in the background, by the process that owns the indexes."""
        try:
            while self.keeper.own() and await self._cut_some():
                await asyncio.to_thread(self.keeper.tend)
        except LibraryError as error:
            # Whoever asks the library something meets the same trouble, and is told.
            log.warning("Documents could not be cut anew: %s", error)

    async def _cut_some(self) -> bool:
        sources = await asyncio.to_thread(self.store.cut_otherwise, self.chunker, CUT_AT_ONCE)
        for source in sources:
            document = await asyncio.to_thread(self.store.document, source)
            if document is not None:
                cut = await self._cut(document)
                await self._embed(cut.texts, len(cut.chunks), None)
                await asyncio.to_thread(self.store.cut_anew, source, cut)
        return bool(sources)

    def _embed_behind(self) -> asyncio.Task[None]:
        """Embed in the background what has no vector of this model, unless that is already being done."""
        if self._embedding is None or self._embedding.done():
            self._embedding = asyncio.create_task(self._embed_quietly())
        return self._embedding

    async def _embed_quietly(self) -> None:
        try:
            await self.embed_missing()
        except LibraryError as error:
            # Whoever asks the library something meets the same trouble, and is told.
            log.warning("Chunks could not be embedded: %s", error)

    async def close(self) -> None:
        """Finish the work on the indexes and let go of every file."""
        self.keeper.hurry()
        if self._soon:
            self._soon.cancel()
        if self._tending:
            await asyncio.wait({self._tending}, timeout=PATIENCE)
        for task in (self._tending, self._embedding):
            if task is not None:
                task.cancel()
        await asyncio.to_thread(self.keeper.close)

"""The library's facade: add, search, remove, rebuild, stats; it knows nothing of where documents come from."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from rag.answering_model import AnsweringModel
from rag.backend import LibraryBackend
from rag.backends import open_backend
from rag.catalogue import Catalogue
from rag.collection import LibraryStats, OpenCollection, Report
from rag.doctor import Diagnosis, examine_library
from rag.documents import Chunk, Document, Passage, cut_surroundings
from rag.embedding.base import EmbeddedTexts, LibraryEmbedder
from rag.embedding.language_advice import ForeignText
from rag.model_change import EmbeddingContext
from rag.search.candidates import Question, look_up, make_questions
from rag.search.reranking import Reranking
from rag.search.search import SEARCH_DEPTH, Candidates, SearchOptions, select_passages
from rag.search.selection import join_neighbours
from rag.settings import RagSettings
from rag.shelves import Cutting, Shelves
from rag.stored import Collection, DocumentEntry, make_storable
from rag.watching.file_documents import FileDocuments
from utils.errors import EmbedderUnavailable, LibraryError

_WRITABLE = "Start without --private, and set private and rag.read_only to false."
# Questions that are embedded together where many are asked.
QUERIES = 256
# A search is made so often at most: one during which chunks were removed may have missed those that took their place.
TRIES = 3


class Library:
    """Documents in, passages out, for any number of processes on one folder; no name means the settings' collection."""

    def __init__(
        self,
        backend: LibraryBackend,
        data_dir: Path,
        settings: RagSettings,
        model: AnsweringModel,
        reranking: Reranking | None = None,
    ) -> None:
        self._backend = backend
        self._data_dir = data_dir
        self._settings = settings
        self._model = model
        self._reranking = reranking
        self.foreign_text = ForeignText(model.wanted)
        """What knows whether the model reads the language of what is indexed."""
        self.catalogue = Catalogue(backend.listing())
        """What is in it, by the page and by name."""
        self._collections = backend.collections()
        self._shelves = Shelves(backend, settings, model)
        self.cutting = Cutting(self._shelves, self._collections, model)
        """How its collections are cut."""

    @classmethod
    async def open(
        cls,
        data_dir: Path,
        settings: RagSettings,
        embedder: LibraryEmbedder,
        reranking: Reranking | None = None,
        context: EmbeddingContext = EmbeddingContext(),
    ) -> "Library":
        """Open or begin the library in a folder, in some milliseconds; raises `LibraryError`."""

        loop = asyncio.get_running_loop()

        def tell(said: str) -> None:
            loop.call_soon_threadsafe(context.tell, said)

        def open_now() -> "Library":
            backend = open_backend(data_dir, settings, context.network, tell)
            model = AnsweringModel(backend, embedder, context, settings.read_only)
            return cls(backend, data_dir, settings, model, reranking)

        library = await asyncio.to_thread(open_now)
        await library._shelf()
        return library

    @property
    def read_only(self) -> bool:
        """Whether nothing can be added."""
        return self._settings.read_only

    async def _shelf(self, collection: str = "") -> OpenCollection:
        return await self._shelves.open_shelf(collection)

    async def add(self, document: Document, progress: Report | None = None, *, collection: str = "") -> int:
        """Keep a document, in the place of an older one with its source; the number of chunks that this added.

        0 when nothing changed, or for a search result's snippet where the page itself is kept. `progress` is told
        chunks done and chunks in all. Raises `LibraryError`.
        """
        [added] = await self.add_all([document], progress, collection=collection)
        return added

    async def add_all(
        self,
        documents: Sequence[Document],
        progress: Report | None = None,
        *,
        collection: str = "",
        embedded: EmbeddedTexts | None = None,
    ) -> list[int]:
        """Keep several documents, for each the number of chunks that this added; faster than one by one.

        What is `embedded` already, by the library's model, is not embedded again.
        """
        if self.read_only:
            raise LibraryError("Nothing can be added: this run is private, or the library only read.", _WRITABLE)
        async with self._shelves.in_use():
            await self._model.note_made()
            shelf = await self._shelf(collection)
            return await shelf.add([make_storable(document) for document in documents], progress, embedded)

    async def catch_up(self, collection: str = "") -> None:
        """Wait until the indexes that this process holds have all that was added, Chroma as well; `close` gives up
        after some seconds.
        """
        await asyncio.to_thread((await self._shelf(collection)).keeper.tend_indexes)

    async def search(self, query: str, limit: int = 0, options: SearchOptions | None = None) -> list[Passage]:
        """The passages nearest to a question, best first, near-duplicates once; `limit` 0: the setting `top_k`.

        Raises `LibraryError` and, where a search goes by meaning, `EmbedderUnavailable`.
        """
        [passages] = [found async for found in self.search_all([query], limit, options)]
        return passages

    async def search_all(
        self, queries: Sequence[str], limit: int = 0, options: SearchOptions | None = None
    ) -> AsyncGenerator[list[Passage], None]:
        """The passages nearest to each of several questions, in their order; faster than one by one."""
        options = options or SearchOptions()
        limit, mode = limit or self._settings.top_k, options.mode or self._settings.search_mode
        options, depth = replace(options, mode=mode), max(SEARCH_DEPTH, 3 * limit)
        async with self._shelves.in_use():
            shelves = [await self._shelf(name) for name in options.collections or ("",)]
            make = partial(make_questions, self._model.embedder, depth=depth, mode=mode, filters=options.filters)
            also = make(options.also)
            for start in range(0, len(queries), QUERIES):
                for question in make(queries[start : start + QUERIES]):
                    yield await self._find_somehow(shelves, [question, *also], limit, options)

    async def _find_somehow(
        self, shelves: Sequence[OpenCollection], wordings: Sequence[Question], limit: int, options: SearchOptions
    ) -> list[Passage]:
        """The passages; by words alone, and that is said, where a server cannot embed the question."""
        try:
            found = await self._find_passages(shelves, wordings, limit, options)
        except EmbedderUnavailable as error:
            if not self._model.embedder.served:
                raise
            self._model.tell_trouble(error)
            worded = [replace(wording, vectors=None, legible=None) for wording in wordings]
            return await self._find_passages(shelves, worded, limit, replace(options, mode="bm25"))
        if options.mode != "bm25":
            self._model.forget_troubles()
        return found

    async def _find_passages(
        self, shelves: Sequence[OpenCollection], wordings: Sequence[Question], limit: int, options: SearchOptions
    ) -> list[Passage]:
        mode = options.mode or self._settings.search_mode
        # The first time, the model is loaded while the indexes are opened.
        await asyncio.gather(*(shelf.open_indexes(mode != "bm25") for shelf in shelves))
        judge = (options.reranking or self._reranking) if options.reranked else None

        def take_relevant(found: Sequence[Sequence[Candidates]]) -> list[Passage]:
            relevant = select_passages(found, limit, mode, options, self._settings)
            return list(relevant) if judge else join_neighbours(relevant, limit)

        finders = [shelf.keeper for shelf in shelves]
        for _ in range(TRIES):
            taken = await look_up(finders, wordings, take_relevant)
            if taken.lacking:
                await asyncio.gather(*(shelf.wait_embedded() for shelf in shelves if shelf.keeper in taken.lacking))
                taken = await look_up(finders, wordings, take_relevant)
            if not taken.removed:
                break
        passages = taken.passages
        for shelf in shelves:
            shelf.tend_soon()
        return passages if judge is None else join_neighbours(await judge.order(wordings[0].text, passages), limit)

    async def first_chunks(self, source: str, limit: int, collection: str = "") -> list[Chunk]:
        """The first chunks of the document with this source."""
        return await asyncio.to_thread((await self._shelf(collection)).store.first_chunks, source, limit)

    async def find_named(self, name: str, collection: str = "") -> dict[str, list[str]]:
        """Sources of the documents that a name means, by collection; raises as `remove` does."""
        return await self.catalogue.named(name, collection or self._settings.collection, numbers_of=collection)

    async def remove(self, name: str, collection: str = "") -> int:
        """Remove what a name means to the catalogue; how many documents. Without a collection numbers hold in all.

        Raises `LibraryError`, and `AmbiguousName` where nothing is removed as several documents have that name.
        """
        named = await self.find_named(name, collection)
        return sum([await (await self._shelf(one)).remove_sources(sources) for one, sources in named.items()])

    def files(self, collection: str = "") -> FileDocuments:
        """What it has of files, by the files."""
        name = collection or self._settings.collection
        return FileDocuments(partial(self._shelf, name), self._backend, name, self._data_dir)

    async def rebuild(self, progress: Report | None = None, collection: str = "") -> int:
        """Throw the indexes away and make them anew from library.db; the number of chunks in them.

        Documents that another chunker cut are cut anew, and only texts that this embedding model has never seen are
        embedded. Where another process owns the indexes, that process makes them anew as soon as it is used. Raises
        `LibraryError`. A change of the embedding model is carried through first, in all collections.
        """
        await self._model.finish_change(progress)
        async with self._shelves.in_use():
            await (await self._shelf(collection)).rebuild(progress)
        return (await self.stats(collection)).chunks

    async def examine(self, progress: Report | None = None) -> Diagnosis:
        """Check library.db and all indexes, mend what can be mended, and tell what was found."""
        self._model.tell_change()
        names = [collection.name for collection in await self.list_collections()]
        return await examine_library(self._backend, [await self._shelf(name) for name in names], progress)

    async def stats(self, collection: str = "") -> LibraryStats:
        """What a collection holds, and where."""
        shelf = await self._shelf(collection)
        counts = await asyncio.to_thread(shelf.store.count_by_origin)
        chunks = sum(chunks for _, chunks in counts.values())
        return LibraryStats(
            documents=sum(documents for documents, _ in counts.values()),
            chunks=chunks,
            origins=counts,
            bytes_on_disk=await asyncio.to_thread(lambda: self._backend.size() + shelf.keeper.size()),
            embedding_model=self._model.name if self._model.is_told else self._settings.embedding_model,
            folder=self._data_dir,
            index=shelf.keeper.state,
            answering=shelf.keeper.answering(chunks),
        )

    async def count_tokens(self) -> dict[str, int]:
        """What embedding servers read for it since it was begun, by the names of their models."""
        return await self._model.count_tokens()

    async def list_collections(self) -> list[Collection]:
        """Every collection, by name."""
        return await asyncio.to_thread(self._collections.all_collections)

    async def list_entries(self, collections: Sequence[str], before: int | None, limit: int) -> list[DocumentEntry]:
        """Documents with ids below `before`, newest first, of these collections, or of all where none is named."""
        return await asyncio.to_thread(self._collections.entries, collections, before, limit)

    async def remove_collection(self, name: str) -> int:
        """Remove a collection with all that is in it; the number of its documents. Raises `LibraryError`."""
        shelf = await self._shelf(name)
        removed = await asyncio.to_thread(self._collections.remove, name)
        await self._shelves.close_shelf(name)
        # The texts are in the indexes, too.
        await asyncio.to_thread(shelf.keeper.discard)
        return removed

    async def list_titles(self, limit: int = 200, collection: str = "") -> list[str]:
        """So many titles of the documents of a collection, newest first, each once."""
        return await asyncio.to_thread((await self._shelf(collection)).store.newest_titles, limit)

    async def surroundings(self, passage: Passage, characters: int = 800) -> str:
        """The passage with about so many characters of its document around it; itself where that is gone."""
        document = await self.find_document(passage.source, passage.collection)
        return passage.text if document is None else cut_surroundings(document, passage, characters)

    async def find_document(self, source: str, collection: str = "") -> Document | None:
        """The document with this source, its whole text in it."""
        return await asyncio.to_thread((await self._shelf(collection)).store.find_document, source)

    async def cite(self, passages: Iterable[Passage]) -> None:
        """Note that passages were cited: their documents are kept from then on. One only read notes nothing."""
        if self.read_only:
            return
        by_collection: dict[str, set[str]] = {}
        for passage in passages:
            by_collection.setdefault(passage.collection, set()).add(passage.source)
        for collection, sources in by_collection.items():
            await asyncio.to_thread((await self._shelf(collection)).store.note_cited, sorted(sources))

    async def is_empty(self) -> bool:
        """Whether nothing is kept yet."""
        return await asyncio.to_thread((await self._shelf()).store.is_empty)

    async def close(self) -> None:
        """Finish the work on the indexes and let go of every file."""
        await self._shelves.close()
        await asyncio.to_thread(self._backend.close)

"""The collections of a library that are open, all by one embedding model; it changes only while none is in use."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from rag.answering_model import AnsweringModel
from rag.backend import LibraryBackend
from rag.chunk_size import ChunkShape, ShapeChange
from rag.chunking.kept_shape import KeptShape
from rag.collection import OpenCollection
from rag.records.collections import StoredCollections
from rag.settings import RagSettings


class Shelves:
    """Opens each collection when it is first needed; an empty name means that of the settings."""

    def __init__(self, backend: LibraryBackend, settings: RagSettings, model: AnsweringModel) -> None:
        self._backend = backend
        self._settings = settings
        self._model = model
        self._opened: dict[str, OpenCollection] = {}
        self._users = 0

    async def open_shelf(self, collection: str = "") -> OpenCollection:
        """The collection with its indexes; raises `LibraryError`."""
        name = self.name_of(collection)
        while name not in self._opened:
            embedder = self._model.embedder
            shelf = await asyncio.to_thread(
                OpenCollection, self._backend, name, embedder, self._settings, self.kept_shape(name)
            )
            if name in self._opened or embedder is not self._model.embedder:
                # Another was quicker, or the model changed: this one would answer by that of before for ever.
                await shelf.close()
                continue
            shelf.embeds_alone, shelf.tell_trouble = self._model.embeds_alone, self._model.tell_trouble
            self._opened[name] = shelf
        return self._opened[name]

    def name_of(self, collection: str) -> str:
        """The collection that is meant."""
        return collection or self._settings.collection

    def kept_shape(self, name: str) -> KeptShape:
        """How a collection is cut; one that begins now: as the settings say."""
        begun_with = self._model.with_tokenizer(self._settings.chunk_shape)
        return KeptShape(self._backend.collections(), name, begun_with, self._model.make_counter)

    async def close_shelf(self, name: str) -> None:
        """Close one that will not be opened again."""
        await self._opened.pop(name).close()

    @asynccontextmanager
    async def in_use(self) -> AsyncIterator[None]:
        """While something is searched or added the embedding model stays the same; it changes in between."""
        if not self._users and self._model.may_swap:
            await self.swap_model()
        self._users += 1
        try:
            await self._model.begin_change((await self.open_shelf()).keeper.try_to_own)
            yield
        finally:
            self._users -= 1

    async def swap_model(self) -> None:
        """Go on with the new model."""
        opened, self._opened = self._opened, {}
        let_go = self._model.swap()
        await asyncio.gather(*(shelf.close() for shelf in opened.values()))
        await let_go()

    async def close(self) -> None:
        """Finish the work on the indexes."""
        await self._model.close()
        await asyncio.gather(*(shelf.close() for shelf in self._opened.values()))


class Cutting:
    """Changes how collections are cut: what is asked for holds until something else is, whatever settings say."""

    def __init__(self, shelves: Shelves, collections: StoredCollections, model: AnsweringModel) -> None:
        self._shelves = shelves
        self._collections = collections
        self._model = model

    async def cut_as(self, shape: ChunkShape, collection: str = "") -> ShapeChange:
        """Cut the documents of a collection so from now on, tokens being those of the library's model; what that means.

        Those that are in it are cut anew in time, by whichever process owns the indexes; `finish_cutting` waits for it.
        """
        name, shape = self._shelves.name_of(collection), self._model.with_tokenizer(shape)
        there = await asyncio.to_thread(self._collections.all_collections)
        held = [one for one in there if one.name == name]
        before = await self._shelves.kept_shape(name).find() if held else None
        await asyncio.to_thread(self._collections.keep_shape, name, shape)
        return ShapeChange(before, shape, sum(one.documents for one in held), sum(one.chunks for one in held))

    async def finish_cutting(self, collection: str = "") -> bool:
        """Cut anew now what is cut otherwise; False where texts would be sent away, which only a rebuild does."""
        async with self._shelves.in_use():
            shelf = await self._shelves.open_shelf(collection)
            if shelf.cuts_alone:
                await shelf.cut_all_anew()
                shelf.tend_indexes()
        return shelf.cuts_alone

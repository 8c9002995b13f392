"""The collections of a library that are open, all by one embedding model; it changes only while none is in use."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from rag.answering_model import AnsweringModel
from rag.backend import LibraryBackend
from rag.collection import OpenCollection
from rag.indexes.index_owner import Folders
from rag.settings import RagSettings


class Shelves:
    """Opens each collection when it is first needed; an empty name means that of the settings."""

    def __init__(self, backend: LibraryBackend, data_dir: Path, settings: RagSettings, model: AnsweringModel) -> None:
        self._backend = backend
        self._data_dir = data_dir
        self._settings = settings
        self._model = model
        self._opened: dict[str, OpenCollection] = {}
        self._users = 0

    async def open_shelf(self, collection: str = "") -> OpenCollection:
        """The collection with its indexes; raises `LibraryError`."""
        name = collection or self._settings.collection
        while name not in self._opened:
            embedder = self._model.embedder
            folders = Folders.of(self._data_dir, self._settings.chroma_db_path, name)
            shelf = await asyncio.to_thread(OpenCollection, self._backend, folders, name, embedder, self._settings)
            if name in self._opened or embedder is not self._model.embedder:
                # Another was quicker, or the model changed: this one would answer by that of before for ever.
                await shelf.close()
                continue
            shelf.embeds_alone, shelf.tell_trouble = self._model.embeds_alone, self._model.tell_trouble
            self._opened[name] = shelf
        return self._opened[name]

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

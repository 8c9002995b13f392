"""The documents of a collection that were read from files, by the files."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path

from rag.backend import LibraryBackend
from rag.collection import OpenCollection
from rag.embedding.base import whole


class FileDocuments:
    """What a collection has of files; its methods raise `LibraryError`."""

    def __init__(
        self, shelf: Callable[[], Awaitable[OpenCollection]], backend: LibraryBackend, collection: str, folder: Path
    ) -> None:
        self.collection = collection
        self.folder = folder
        """The library's."""
        self._shelf = shelf
        self._backend = backend
        self._listing = backend.listing()

    async def library_name(self) -> str:
        """The library's own: another one that takes its place has another."""
        return await asyncio.to_thread(self._backend.library_name)

    async def paths_within(self, folder: str) -> set[str]:
        """The files in a folder, however deep, of which there are documents; as the library spells them."""
        found = await asyncio.to_thread(self._listing.file_sources, whole(folder), self.collection)
        return {file for file, _ in found} - {whole(folder)}

    async def remove_files(self, paths: Sequence[str]) -> int:
        """Remove what was read from files; how many documents. What came from elsewhere is never among them."""
        sources = await asyncio.to_thread(lambda: [source for path in paths for source in self._sources(path)])
        return await (await self._shelf()).remove_sources(sources)

    async def remove_gone(self, path: str, records: Iterable[str]) -> int:
        """Remove the records that were kept of a file and are not in it now; how many there were."""
        there = {whole(record) for record in records} | {whole(path)}
        kept = await asyncio.to_thread(self._sources, path)
        return await (await self._shelf()).remove_sources([source for source in kept if source not in there])

    def _sources(self, path: str) -> list[str]:
        """Of the documents that were read from a file."""
        found = self._listing.file_sources(whole(path), self.collection)
        return [source for file, source in found if file == whole(path)]

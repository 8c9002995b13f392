"""The documents of a collection that were read from files, by the files."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
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
        self.shared = backend.shared
        """Whether some of them may be of files that are on another machine."""
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
        sources = [source for _, source in await self._sources_of(paths)]
        return await (await self._shelf()).remove_sources(sources)

    async def remove_gone(self, records: Mapping[str, Collection[str]]) -> int:
        """Remove the records that were kept of files and are not in them now, by the files; how many there were."""
        there = {whole(path): {whole(path), *map(whole, inside)} for path, inside in records.items()}
        gone = [source for path, source in await self._sources_of(records) if source not in there[path]]
        return await (await self._shelf()).remove_sources(gone)

    async def _sources_of(self, paths: Iterable[str]) -> list[tuple[str, str]]:
        if not (files := [whole(path) for path in paths]):
            return []
        return await asyncio.to_thread(self._listing.sources_of_files, files, self.collection)

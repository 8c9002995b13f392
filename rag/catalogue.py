"""What is in a library: listed by the page, and found by any name that a list shows."""

import asyncio
from collections.abc import Sequence

from rag.backend import StoredListing
from rag.documents import Origin
from rag.embedding.base import whole
from rag.stored import DocumentQuery, ListedDocument
from utils.errors import LibraryError
from utils.text import one_line

CANDIDATES = 20
"""Documents that a name may mean and that are listed."""
DIGITS = 18
"""Of a number at most: SQLite's have 64 bits."""
NUMBER = "#"
"""Before a name that is a number and nothing else."""


class AmbiguousName(LibraryError):
    """A name means several documents, or none here and some in other collections."""

    def __init__(self, problem: str, candidates: Sequence[ListedDocument]) -> None:
        named = [f"{NUMBER}{one.number} ({one_line(one.source)})" for one in candidates[:CANDIDATES]]
        super().__init__(problem, f"Name one by its number: {', '.join(named)}.")
        self.candidates = tuple(candidates[:CANDIDATES])
        """The newest first."""


class Catalogue:
    """The documents of all collections of a library; raises `LibraryError`."""

    def __init__(self, listing: StoredListing) -> None:
        self._listing = listing

    async def counts(self, query: DocumentQuery) -> dict[Origin, int]:
        """How many documents a query finds, by origin; files first."""
        return await asyncio.to_thread(self._listing.counts, query)

    async def page(self, query: DocumentQuery, offset: int, limit: int) -> list[ListedDocument]:
        """So many of the documents that a query finds, behind the first `offset` ones."""
        return await asyncio.to_thread(self._listing.page, query, offset, limit)

    async def elsewhere(self, name: str) -> list[ListedDocument]:
        """Documents of all collections that are called so."""

        def look() -> list[ListedDocument]:
            return self._listing.called(whole(name), "")

        return await asyncio.to_thread(look)

    async def named(self, name: str, collection: str, *, numbers_of: str = "") -> dict[str, list[str]]:
        """Sources of the documents that a name means, by collection.

        A name is a source, a folder, a site or a file of records, a title, the name of a file, or a number, with or
        without `#`. Numbers hold in the collection `numbers_of`, where that is empty in all. Raises `AmbiguousName`.
        """

        def look() -> dict[str, list[str]]:
            return self._named(whole(name), collection, numbers_of)

        return await asyncio.to_thread(look)

    def _named(self, name: str, collection: str, numbers_of: str) -> dict[str, list[str]]:
        if not name:
            return {}
        number = name.removeprefix(NUMBER)
        is_number = number.isdecimal() and len(number) <= DIGITS
        numbered = self._listing.with_number(int(number), numbers_of) if is_number else []
        if name.startswith(NUMBER) and numbered:
            return _sources(numbered)
        found = self._listing.with_source(name, collection)
        if not found and (within := self._listing.within(name, collection)):
            return {collection: within}
        if numbered or not found:
            # Where a document's source is a number, too, both may be meant.
            found = [*found, *numbered, *self._listing.called(name, collection)]
        distinct = list({one.number: one for one in found}.values())
        if len(distinct) > 1:
            raise AmbiguousName(f"{len(distinct):,} documents are called {one_line(name, 100)!r}.", distinct)
        return _sources(distinct)


def _sources(documents: Sequence[ListedDocument]) -> dict[str, list[str]]:
    """The sources of documents, by their collections."""
    return {one.collection: [one.source] for one in documents}

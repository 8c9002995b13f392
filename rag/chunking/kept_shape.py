"""How the documents of a collection are cut: as it was begun, whatever the settings of a later process say."""

import asyncio
from collections.abc import Awaitable, Callable

from rag.chunk_size import ChunkShape
from rag.records.collections import StoredCollections
from utils.errors import EmbedderUnavailable, LibraryError

Counter = Callable[[str], int]


class KeptShape:
    """The shape that the store keeps of a collection, and what counts its tokens."""

    def __init__(
        self,
        collections: StoredCollections,
        collection: str,
        begun_with: ChunkShape,
        make_counter: Callable[[str], Awaitable[Counter]],
    ) -> None:
        """`begun_with` is how a collection is cut that is begun now; `make_counter` is given the tokenizer's name."""
        self._collections = collections
        self._collection = collection
        self._begun_with = begun_with
        self._make_counter = make_counter

    async def find(self) -> ChunkShape:
        """How documents are cut now, which another process may have changed; kept from then on."""
        kept = await asyncio.to_thread(self._collections.chunk_shape, self._collection)
        if kept is not None:
            return kept
        return await asyncio.to_thread(self._collections.begin_shape, self._collection, self._begun_with)

    async def make_measure(self, shape: ChunkShape) -> Counter | None:
        """What counts the tokens of a shape, None for characters.

        Raises `LibraryError` where the model that it was cut with cannot be had: another one would cut it otherwise.
        """
        if shape.unit == "characters":
            return None
        try:
            return await self._make_counter(shape.tokenizer)
        except LibraryError as error:
            if isinstance(error, EmbedderUnavailable) and not shape.tokenizer:
                raise
            raise LibraryError(
                f"{self._collection} is cut in tokens of {shape.tokenizer}, which cannot be counted: {error.problem}",
                f"Say how it is cut from now on: magpie rag ingest --collection {self._collection} --chunk-unit tokens",
            ) from error

"""A served model at work for a library: where texts go is said first, and that it is still the model it was is seen."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import numpy as np

from rag.embedding.base import LibraryEmbedder, Vectors
from utils.errors import EmbedderUnavailable

SAME_MODEL = 0.98
"""Cosine of what a model made of a text before and makes of it now; batches and kernels cost some thousandths."""


class WatchedEmbedder:
    """An embedder that raises `EmbedderUnavailable` where the model behind its name is another one than before."""

    def __init__(
        self,
        embedder: LibraryEmbedder,
        sample: Callable[[], tuple[str, Vectors] | None],
        disclose: Callable[[], Awaitable[None]],
    ) -> None:
        """`sample` is a text with the vectors that are kept of it, and blocks; `disclose` says where texts go."""
        self._embedder = embedder
        self._sample = sample
        self._disclose = disclose
        self._looking = asyncio.Lock()
        self._sure = False
        self._seen: Vectors | None = None
        self._other: EmbedderUnavailable | None = None
        self.fingerprint = embedder.fingerprint
        self.batch, self.served, self.host = embedder.batch, embedder.served, embedder.host

    @property
    def is_another(self) -> bool:
        """Whether it was seen to be another model."""
        return self._other is not None

    async def look_again(self) -> None:
        """Compare what it makes now with what is kept, whatever was seen before; raises `EmbedderUnavailable` where the
        server cannot be asked.
        """
        async with self._looking:
            self.forget_answers()
            await self._disclose()
            await self._compare_sample()
            self._sure = True

    def take_tokens(self) -> int:
        """What the server read since this was asked last."""
        return self._embedder.take_tokens()

    def forget_answers(self) -> None:
        """Remember nothing of what was embedded."""
        self._embedder.forget_answers()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit vector a text."""
        await self._make_sure()
        return await self._embedder.embed(texts)

    async def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """One unit vector a question."""
        await self._make_sure()
        return await self._embedder.embed_questions(texts)

    async def embed_pieces(self, texts: Sequence[str]) -> list[Vectors]:
        """For each text the unit vectors of its pieces."""
        await self._make_sure()
        return await self._embedder.embed_pieces(texts)

    async def make_counter(self) -> Callable[[str], int]:
        """What counts tokens."""
        return await self._embedder.make_counter()

    async def reads_language(self, text: str) -> bool:
        """Whether the model was made for the language of a text."""
        return await self._embedder.reads_language(text)

    async def _make_sure(self) -> None:
        async with self._looking:
            if not self._sure or (self._other and await self._is_embedded_anew()):
                await self._disclose()
                await self._compare_sample()
                self._sure = True
            if self._other:
                raise self._other

    async def _is_embedded_anew(self) -> bool:
        """Whether other vectors are kept than those that were of another model: this process or another made them."""
        kept = await asyncio.to_thread(self._sample)
        return kept is None or self._seen is None or not np.array_equal(kept[1], self._seen)

    async def _compare_sample(self) -> None:
        self._other = None
        kept = await asyncio.to_thread(self._sample)
        if kept is None:
            return
        text, before = kept
        self._seen = before
        [now] = await self._embedder.embed_pieces([text])
        if now.shape[1] == before.shape[1] and float(now[0] @ before[0]) >= SAME_MODEL:
            return
        width = f" ({now.shape[1]:,} numbers a vector for {before.shape[1]:,})" if now.shape != before.shape else ""
        self._other = EmbedderUnavailable(
            f"The model behind {self.fingerprint} is another one than that which embedded the library{width}.",
            "/rag-rebuild embeds the library anew with it; until then it is searched by words.",
        )

"""A served model at work for a library: where texts go is said first, and that it is still the model it was is seen."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

import numpy as np

from rag.embedding.base import Vectors
from rag.embedding.served.embedder import ServedEmbedder
from utils.errors import EmbedderUnavailable

SAME_MODEL = 0.98
"""Cosine of what a model made of a text before and makes of it now; batches and kernels cost some thousandths."""
LOOK_SECONDS = 300.0
"""How long a model that was looked at is believed to be the same."""


class WatchedEmbedder:
    """An embedder that raises `EmbedderUnavailable` where the model behind its name is another one than before.

    That is looked at before it is first used, again after some minutes, and after whatever failed.
    """

    served = True

    def __init__(
        self,
        embedder: ServedEmbedder,
        sample: Callable[[], tuple[str, Vectors] | None],
        disclose: Callable[[], Awaitable[None]],
    ) -> None:
        """`sample` is a text with the vectors that are kept of it, and blocks; `disclose` says where texts go."""
        self._embedder = embedder
        self._sample = sample
        self._disclose = disclose
        self._looking = asyncio.Lock()
        self._sure = False
        self._looked = 0.0
        self._seen: Vectors | None = None
        self._other: EmbedderUnavailable | None = None
        self.fingerprint = embedder.fingerprint
        self.batch, self.host = embedder.batch, embedder.host

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
            await self._compare_sample()

    def take_tokens(self) -> int:
        """What the server read since this was asked last."""
        return self._embedder.take_tokens()

    def forget_answers(self) -> None:
        """Remember nothing of what was embedded."""
        self._embedder.forget_answers()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit vector a text."""
        async with self._watch_model():
            return await self._embedder.embed(texts)

    async def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """One unit vector a question; for each request the server has as long as for a question, a look included."""
        made: list[Vectors] = []
        for start in range(0, len(texts), self.batch):
            async with self._embedder.limit_question(), self._watch_model():
                made.append(await self._embedder.embed_questions(texts[start : start + self.batch]))
        return np.concatenate(made) if made else np.zeros((0, 0), np.float32)

    async def embed_pieces(self, texts: Sequence[str]) -> list[Vectors]:
        """For each text the unit vectors of its pieces."""
        async with self._watch_model():
            return await self._embedder.embed_pieces(texts)

    async def make_counter(self) -> Callable[[str], int]:
        """What counts tokens."""
        return await self._embedder.make_counter()

    async def reads_language(self, text: str) -> bool:
        """Whether the model was made for the language of a text."""
        return await self._embedder.reads_language(text)

    @asynccontextmanager
    async def _watch_model(self) -> AsyncIterator[None]:
        """Around what is asked of the model: it is looked at where that is due, and after a failure it is."""
        async with self._looking:
            if await self._is_due():
                await self._compare_sample()
            if self._other:
                raise self._other
        try:
            yield
        except BaseException:
            # A server that comes back may have come back with another model.
            self._sure = False
            raise

    async def _is_due(self) -> bool:
        """Whether the model is to be looked at: it was not lately, or others embedded anew what was another one's."""
        if not self._sure or time.monotonic() >= self._looked + LOOK_SECONDS:
            return True
        return self._other is not None and not self._is_seen(await asyncio.to_thread(self._sample))

    def _is_seen(self, kept: tuple[str, Vectors] | None) -> bool:
        """Whether these are the vectors that the model was last compared with."""
        return kept is not None and self._seen is not None and np.array_equal(kept[1], self._seen)

    async def _compare_sample(self) -> None:
        """Whether it is another model is known only once the server has answered: until then nothing is sure."""
        self._sure = False
        await self._disclose()
        kept = await asyncio.to_thread(self._sample)
        other = None
        if kept is not None:
            if not self._is_seen(kept):
                # The vectors that are kept were made anew, perhaps by another process and of another model.
                self.forget_answers()
                self._seen = kept[1]
            [now] = await self._embedder.embed_pieces([kept[0]])
            if other := self._tell_difference(kept[1], now):
                # Neither is what the other one made of questions until it was seen.
                self.forget_answers()
        self._other, self._sure, self._looked = other, True, time.monotonic()

    def _tell_difference(self, before: Vectors, now: Vectors) -> EmbedderUnavailable | None:
        """What to say where the vectors of one text, shape (pieces, dimensions), are of two models."""
        same_width = now.shape[1] == before.shape[1]
        # In more pieces than it had, as the server refused longer ones, the text has vectors that say nothing of this.
        if same_width and (len(now) != len(before) or float(now[0] @ before[0]) >= SAME_MODEL):
            return None
        width = "" if same_width else f" ({now.shape[1]:,} numbers a vector for {before.shape[1]:,})"
        return EmbedderUnavailable(
            f"The model behind {self.fingerprint} is another one than that which embedded the library{width}.",
            "/rag-rebuild embeds the library anew with it.",
        )

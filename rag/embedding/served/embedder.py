"""An embedding model behind a server: texts go there in batches, and what comes back is looked at before it is used."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

import numpy as np

from rag.embedding.base import MAX_VECTORS_REMEMBERED, Vectors, halve_text, passage_mark, whole
from rag.embedding.choice import EmbedderSurroundings, EmbeddingChoice
from rag.embedding.model_traits import find_traits
from rag.embedding.served.client import EmbeddingClient, TextTooLong
from rag.embedding.served.token_estimate import cut_to_tokens, estimate_tokens, find_tokens
from rag.embedding.served.wire import EmbeddingWire
from utils.errors import EmbedderUnavailable
from utils.languages.detection import language_of

log = logging.getLogger(__name__)

TEXTS_A_REQUEST = 100
CHARS_A_REQUEST = 100_000
"""Servers take some 300,000 tokens at once; a text that is longer goes alone."""
QUESTION_SECONDS = 15.0
"""What a search waits for the vector of its question, and many questions for those of each request; words answer after
that.
"""
UNREACHABLE_SECONDS = 20.0
"""How long a server that could not be reached is not asked again, and none of which a question waited in vain."""
ANOTHER_MODEL = "Have it use the model of before, or embed the library anew with this one: /rag-rebuild."
MIN_REACH = 16
"""Tokens of a piece that no model is too small for."""
# What a tokenizer makes more of a text than the estimate does is cut before the server complains.
SAFETY = 0.8


class ServedEmbedder:
    """A model of a server; its methods raise `EmbedderUnavailable`, one sentence and what to do."""

    batch = TEXTS_A_REQUEST
    served = True

    def __init__(self, wire: EmbeddingWire, choice: EmbeddingChoice, around: EmbedderSurroundings) -> None:
        self.model = choice.model or wire.model
        self._traits = find_traits(self.model, choice.query_prefix, choice.passage_prefix)
        self._client = EmbeddingClient(wire, self.model, choice, around)
        self._reach = max(MIN_REACH, int(SAFETY * self._traits.tokens))
        self._known: dict[str, Vectors] = {}
        self._width = 0
        self._rested = 0.0
        self._last_failure: EmbedderUnavailable | None = None
        self._silence: EmbedderUnavailable | None = None
        self._silent_until = 0.0
        self.fingerprint = f"{self.model}@{wire.name}{passage_mark(self._traits)}"
        self._tokens = 0

    @property
    def host(self) -> str:
        """Where the texts go, where that is not this machine."""
        return self._client.host

    async def load(self) -> None:
        """Nothing is loaded here; the server does that when it is asked."""
        return

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit vector a text, shape (len(texts), dimensions); of a long text its beginning counts."""
        texts = [whole(text) for text in texts]
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, await self._embed_beginnings(new), strict=True))
        found = [self._known[text] for text in texts]
        for oldest in list(self._known)[: max(0, len(self._known) - MAX_VECTORS_REMEMBERED)]:
            del self._known[oldest]
        return np.stack(found) if found else np.zeros((0, 0), np.float32)

    async def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """One unit vector a question, within `QUESTION_SECONDS` a request."""
        made: list[Vectors] = []
        for start in range(0, len(texts), self.batch):
            async with self.limit_question():
                asked = texts[start : start + self.batch]
                made.append(await self.embed([self._traits.question + text for text in asked]))
        return np.concatenate(made) if made else np.zeros((0, 0), np.float32)

    @asynccontextmanager
    async def limit_question(self) -> AsyncIterator[None]:
        """Around all that one question waits for: `QUESTION_SECONDS`, and where they passed no other is asked for a
        while. What is indexed meanwhile, for which there is more time, goes on.
        """
        if self._silence and time.monotonic() < self._silent_until:
            raise self._silence
        try:
            async with asyncio.timeout(QUESTION_SECONDS):
                yield
        except TimeoutError as error:
            why = f"gave no vector of the question in {QUESTION_SECONDS:.0f} s"
            self._silence, self._silent_until = self._client.unreachable(why), time.monotonic() + UNREACHABLE_SECONDS
            raise self._silence from error
        self._silence = None

    async def embed_pieces(self, texts: Sequence[str]) -> list[Vectors]:
        """For each text the unit vectors of its pieces, each within what the model reads."""
        while True:
            pieces = await asyncio.to_thread(self._cut_pieces, [whole(text) for text in texts])
            try:
                flat = await self._embed_all([piece for group in pieces for piece in group], patient=True)
            except TextTooLong:
                self._shorten_reach()
                continue
            ends = np.cumsum([len(group) for group in pieces])
            return np.split(flat, ends[:-1]) if texts else []

    async def make_counter(self) -> Callable[[str], int]:
        """What estimates the tokens of a text."""
        return estimate_tokens

    async def reads_language(self, text: str) -> bool:
        """Whether the model, as far as its name is known, was made for the language of a text."""
        return not self._traits.english or language_of(text) == "en"

    def take_tokens(self) -> int:
        """What the server read since this was asked last, as it says."""
        taken, self._tokens = self._tokens, 0
        return taken

    def forget_answers(self) -> None:
        """Ask anew from now on, whatever was answered: the model behind the name may have become another."""
        self._known.clear()
        self._width, self._last_failure, self._silence = 0, None, None

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _embed_beginnings(self, texts: Sequence[str]) -> Vectors:
        while True:
            try:
                return await self._embed_all([cut_to_tokens(text, self._reach) for text in texts], patient=False)
            except TextTooLong:
                self._shorten_reach()

    async def _embed_all(self, texts: Sequence[str], *, patient: bool) -> Vectors:
        """The vectors of texts that the model can read; `patient` asks again where the server has much to do."""
        if self._last_failure and time.monotonic() < self._rested:
            raise self._last_failure
        found: list[Vectors] = []
        for batch in split_batches(texts):
            try:
                vectors, tokens = await self._client.ask(batch, patient=patient)
            except EmbedderUnavailable as error:
                if self._client.is_down(error):
                    self._last_failure, self._rested = error, time.monotonic() + UNREACHABLE_SECONDS
                raise
            self._last_failure = None
            self._tokens += tokens
            found.append(self._check_width(vectors))
        return np.concatenate(found) if found else np.zeros((0, 0), np.float32)

    def _check_width(self, vectors: Vectors) -> Vectors:
        self._width = self._width or vectors.shape[1]
        if vectors.shape[1] != self._width:
            raise self._client.wrong_answer(
                f"gave vectors of {vectors.shape[1]:,} numbers where they had {self._width:,} before", ANOTHER_MODEL
            )
        return vectors

    def _cut_pieces(self, texts: Sequence[str]) -> list[list[str]]:
        reach = max(MIN_REACH, self._reach - estimate_tokens(self._traits.passage))
        return [[self._traits.passage + piece for piece in halve_text(text, find_tokens, reach)] for text in texts]

    def _shorten_reach(self) -> None:
        if self._reach <= MIN_REACH:
            raise self._client.wrong_answer("refuses even a few words as too long")
        self._reach = max(MIN_REACH, self._reach // 2)
        log.info("%s refuses texts as too long: from now on they have %d tokens", self.model, self._reach)


def split_batches(texts: Sequence[str]) -> list[list[str]]:
    """The texts in their order, so many together as one request takes."""
    batches: list[list[str]] = []
    size = 0
    for text in texts:
        if not batches or len(batches[-1]) == TEXTS_A_REQUEST or size + len(text) > CHARS_A_REQUEST:
            batches.append([])
            size = 0
        batches[-1].append(text)
        size += len(text)
    return batches

"""An embedder without a model: a random direction a word, so that texts with the same words are near each other."""

import asyncio
import hashlib
import re
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from rag.embedding.base import BATCH, Vectors


class WordEmbedder:
    """Deterministic over processes; `reach` words make a piece; counts the texts that it was asked for.

    A language with `foreign` in it is not its own.
    """

    batch = BATCH
    served = False
    host = ""

    def __init__(self, name: str = "words", dimensions: int = 256, reach: int = 1000, foreign: str = "\0") -> None:
        self.fingerprint = name
        self.dimensions = dimensions
        self.reach = reach
        self.foreign = foreign
        self.texts: list[str] = []
        self._words: dict[str, NDArray[np.float64]] = {}

    async def load(self) -> None:
        return None

    async def close(self) -> None:
        return None

    async def embed(self, texts: Sequence[str]) -> Vectors:
        await asyncio.sleep(0)
        self.texts.extend(texts)
        return np.stack([self._vector(text) for text in texts])

    async def embed_questions(self, texts: Sequence[str]) -> Vectors:
        return await self.embed(texts)

    async def embed_pieces(self, texts: Sequence[str]) -> list[Vectors]:
        self.texts.extend(texts)
        return [np.stack([self._vector(piece) for piece in self._pieces(text)]) for text in texts]

    async def make_counter(self) -> Callable[[str], int]:
        return lambda text: len(text.split())

    async def reads_language(self, text: str) -> bool:
        return self.foreign not in text

    def take_tokens(self) -> int:
        return 0

    def forget_answers(self) -> None:
        return None

    def _pieces(self, text: str) -> list[str]:
        words = text.split() or [""]
        return [" ".join(words[i : i + self.reach]) for i in range(0, len(words), self.reach)]

    def _vector(self, text: str) -> Vectors:
        vector = np.full(self.dimensions, 1e-3, np.float64)
        for word in re.findall(r"\w+", text.lower()):
            vector += self._word(word)
        return (vector / np.linalg.norm(vector)).astype(np.float32)

    def _word(self, word: str) -> NDArray[np.float64]:
        """A random direction, the same in every process; those of two words are nearly at right angles."""
        if word not in self._words:
            digest = hashlib.sha256(f"{self.fingerprint} {word}".encode()).digest()
            rng = np.random.default_rng(int.from_bytes(digest[:8], "big"))
            self._words[word] = rng.standard_normal(self.dimensions)
        return self._words[word]

"""An embedder without a model: hashed words, so that texts with the same words are near each other."""

import asyncio
import hashlib
import re
from collections.abc import Sequence

import numpy as np

from rag.embedding import Vectors


class WordEmbedder:
    """Deterministic over processes; `reach` words make a piece; counts the texts that it was asked for."""

    def __init__(self, name: str = "words", dimensions: int = 256, reach: int = 1000) -> None:
        self.fingerprint = name
        self.dimensions = dimensions
        self.reach = reach
        self.texts: list[str] = []

    async def embed(self, texts: Sequence[str]) -> Vectors:
        await asyncio.sleep(0)
        self.texts.extend(texts)
        return np.stack([self._vector(text) for text in texts])

    async def embed_pieces(self, texts: Sequence[str]) -> list[Vectors]:
        self.texts.extend(texts)
        return [np.stack([self._vector(piece) for piece in self._pieces(text)]) for text in texts]

    def _pieces(self, text: str) -> list[str]:
        words = text.split() or [""]
        return [" ".join(words[i : i + self.reach]) for i in range(0, len(words), self.reach)]

    def _vector(self, text: str) -> Vectors:
        vector = np.full(self.dimensions, 1e-3, np.float32)
        for word in re.findall(r"\w+", text.lower()):
            digest = hashlib.sha256(f"{self.fingerprint} {word}".encode()).digest()
            vector[int.from_bytes(digest[:4], "big") % self.dimensions] += 1
        return vector / np.linalg.norm(vector)

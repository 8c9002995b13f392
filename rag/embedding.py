"""Texts become vectors: the only importer of sentence_transformers."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Makes unit vectors; raises `EmbedderUnavailable`."""

    @property
    def fingerprint(self) -> str:
        """Names the model and its weights: vectors of different fingerprints cannot be compared."""
        ...

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit vector a text, shape (len(texts), dimensions), float32; loads the model the first time."""
        ...


def similarities(query: Vectors, vectors: Vectors) -> NDArray[Any]:
    """Cosine of one unit vector, shape (d,), with each of several, shape (n, d)."""
    return vectors @ query

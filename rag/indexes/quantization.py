"""Vectors in a byte a number: a quarter of what there is to read, with a bound on what was lost by rounding."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag.embedding.base import Vectors

LARGEST_CODE = 127
"""What the number that is farthest from zero becomes."""
UNEVEN = 1e-6
"""How far a cosine of 32-bit numbers may be off by itself."""
WORTH = 25_000
"""Vectors that another core is asked for: comparing them takes 0.6 ms."""


@dataclass(frozen=True)
class Quantized:
    """Unit vectors, rounded each with a scale of its own."""

    codes: NDArray[np.int8]
    """Shape (n, d)."""
    scales: NDArray[np.float32]
    """Shape (n,): what 1 stands for in each; nan where the vector is damaged, and so are then its bounds."""

    @classmethod
    def of(cls, vectors: Vectors) -> "Quantized":
        """Vectors of shape (n, d), rounded."""
        scales = (np.abs(vectors).max(axis=1, initial=0.0) / LARGEST_CODE).astype(np.float32)
        scales[~np.isfinite(scales)] = np.nan
        codes = np.zeros(vectors.shape, np.int8)
        with np.errstate(all="ignore"):
            np.rint(vectors / scales[:, None], out=codes, where=scales[:, None] > 0, casting="unsafe")
        return cls(codes, scales)

    @classmethod
    def joined(cls, parts: Sequence["Quantized"]) -> "Quantized":
        """The vectors of one after those of another."""
        return cls(np.concatenate([part.codes for part in parts]), np.concatenate([part.scales for part in parts]))

    def __getitem__(self, which: slice | NDArray[Any]) -> "Quantized":
        return Quantized(self.codes[which], self.scales[which])

    def cosine_bounds(self, vector: Vectors) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Between what the cosine of each with a unit vector of shape (d,) lies: it is at least, and at most, this.

        With q and x as they were and q', x' rounded, |qx - q'x'| <= |q - q'| |x| + |q'| |x - x'|; no number of x is
        off by more than half a scale.
        """
        one = Quantized.of(vector[None])
        dots = _dot_products(one.codes, self.codes)
        rounded = one.codes[0] * one.scales[0]
        cosines = dots * (self.scales * one.scales[0])
        most = np.float32(np.linalg.norm(rounded) * len(vector) ** 0.5 / 2)
        lost = self.scales * most + np.float32(np.linalg.norm(vector - rounded) + UNEVEN)
        return cosines - lost, cosines + lost


def _dot_products(code: NDArray[np.int8], codes: NDArray[np.int8]) -> NDArray[np.float32]:
    """The dot product of one, shape (1, d), with each of many, shape (n, d), on all cores where that is worth it."""
    import numkong

    parts = np.array_split(codes, max(1, min(os.cpu_count() or 1, len(codes) // WORTH)))
    each = map if len(parts) == 1 else _core_pool().map
    dots = each(lambda part: np.asarray(numkong.cdist(code, part, metric="dot"))[0], parts)
    return np.concatenate(list(dots)).astype(np.float32)


@cache
def _core_pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(os.cpu_count(), "compare")

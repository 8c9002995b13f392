"""Exact search: every vector is compared, roughly first, and exactly where it can be among the nearest."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag.embedding.base import Vectors, cosine_similarities
from rag.indexes.index_sync import IndexBroken
from rag.indexes.quantization import Quantized
from rag.stored import Removal, Run, damaged_library

Ids = NDArray[np.int64]
Hits = list[tuple[int, float]]

PIECES = 2
"""Pieces that are looked through for each chunk wanted; most chunks are one piece."""
SPARSE = 4
"""Below a part of all rows as small as this they are gathered; more are compared faster with all others between."""


@dataclass(frozen=True)
class Rows:
    """Chunks, a row a piece."""

    ids: Ids
    """The chunk of each row, ascending but for the sign, which is minus where the chunk is gone."""
    vectors: Vectors
    rounded: Quantized

    @classmethod
    def of(cls, run: Run) -> "Rows":
        """The rows of these chunks."""
        return cls(run.ids, run.vectors, Quantized.of(run.vectors))

    def __getitem__(self, which: slice | NDArray[Any]) -> "Rows":
        return Rows(self.ids[which], self.vectors[which], self.rounded[which])

    def equals(self, other: "Rows") -> bool:
        """Whether all numbers of both are the same."""
        pairs: list[tuple[NDArray[Any], NDArray[Any]]] = [
            (self.ids, other.ids),
            (self.vectors, other.vectors),
            (self.rounded.codes, other.rounded.codes),
            (self.rounded.scales, other.rounded.scales),
        ]
        return all(np.array_equal(mine, theirs) for mine, theirs in pairs)


class ExactIndex:
    """All vectors in memory; called by one thread at a time, with chunks whose ids grow."""

    def __init__(self) -> None:
        self._parts: list[Rows] = []

    def add(self, entries: Sequence[Run]) -> None:
        """Take in chunks."""
        self._parts += map(Rows.of, entries)

    def delete(self, removals: Sequence[Removal]) -> None:
        """Forget chunks."""
        rows = self._all_rows()
        self._parts = [rows[~np.isin(rows.ids, [removal.chunk for removal in removals])]]

    def query(self, vector: Vectors, limit: int) -> Hits:
        """At most `limit` chunk ids with the cosine of their best piece, best first."""
        rows = self._all_rows()
        if not len(rows.ids):
            return []
        least, most = rows.rounded.cosine_bounds(vector)
        certain = nearest_chunks(rows.ids, least, limit)
        # As many chunks are at least as near as the last of these: what cannot be is not among the nearest.
        near = np.flatnonzero(most >= (certain[-1][1] if len(certain) == limit else -np.inf))
        if len(near) * SPARSE < len(rows.ids):
            return nearest_chunks(rows.ids[near], cosine_similarities(vector, rows.vectors[near]), limit)
        return nearest_chunks(rows.ids, cosine_similarities(vector, rows.vectors), limit)

    def __len__(self) -> int:
        """How many vectors are compared."""
        return len(self._all_rows().ids)

    def chunk_cosines(self, vector: Vectors, chunks: Sequence[int]) -> dict[int, float]:
        """The cosine of the best piece of each of the chunks that it knows."""
        every = self._all_rows()
        known, rows, begins = rows_of(every.ids, np.array(chunks, np.int64))
        if not len(rows):
            return {}
        few = len(rows) * SPARSE < len(every.ids)
        scores = (
            cosine_similarities(vector, every.vectors[rows])
            if few
            else cosine_similarities(vector, every.vectors)[rows]
        )
        return dict(zip(known.tolist(), np.maximum.reduceat(scores, begins).tolist(), strict=True))

    def has_other_vectors(self, run: Run) -> bool:
        """Whether it has other vectors for those of the chunks that it knows."""
        every = self._all_rows()
        known, rows, _ = rows_of(every.ids, np.unique(run.ids))
        common = np.isin(run.ids, known)
        return not every[rows].equals(Rows.of(Run(run.ids[common], run.vectors[common])))

    def settle(self) -> None:
        """What was added is found at once."""

    def ids(self) -> set[int]:
        """The chunks that it knows."""
        ids = self._all_rows().ids
        return set(ids[ids > 0].tolist())

    def _all_rows(self) -> Rows:
        """All of them."""
        if len(self._parts) != 1:
            self._parts = [join_rows(self._parts)]
        return self._parts[0]

    def close(self) -> None:
        """Nothing is on disk."""


def nearest_chunks(ids: Ids, scores: NDArray[np.float32], limit: int) -> Hits:
    """The chunks of the rows with the highest scores, at most `limit`, best first; ids below 0 are none, and a score
    that is no number is that of a damaged vector.
    """
    scores = np.where((ids > 0) & np.isfinite(scores), scores, -np.inf)
    count, wanted = len(ids), PIECES * limit
    while True:
        wanted = min(count, wanted)
        # Rows that are as good as the last one wanted are looked at as well: their order decides, as among all.
        rows = np.flatnonzero(scores >= np.partition(scores, count - wanted)[count - wanted])
        order = rows[np.argsort(-scores[rows], kind="stable")]
        hits = best_pieces(((int(ids[i]), float(scores[i])) for i in order if scores[i] > -np.inf), limit)
        if len(hits) == limit or wanted == count:
            return hits
        wanted *= 4


def best_pieces(pieces: Iterator[tuple[int, float]], limit: int) -> Hits:
    """The first, that is best, piece of each chunk, for at most `limit` chunks."""
    best: dict[int, float] = {}
    for chunk, score in pieces:
        if len(best) == limit:
            break
        best.setdefault(chunk, score)
    return list(best.items())


def rows_of(ids: Ids, chunks: Ids) -> tuple[Ids, Ids, Ids]:
    """Those of the chunks that have rows; their rows, chunk after chunk; and where each chunk's rows begin among these.

    `ids` are the chunks of all rows, ascending but for the sign, which is minus where the chunk is gone.
    """
    order = np.abs(ids) if ids.min(initial=0) < 0 else ids
    begins = np.searchsorted(order, chunks)
    known = np.zeros(len(chunks), bool)
    inside = begins < len(ids)
    known[inside] = ids[begins[inside]] == chunks[inside]
    chunks, begins = chunks[known], begins[known]
    counts = np.searchsorted(order, chunks, "right") - begins
    firsts = np.cumsum(counts) - counts
    return chunks, np.arange(counts.sum()) + np.repeat(begins - firsts, counts), firsts


def join_rows(parts: Sequence[Rows]) -> Rows:
    """Rows after one another; raises `LibraryError` where their vectors cannot be of one model."""
    parts = [part for part in parts if part.vectors.shape[1]]
    if not parts:
        return Rows.of(Run(np.zeros(0, np.int64), np.zeros((0, 0), np.float32)))
    if len({part.vectors.shape[1] for part in parts}) > 1:
        raise damaged_library("a vector has not the length that it was kept with")
    return Rows(
        np.concatenate([part.ids for part in parts]),
        np.concatenate([part.vectors for part in parts]),
        Quantized.joined([part.rounded for part in parts]),
    )


@contextmanager
def translate_file_errors() -> Iterator[None]:
    """Turn what files and their contents can do into `IndexBroken`."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise IndexBroken(str(error)) from error

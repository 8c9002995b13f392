"""Exact search: the vectors of all chunks compared one by one, in memory or in files that are mapped into it."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rag.embedding import Vectors, similarities
from rag.feed import Removal, Run
from rag.following import IndexBroken
from rag.schema import damaged

Ids = NDArray[np.int64]
Hits = list[tuple[int, float]]

PIECES = 2
"""Pieces that are looked through for each chunk wanted; most chunks are one piece."""
SPARSE = 4
"""Below a part of all rows as small as this they are gathered; more are compared faster with all others between."""
GONE = 0.25
"""Share of rows whose chunks are gone from which on the files are written anew."""
MATRIX_VERSION = 1
"""Grows when the same vectors give other files: they are then made anew."""
VECTORS, CHUNKS = "vectors.f32", "chunks.i64"
BLOCK = 10_000
"""Rows that are copied at once, 15 MB."""


class ExactIndex:
    """All vectors in memory; called by one thread at a time, with chunks whose ids grow."""

    def __init__(self) -> None:
        self._runs: list[Run] = []

    def add(self, entries: Sequence[Run]) -> None:
        """Take in chunks."""
        self._runs += entries

    def delete(self, removals: Sequence[Removal]) -> None:
        """Forget chunks."""
        ids, vectors = self._rows()
        kept = ~np.isin(ids, [removal.chunk for removal in removals])
        self._runs = [Run(ids[kept], vectors[kept])]

    def query(self, vector: Vectors, limit: int) -> Hits:
        """At most `limit` chunk ids with the cosine of their best piece, best first."""
        ids, vectors = self._rows()
        return nearest(ids, similarities(vector, vectors), limit) if len(ids) else []

    def cosines(self, vector: Vectors, chunks: Sequence[int]) -> dict[int, float]:
        """The cosine of the best piece of each of the chunks that it knows."""
        ids, vectors = self._rows()
        known, rows, begins = rows_of(ids, np.array(chunks, np.int64))
        if not len(rows):
            return {}
        few = len(rows) * SPARSE < len(ids)
        scores = similarities(vector, vectors[rows]) if few else similarities(vector, vectors)[rows]
        return dict(zip(known.tolist(), np.maximum.reduceat(scores, begins).tolist(), strict=True))

    def differs(self, run: Run) -> bool:
        """Whether it has other vectors for those of the chunks that it knows."""
        ids, vectors = self._rows()
        known, rows, _ = rows_of(ids, np.unique(run.ids))
        common = np.isin(run.ids, known)
        return not (np.array_equal(ids[rows], run.ids[common]) and np.array_equal(vectors[rows], run.vectors[common]))

    def settle(self) -> None:
        """What was added is found at once."""

    def ids(self) -> set[int]:
        """The chunks that it knows."""
        ids, _ = self._rows()
        return set(ids[ids > 0].tolist())

    def _rows(self) -> tuple[Ids, Vectors]:
        """The chunk of each row, ascending but for the sign, which is minus where the chunk is gone; and the rows."""
        if len(self._runs) != 1:
            self._runs = [joined(self._runs)]
        return self._runs[0].ids, self._runs[0].vectors

    def close(self) -> None:
        """Nothing is on disk."""


class MatrixIndex(ExactIndex):
    """The same in a folder: the vectors as they are, one after another, and the chunk of each.

    Rows are only added. Those of chunks that are gone are overwritten with zeros and, once there are many, left out
    when the index is closed; which chunk a row is of is written only then. Only the process that owns the folder may
    make one.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self._changed = not (folder / CHUNKS).exists()
        self._ids = np.zeros(0, np.int64)
        self._vectors: Vectors = np.zeros((0, 0), np.float32)
        with broken():
            os.close(os.open(folder / VECTORS, os.O_RDWR | os.O_CREAT, 0o600))
            self._map(np.zeros(0, np.int64) if self._changed else np.fromfile(folder / CHUNKS, "<i8"))

    def _map(self, ids: Ids) -> None:
        """Look at the file, whose rows are of these chunks."""
        size = (self._folder / VECTORS).stat().st_size
        if len(ids):
            shape = (len(ids), size // (4 * len(ids)))
            self._vectors = np.asarray(np.memmap(self._folder / VECTORS, "<f4", "r", shape=shape))
        if size != self._vectors.nbytes:
            raise ValueError("the vectors are not those of the chunks")
        self._ids = ids

    def delete(self, removals: Sequence[Removal]) -> None:
        """Forget chunks."""
        _, rows, _ = rows_of(self._ids, np.array([removal.chunk for removal in removals]))
        self._ids[rows] *= -1
        self._changed = True
        width = 4 * self._vectors.shape[1]
        with broken(), (self._folder / VECTORS).open("r+b") as file:
            for row in rows.tolist():
                file.seek(row * width)
                file.write(bytes(width))

    def settle(self) -> None:
        """Write what was added, so that it is found."""
        with broken():
            if self._runs:
                run, self._runs = joined([Run(self._ids[:0], self._vectors[:0]), *self._runs]), []
                with (self._folder / VECTORS).open("ab") as file:
                    file.write(np.ascontiguousarray(run.vectors, "<f4").data)
                self._map(np.concatenate([self._ids, run.ids]))
                self._changed = True

    def _rows(self) -> tuple[Ids, Vectors]:
        return self._ids, self._vectors

    def close(self) -> None:
        """Note what was changed, and let go of the files."""
        with broken():
            if self._changed and np.count_nonzero(self._ids < 0) > GONE * len(self._ids):
                self._shrink()
            self._vectors = self._vectors[:0].copy()
            if self._changed:
                self._note()

    def _note(self) -> None:
        """Write which chunk each row is of."""
        descriptor = os.open(self._folder / CHUNKS, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(self._ids.astype("<i8").data)

    def _shrink(self) -> None:
        """Leave out the rows whose chunks are gone."""
        kept = np.flatnonzero(self._ids > 0)
        with (self._folder / VECTORS).open("r+b") as file:
            for start in range(0, len(kept), BLOCK):
                block = kept[start : start + BLOCK]
                # No row is moved towards the end: what is read was not overwritten yet.
                file.seek(4 * start * self._vectors.shape[1])
                file.write(self._vectors[block].data)
                file.flush()
            file.truncate(4 * len(kept) * self._vectors.shape[1])
        self._ids = self._ids[kept]


def nearest(ids: Ids, scores: NDArray[np.float32], limit: int) -> Hits:
    """The chunks of the rows with the highest scores, at most `limit`, best first; ids below 0 are none."""
    scores = np.where(ids > 0, scores, -np.inf)
    count, wanted = len(ids), PIECES * limit
    while True:
        wanted = min(count, wanted)
        # Rows that are as good as the last one wanted are looked at as well: their order decides, as among all.
        rows = np.flatnonzero(scores >= np.partition(scores, count - wanted)[count - wanted])
        order = rows[np.argsort(-scores[rows], kind="stable")]
        hits = best_pieces(((int(ids[i]), float(scores[i])) for i in order if ids[i] > 0), limit)
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


def joined(runs: Sequence[Run]) -> Run:
    """Runs as one; raises `LibraryError` where their vectors cannot be of one model."""
    runs = [run for run in runs if run.vectors.shape[1]]
    if not runs:
        return Run(np.zeros(0, np.int64), np.zeros((0, 0), np.float32))
    if len({run.vectors.shape[1] for run in runs}) > 1:
        raise damaged("a vector has not the length that it was kept with")
    return Run(np.concatenate([run.ids for run in runs]), np.concatenate([run.vectors for run in runs]))


@contextmanager
def broken() -> Iterator[None]:
    """Turn what files and their contents can do into `IndexBroken`."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise IndexBroken(str(error)) from error

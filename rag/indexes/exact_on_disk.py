"""The exact index in a folder: its rows in files, one after another, which are mapped into memory."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag.indexes.exact import ExactIndex, Ids, Rows, join_rows, rows_of, translate_file_errors
from rag.indexes.quantization import Quantized
from rag.stored import Removal

GONE = 0.25
"""Share of rows whose chunks are gone from which on the files are written anew."""
MATRIX_VERSION = 2
"""Grows when the same vectors give other files: they are then made anew."""
CHUNKS = "chunks.i64"
VECTORS, CODES, SCALES = "vectors.f32", "codes.i8", "scales.f32"
ROWS_AT_ONCE = 10_000
"""Rows that are copied at once, 15 MB of vectors."""


@dataclass(frozen=True)
class RowFile:
    """Rows of numbers, as they are."""

    path: Path
    number: str
    """Which kind, as NumPy names it."""

    def make_empty(self) -> None:
        """Make an empty one where there is none."""
        os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))

    def map_rows(self, count: int) -> NDArray[Any]:
        """So many rows, which are all of them; raises `ValueError` where they cannot be."""
        size = self.path.stat().st_size
        width = size // (np.dtype(self.number).itemsize * count) if count else 0
        if not width:
            rows: NDArray[Any] = np.zeros((count, width), self.number)
        else:
            rows = np.asarray(np.memmap(self.path, self.number, "r", shape=(count, width)))
        if size != rows.nbytes:
            raise ValueError(f"{self.path.name} has not a row for each of the chunks")
        return rows

    def append_rows(self, rows: NDArray[Any]) -> None:
        """Write them behind the others."""
        with self.path.open("ab") as file:
            file.write(np.ascontiguousarray(rows, self.number).data)

    def wipe_rows(self, count: int, rows: Ids) -> None:
        """Overwrite these of so many rows with zeros."""
        width = self.path.stat().st_size // max(1, count)
        with self.path.open("r+b") as file:
            for row in rows.tolist():
                file.seek(row * width)
                file.write(bytes(width))

    def keep_rows(self, count: int, rows: Ids) -> None:
        """Leave out all but these of so many rows."""
        mapped = self.map_rows(count)
        with self.path.open("r+b") as file:
            for start in range(0, len(rows), ROWS_AT_ONCE):
                block = mapped[rows[start : start + ROWS_AT_ONCE]]
                # No row is moved towards the end: what is read was not overwritten yet.
                file.seek(start * mapped[:1].nbytes)
                file.write(block.data)
                file.flush()
            size = len(rows) * mapped[:1].nbytes
            del mapped
            file.truncate(size)


class MatrixIndex(ExactIndex):
    """All vectors in a folder.

    Rows are only added. Those of chunks that are gone are overwritten with zeros and, once there are many, left out
    when the index is closed; which chunk a row is of is written only then. Only the process that owns the folder may
    make one.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._chunks = folder / CHUNKS
        self._changed = not self._chunks.exists()
        self._files = RowFile(folder / VECTORS, "<f4"), RowFile(folder / CODES, "i1"), RowFile(folder / SCALES, "<f4")
        with translate_file_errors():
            for file in self._files:
                file.make_empty()
            self._all = self._map_files(np.zeros(0, np.int64) if self._changed else np.fromfile(self._chunks, "<i8"))

    def _map_files(self, ids: Ids) -> Rows:
        """What is in the files, whose rows are of these chunks."""
        vectors, codes, scales = (file.map_rows(len(ids)) for file in self._files)
        if codes.shape != vectors.shape or scales.shape != (len(ids), min(1, vectors.shape[1])):
            raise ValueError("the vectors were not all rounded")
        return Rows(ids, vectors, Quantized(codes, scales.reshape(len(ids))))

    def _all_rows(self) -> Rows:
        return self._all

    def delete(self, removals: Sequence[Removal]) -> None:
        """Forget chunks."""
        self.settle()
        _, rows, _ = rows_of(self._all.ids, np.array([removal.chunk for removal in removals]))
        self._all.ids[rows] *= -1
        self._changed = True
        with translate_file_errors():
            for file in self._files:
                file.wipe_rows(len(self), rows)

    def settle(self) -> None:
        """Write what was added, so that it is found."""
        with translate_file_errors():
            if self._parts:
                new, self._parts = join_rows([self._all[:0], *self._parts]), []
                columns: tuple[NDArray[Any], ...] = (new.vectors, new.rounded.codes, new.rounded.scales)
                for file, rows in zip(self._files, columns, strict=True):
                    file.append_rows(rows)
                self._all = self._map_files(np.concatenate([self._all.ids, new.ids]))
                self._changed = True

    def close(self) -> None:
        """Note what was changed, and let go of the files."""
        with translate_file_errors():
            ids = self._all.ids
            # No file is mapped any more when it is cut.
            self._all = join_rows([])
            if self._changed:
                kept = np.flatnonzero(ids > 0)
                if len(kept) < (1 - GONE) * len(ids):
                    for file in self._files:
                        file.keep_rows(len(ids), kept)
                    ids = ids[kept]
                self._note_ids(ids)
                self._changed = False

    def _note_ids(self, ids: Ids) -> None:
        """Write which chunk each row is of."""
        descriptor = os.open(self._chunks, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(ids.astype("<i8").data)

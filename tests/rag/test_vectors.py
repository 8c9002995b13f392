from pathlib import Path

import numpy as np
import pytest

from rag.feed import StoredChunk, VectorEntry
from rag.vectors import ChromaIndex


def entry(number: int, vector: np.ndarray) -> VectorEntry:
    chunk = StoredChunk(number, 1, "text", (), "/source", "title", "file", "text/plain", "", 0, 1, 0, 4, "en")
    return VectorEntry(chunk, vector.reshape(1, -1))


# One after the other: Chroma takes in what it gets at once with as many threads as there are, and where two of them
# link the same node one link may be lost. How often is said in rag/vectors.py; it cannot be promised that it never is.
@pytest.mark.parametrize("seed", range(2))
def test_a_chunk_unlike_the_others_is_found_beside_very_many_that_are_alike(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    alike, other = (v / np.linalg.norm(v) for v in rng.standard_normal((2, 256)).astype(np.float32))
    index = ChromaIndex(tmp_path, "birds")
    for number, vector in enumerate([alike] * 150 + [other] + [alike] * 150):
        index.add([entry(number, vector)])
    index.close()
    index = ChromaIndex(tmp_path, "birds")
    assert index.query(other, 1)[0][0] == 150
    assert 150 in dict(index.query(alike, 301))
    index.close()

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rag.indexes.chroma import ChromaIndex
from rag.stored import StoredChunk, VectorEntry
from tests.fakes.places import ROOT


def entry(number: int, vector: np.ndarray) -> VectorEntry:
    chunk = StoredChunk(number, "text", (), "/source", "title", "file", "text/plain", "", 0, 1, 0, 4)
    return VectorEntry(chunk, vector.reshape(1, -1))


# One after the other: what Chroma gets at once it takes in with as many threads as there are, so that no two graphs are
# the same; when it is opened again it makes the graph anew in that way.
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


def test_as_many_chunks_are_found_as_are_wanted_though_all_are_in_pieces(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    index = ChromaIndex(tmp_path, "birds")
    for number in range(30):
        piece = rng.standard_normal(64).astype(np.float32)
        pieces = np.stack([piece, piece + 0.01 * rng.standard_normal(64).astype(np.float32)])
        chunk = entry(number, piece).chunk
        index.add([VectorEntry(chunk, pieces / np.linalg.norm(pieces, axis=1, keepdims=True))])
    found = index.query(rng.standard_normal(64).astype(np.float32), 10)
    assert len(found) == len(dict(found)) == 10
    assert [cosine for _, cosine in found] == sorted((cosine for _, cosine in found), reverse=True)
    index.close()


def test_nothing_of_the_memory_that_a_graph_was_made_in_reaches_its_files(tmp_path: Path) -> None:
    index = ChromaIndex(tmp_path, "birds")
    rng = np.random.default_rng(1)
    index.add([entry(number, rng.standard_normal(64).astype(np.float32)) for number in range(3)])
    # Three are not written yet: so whatever stands there now is nothing of theirs.
    files = sorted(tmp_path.glob("*/*.bin"))
    assert [file.name for file in files] == ["data_level0.bin", "header.bin", "length.bin", "link_lists.bin"]
    assert {file.name for file in files if file.read_bytes().strip(b"\0")} == {"header.bin"}
    index.close()
    assert {file.name for file in files if file.read_bytes().strip(b"\0")} == {"header.bin"}
    index = ChromaIndex(tmp_path, "birds")
    assert index.ids() == {0, 1, 2}
    index.close()


HOSTILE = {
    "CHROMA_API_IMPL": "chromadb.api.fastapi.FastAPI",
    "CHROMA_SERVER_HOST": "127.0.0.1",
    "CHROMA_SERVER_HTTP_PORT": "9",
    "CHROMA_OTEL_COLLECTION_ENDPOINT": "http://127.0.0.1:9",
    "MIGRATIONS": "what another program means by it",
}


@pytest.mark.parametrize("place", ["the working directory", "the environment"])
def test_settings_that_lie_about_do_not_send_the_library_elsewhere(tmp_path: Path, place: str) -> None:
    here = place == "the working directory"
    (tmp_path / ".env").write_text("".join(f"{name}={value}\n" for name, value in HOSTILE.items() if here))
    script = (
        "import pathlib\nfrom rag.indexes.chroma import ChromaIndex\n"
        "index = ChromaIndex(pathlib.Path('chroma'), 'birds')\n"
        "print(type(index._client._server).__module__)\nindex.close()"
    )
    run = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | ({} if here else HOSTILE),
        check=False,
    )
    assert (run.stdout, run.stderr) == ("chromadb.api.rust\n", "")

import asyncio
import json
import shutil
import sys
from asyncio.subprocess import PIPE, create_subprocess_exec

import numpy as np
import pytest

from rag.embedding import SentenceEmbedder
from rag.fast_embedder import FastEmbedder
from rag.onnx_embedder import (
    MARKER,
    MODEL,
    OnnxBroken,
    OnnxEmbedder,
    export_folder,
    read_marker,
)

FINGERPRINT = SentenceEmbedder().fingerprint
PROSE = "The magpie lines its domed nest of thorny twigs with mud and fine roots. "
TEXTS = ["?", "nest", PROSE, "def nest(bird):\n    return bird.twigs", PROSE * 30, "Ein Nest aus Zweigen", "猫" * 900]


@pytest.fixture(scope="session")
def exports(tmp_path_factory):
    """A folder with a real export."""
    root = tmp_path_factory.mktemp("onnx")
    asyncio.run(FastEmbedder("all-MiniLM-L6-v2", root).prepare())
    return root


@pytest.fixture
def own(exports, tmp_path):
    """A copy of it that a test may damage."""
    return shutil.copytree(exports, tmp_path / "onnx")


def nearest(one, other):
    return np.sum(one * other, axis=1).min()


def test_an_export_is_verified_and_leaves_nothing_else_behind(exports):
    marker = read_marker(export_folder(exports, FINGERPRINT))
    assert marker is not None
    assert (marker.fingerprint, marker.precision in {"int8", "fp32"}, marker.reach) == (FINGERPRINT, True, 256)
    assert 0.99 <= marker.cosine <= 1.0001
    files = {str(path.relative_to(exports)) for path in exports.rglob("*") if path.is_file()}
    name = export_folder(exports, FINGERPRINT).name
    assert files == {f"{name}/{file}" for file in (MARKER, MODEL, "tokenizer.json")} | {f"{name}.lock", "export.log"}


async def test_its_vectors_are_those_of_the_reference(exports, embedder):
    fast = OnnxEmbedder(export_folder(exports, FINGERPRINT), FINGERPRINT)
    right, vectors = await embedder.embed(TEXTS), await fast.embed(TEXTS)
    assert (vectors.shape, vectors.dtype) == ((len(TEXTS), 384), np.float32)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-5)
    assert nearest(vectors, right) >= 0.99
    pieces, theirs = await fast.embed_pieces(TEXTS), await embedder.embed_pieces(TEXTS)
    assert [len(group) for group in pieces] == [len(group) for group in theirs] == [1, 1, 1, 1, 4, 1, 4]
    assert nearest(np.concatenate(pieces), np.concatenate(theirs)) >= 0.99
    count, right_count = await fast.counter(), await embedder.counter()
    assert [count(text) for text in TEXTS] == [right_count(text) for text in TEXTS]


async def test_a_texts_vector_does_not_depend_on_its_company(exports):
    together, alone = (OnnxEmbedder(export_folder(exports, FINGERPRINT), FINGERPRINT) for _ in range(2))
    single = np.concatenate([await alone.embed([text]) for text in TEXTS])
    assert nearest(await together.embed(TEXTS), single) > 0.9999
    assert len(await alone.embed([])) == 0
    assert await alone.embed_pieces([]) == []


async def test_pytorch_is_not_imported_where_an_export_is_there(exports):
    script = (
        "import asyncio, sys, pathlib\n"
        "from rag.fast_embedder import FastEmbedder\n"
        "fast = FastEmbedder('all-MiniLM-L6-v2', pathlib.Path(sys.argv[1]))\n"
        "vectors = asyncio.run(fast.embed(['a nest of twigs']))\n"
        "asyncio.run(fast.embed_pieces(['a nest of twigs ' * 400]))\n"
        "print(vectors.shape, {'torch', 'transformers', 'sentence_transformers', 'onnx'} & set(sys.modules))\n"
    )
    process = await create_subprocess_exec(sys.executable, "-c", script, str(exports), stdout=PIPE, stderr=PIPE)
    assert await process.communicate() == (b"(1, 384) set()\n", b"")


@pytest.mark.parametrize("name", [MODEL, "tokenizer.json"])
async def test_a_flipped_byte_is_found_out_and_the_reference_answers(own, embedder, name):
    folder = export_folder(own, FINGERPRINT)
    with (folder / name).open("r+b") as file:
        file.seek(20_000)
        byte = file.read(1)[0]
        file.seek(20_000)
        file.write(bytes([byte ^ 1]))
    with pytest.raises(OnnxBroken, match="not those that were verified"):
        await OnnxEmbedder(folder, FINGERPRINT).embed(["nest"])
    fast = FastEmbedder("all-MiniLM-L6-v2", own)
    assert nearest(await fast.embed(TEXTS), await embedder.embed(TEXTS)) > 0.999999
    assert not folder.exists()
    await fast.close()


async def test_a_file_that_cannot_be_loaded_is_thrown_away(own):
    folder = export_folder(own, FINGERPRINT)
    (folder / MODEL).write_bytes(b"no graph")
    marker = json.loads((folder / MARKER).read_text())
    marker["files"] |= {MODEL: "6b1e4a5d0c6a6f0f"}
    (folder / MARKER).write_text(json.dumps(marker))
    fast = FastEmbedder("all-MiniLM-L6-v2", own)
    assert (await fast.embed(["nest"])).shape == (1, 384)
    assert not folder.exists()
    await fast.close()

import asyncio
import json
import shutil
import sys
from asyncio.subprocess import PIPE, create_subprocess_exec
from pathlib import Path

import filelock
import numpy as np
import onnx
import pytest

from rag.embedding.onnx_export import choose_graph
from rag.embedding.onnx_model import (
    MARKER,
    MODEL,
    TOKENIZER,
    OnnxBroken,
    OnnxEmbedder,
    export_folder,
    file_digest,
    read_marker,
)
from rag.embedding.selector import FastEmbedder
from rag.embedding.sentence_model import PACKAGED, SentenceEmbedder

FINGERPRINT = SentenceEmbedder().fingerprint
NAME = export_folder(Path(), FINGERPRINT).name
PROSE = "The magpie lines its domed nest of thorny twigs with mud and fine roots. "
TEXTS = ["?", "nest", PROSE, "def nest(bird):\n    return bird.twigs", PROSE * 30, "Ein Nest aus Zweigen", "猫" * 900]


@pytest.fixture
def own(exports, tmp_path):
    """A copy of it that a test may damage."""
    return shutil.copytree(exports, tmp_path / "onnx")


def nearest(one, other):
    return np.sum(one * other, axis=1).min()


def test_an_export_is_verified_and_leaves_nothing_else_behind(exports):
    marker = read_marker(export_folder(exports, FINGERPRINT))
    assert marker is not None
    # On x86 with VNNI and without it, and on ARM, one of the two that read twice as fast is as good as the reference.
    assert (marker.fingerprint, marker.precision in {"int8", "uint8"}, marker.reach) == (FINGERPRINT, True, 256)
    assert 0.99 <= marker.cosine <= 1.0001
    files = {str(path.relative_to(exports)) for path in exports.rglob("*") if path.is_file()}
    assert files == {f"{NAME}/{file}" for file in (MARKER, MODEL, TOKENIZER)} | {f"{NAME}.lock", "export.log"}


async def test_its_vectors_are_those_of_the_reference(exports, embedder):
    fast = OnnxEmbedder(export_folder(exports, FINGERPRINT), FINGERPRINT)
    right, vectors = await embedder.embed(TEXTS), await fast.embed(TEXTS)
    assert (vectors.shape, vectors.dtype) == ((len(TEXTS), 384), np.float32)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-5)
    assert nearest(vectors, right) >= 0.99
    pieces, theirs = await fast.embed_pieces(TEXTS), await embedder.embed_pieces(TEXTS)
    assert [len(group) for group in pieces] == [len(group) for group in theirs] == [1, 1, 1, 1, 4, 1, 4]
    assert nearest(np.concatenate(pieces), np.concatenate(theirs)) >= 0.99
    count, right_count = await fast.make_counter(), await embedder.make_counter()
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
        "from rag.embedding.sentence_model import PACKAGED\nfrom rag.embedding.selector import FastEmbedder\n"
        "fast = FastEmbedder(PACKAGED, pathlib.Path(sys.argv[1]))\n"
        "vectors = asyncio.run(fast.embed(['a nest of twigs']))\n"
        "asyncio.run(fast.embed_pieces(['a nest of twigs ' * 400]))\n"
        "print(vectors.shape, {'torch', 'transformers', 'sentence_transformers', 'onnx'} & set(sys.modules))\n"
    )
    process = await create_subprocess_exec(sys.executable, "-c", script, str(exports), stdout=PIPE, stderr=PIPE)
    assert await process.communicate() == (b"(1, 384) set()\n", b"")


@pytest.mark.parametrize("name", [MODEL, TOKENIZER])
async def test_a_flipped_byte_is_found_out_and_the_reference_answers(own, embedder, name):
    folder = export_folder(own, FINGERPRINT)
    with (folder / name).open("r+b") as file:
        file.seek(20_000)
        byte = file.read(1)[0]
        file.seek(20_000)
        file.write(bytes([byte ^ 1]))
    with pytest.raises(OnnxBroken, match="not those that were verified"):
        await OnnxEmbedder(folder, FINGERPRINT).embed(["nest"])
    fast = FastEmbedder(PACKAGED, own)
    assert nearest(await fast.embed(TEXTS), await embedder.embed(TEXTS)) > 0.999999
    assert not folder.exists()
    await fast.close()


async def test_a_file_that_cannot_be_loaded_is_thrown_away(own):
    folder = export_folder(own, FINGERPRINT)
    (folder / MODEL).write_bytes(b"no graph")
    marker = json.loads((folder / MARKER).read_text())
    marker["files"][MODEL] = file_digest(folder / MODEL)
    (folder / MARKER).write_text(json.dumps(marker))
    fast = FastEmbedder(PACKAGED, own)
    assert (await fast.embed(["nest"])).shape == (1, 384)
    assert not folder.exists()
    await fast.close()


async def test_the_reference_answers_until_an_export_is_there(exports, embedder, tmp_path):
    root = tmp_path / "onnx"
    fast = FastEmbedder(PACKAGED, root)
    right = await embedder.embed(TEXTS)
    assert nearest(await fast.embed(TEXTS), right) > 0.999999
    assert not await fast.is_prepared()
    shutil.copytree(exports, root)
    exported = await OnnxEmbedder(export_folder(root, FINGERPRINT), FINGERPRINT).embed(TEXTS)
    assert nearest(exported, right) >= 0.99 and not np.array_equal(exported, right)
    assert np.array_equal(await fast.embed(TEXTS), exported)
    assert fast.fingerprint == FINGERPRINT
    await fast.close()


def spoil(model):
    """Damage one layer of a graph so that it still loads and runs."""
    graph = onnx.load(model)
    weight = next(tensor for tensor in graph.graph.initializer if "layer_3_output_LayerNorm_weight" in tensor.name)
    weight.CopyFrom(onnx.numpy_helper.from_array(-onnx.numpy_helper.to_array(weight), weight.name))
    onnx.save(graph, model)


async def test_a_graph_that_disagrees_with_the_reference_is_not_chosen(own, embedder):
    folder = export_folder(own, FINGERPRINT)
    precision = read_marker(folder).precision
    other = next(each for each in ("int8", "fp32") if each != precision)
    (folder / MARKER).unlink()
    shutil.copy(folder / MODEL, folder / "good")
    spoil(folder / MODEL)
    (folder / MODEL).rename(folder / "spoilt")
    shutil.copy(folder / "spoilt", folder / "spoilt too")
    assert not await choose_graph(embedder, folder, {other: "spoilt too"}, TEXTS)
    assert await choose_graph(embedder, folder, {other: "spoilt", precision: "good"}, TEXTS)
    marker = read_marker(folder)
    assert marker.precision == precision and marker.cosine >= 0.99
    assert {path.name for path in folder.iterdir()} == {MARKER, MODEL, TOKENIZER}


async def test_a_failure_is_remembered_and_not_tried_again(tmp_path, caplog):
    (tmp_path / f"{NAME}.new").write_text("in the way")
    fast = FastEmbedder(PACKAGED, tmp_path)
    await fast.prepare_export()
    assert "could not be exported" in caplog.text and "FileExistsError" in (tmp_path / "export.log").read_text()
    for embedder in (fast, FastEmbedder(PACKAGED, tmp_path, delay=0)):
        assert await embedder.is_prepared()
        assert (await embedder.embed(["nest"])).shape == (1, 384)
        assert embedder._exporting is None


async def lock_is_free(root):
    """Wait until the process that exports is gone."""
    with await asyncio.to_thread(filelock.FileLock(root / f"{NAME}.lock").acquire, timeout=30):
        return True


async def test_closing_ends_an_export_and_leaves_nothing_that_is_used(tmp_path):
    fast = FastEmbedder(PACKAGED, tmp_path, delay=0)
    await fast.embed(["nest"])
    while not (tmp_path / f"{NAME}.new").exists():
        await asyncio.sleep(0.05)
    await fast.close()
    assert await lock_is_free(tmp_path)
    assert not await FastEmbedder(PACKAGED, tmp_path).is_prepared()


async def test_an_export_ends_with_a_process_that_is_killed(tmp_path):
    script = (
        "import asyncio, pathlib, sys\n"
        "from rag.embedding.sentence_model import PACKAGED\nfrom rag.embedding.selector import FastEmbedder\n"
        "asyncio.run(FastEmbedder(PACKAGED, pathlib.Path(sys.argv[1])).prepare_export())\n"
    )
    process = await create_subprocess_exec(sys.executable, "-c", script, str(tmp_path))
    while not (tmp_path / f"{NAME}.new").exists():
        await asyncio.sleep(0.05)
    process.kill()
    await process.wait()
    assert await lock_is_free(tmp_path)
    assert not await FastEmbedder(PACKAGED, tmp_path).is_prepared()


async def test_other_models_are_not_exported(tmp_path):
    fast = FastEmbedder(str(tmp_path / "own-model"), tmp_path / "onnx")
    assert await fast.is_prepared()
    await fast.prepare_export()
    assert not (tmp_path / "onnx").exists()

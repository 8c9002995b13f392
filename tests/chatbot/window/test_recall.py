"""Turns that are no longer sent are found again when a question is about them."""

from chatbot.conversation.messages import Message
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from chatbot.window.recall import Recall
from rag.embedding.sentence_model import SentenceEmbedder
from tests.fakes.embedder import WordEmbedder
from utils.errors import EmbedderUnavailable

FILLER = [
    m
    for n in range(30)
    for m in (
        Message("user", f"Tell me about topic {n}."),
        Message("assistant", f"Topic {n} is about bricks and mortar."),
    )
]
FACT = [Message("user", "My sister Odile lives in Ghent."), Message("assistant", "How nice for her.")]


async def test_the_turn_that_a_question_is_about_is_found() -> None:
    recall = Recall(EvidenceFinder(SentenceEmbedder()))
    left_out = [*FILLER[:20], *FACT, *FILLER[20:]]
    found = await recall.find_turns("In which town does my sister live?", left_out)
    assert found.splitlines()[:2] == [
        "(From earlier in this conversation:)",
        "- User: My sister Odile lives in Ghent.",
    ]
    assert await recall.find_turns("How do I bake bread with rye flour?", left_out) == ""


async def test_what_was_read_is_read_once_and_anew_in_another_conversation() -> None:
    recall = Recall(EvidenceFinder(WordEmbedder()))
    assert "Odile" in await recall.find_turns("where does my sister odile live", FACT)
    assert "Odile" in await recall.find_turns("where does my sister odile live", [*FACT, *FILLER])
    assert "Odile" not in await recall.find_turns("where does my sister odile live", FILLER)


async def test_without_vectors_nothing_is_recalled() -> None:
    class Broken(WordEmbedder):
        async def embed(self, texts):  # type: ignore[no-untyped-def]
            raise EmbedderUnavailable("No model.")

    assert await Recall(EvidenceFinder(Broken())).find_turns("my sister odile", FACT) == ""


async def test_scripts_without_spaces_are_compared_by_pairs() -> None:
    told = [Message("user", "我妹妹的电话号码是五五五八八三二。"), Message("assistant", "好的。")]
    assert "五五五八八三二" in await Recall(EvidenceFinder(WordEmbedder())).find_turns(
        "妹妹的电话号码是", [*FILLER, *told]
    )

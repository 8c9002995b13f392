from chatbot.models.pipeline.reading.condensing import ROOM, condense_text
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from rag.embedding.sentence_model import SentenceEmbedder


async def test_a_long_text_is_stood_for_by_sentences_of_its_beginning_middle_and_end(
    embedder: SentenceEmbedder,
) -> None:
    lines = [f"Chapter {number} tells of the keeper's night number {number} on the rock." for number in range(200)]
    short = (await condense_text(EvidenceFinder(embedder), "\n".join(lines))).split("\n")
    places = [lines.index(line) for line in short]
    assert places == sorted(places) and len("\n".join(short)) <= ROOM + len(short)
    assert min(places) < 40 and max(places) > 160 and any(80 < place < 120 for place in places)


async def test_a_short_text_stays_as_it_is(embedder: SentenceEmbedder) -> None:
    assert await condense_text(EvidenceFinder(embedder), "# Title\n\nTwo lines.") == "# Title\n\nTwo lines."

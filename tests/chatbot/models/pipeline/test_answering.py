from collections.abc import Sequence

from chatbot.messages import Source
from chatbot.models.base import Text
from chatbot.models.pipeline.answer_evidence import Reading
from chatbot.models.pipeline.answering import AnswerWriter
from chatbot.models.pipeline.parts import Part
from rag.documents import Passage
from tests.fakes.deciding import DecidingModel
from tests.fakes.model import says

STREET = (
    "The council decided by eleven votes to six that Market Street is closed to cars.",
    "The rule begins on the first of March and holds from ten to six.",
    "Lorries may deliver until ten, and residents get a permit.",
    "Benches and trees will cost the town four hundred thousand pounds.",
    "The shopkeepers collected many signatures against the whole plan.",
)


async def test_a_summary_of_which_little_is_borne_out_is_filled_with_sentences_from_all_of_the_text() -> None:
    sources = tuple(Source(n, Passage(said, "https://town.test", "", "web")) for n, said in enumerate(STREET, 1))

    async def supports(sentence: str, found: Sequence[Source], question: str) -> bool:
        return any(sentence.strip() in source.passage.text for source in found)

    model = DecidingModel([says(STREET[4], " The mayor has resigned over it.")])
    reading = Reading("\n".join(STREET), sources, certain=True)
    writer = AnswerWriter(model, Part("Summarise it.", "summary", reading, read=True), "en")
    said = "".join([piece.delta async for piece in writer.write(supports) if isinstance(piece, Text)])
    assert said == f"{STREET[4]} [5] {STREET[0]} [1] {STREET[1]} [2] {STREET[2]} [3]"
    assert writer.written.cited == [5, 1, 2, 3]

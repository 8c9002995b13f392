"""What is told where nothing answers for certain."""

import pytest

from chatbot.conversation.messages import Message, Source
from chatbot.models.dialogue import read_turns
from chatbot.models.pipeline.decision.intent import Intent
from chatbot.models.pipeline.decision.tool_choice import Decision
from chatbot.models.pipeline.lookups import tell_nothing
from chatbot.models.pipeline.parts import Part
from chatbot.models.pipeline.plans import Situation
from chatbot.models.pipeline.reading.answer_evidence import Reading
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from chatbot.prompts.phrases import fill_phrase
from rag.documents import Passage
from tests.fakes.deciding import ReadingModel
from tests.fakes.embedder import WordEmbedder
from tests.fakes.model import says

SAID = "The tower of the Harrow light is 31 metres tall."
ASKED, ENGLISH = "Wie hoch ist der Turm in Harrow?", "How tall is the tower in Harrow?"


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("Der Turm des Leuchtturms ist 31 Meter hoch.", "Der Turm des Leuchtturms ist 31 Meter hoch."),
        ("Der Turm des Leuchtturms ist 13 Meter hoch.", f"“{SAID}”"),
        ("The tower is 31 metres tall.", f"“{SAID}”"),
    ],
)
async def test_what_comes_nearest_is_told_in_the_users_language_where_the_model_tells_the_same(
    written: str, told: str
) -> None:
    source = Source(2, Passage(SAID, "https://harrow.test", "Harrow", "web"))
    part = Part(ASKED, "fact", Reading(SAID, (source,), alike=0.4, quote=SAID))
    intent = Intent(ASKED, Decision({"web_search": 1.0}), "de", (ASKED,), ENGLISH)
    at = Situation(read_turns([Message("user", ASKED)]), (), intent)
    model = ReadingModel([says(written)], holds="no passage", chooses=SAID, doubts=0.6)
    said = await tell_nothing(model, EvidenceFinder(WordEmbedder(dimensions=384)), at, [part], "nothing")
    assert said == f"{fill_phrase('nothing_certain', 'de')} {told} [2]"

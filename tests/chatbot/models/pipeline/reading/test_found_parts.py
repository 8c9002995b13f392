"""What the calls of a turn brought for each part of its question."""

import pytest

from chatbot.conversation.messages import Message, Source, ToolCall
from chatbot.models.dialogue import read_turns
from chatbot.models.pipeline.decision.intent import Intent
from chatbot.models.pipeline.decision.tool_choice import Decision
from chatbot.models.pipeline.parts import Part
from chatbot.models.pipeline.plans import Situation
from chatbot.models.pipeline.reading.answer_evidence import Reading
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from chatbot.models.pipeline.reading.found_parts import nearest_parts, read_part
from rag.documents import Passage
from tests.fakes.deciding import DecidingModel

PARTS = ("Who won the run-off of Lund?", "With how many percent was the run-off of Lund won?")


@pytest.mark.parametrize(
    ("said", "forms"),
    [
        ("Ada Brook won the run-off of Lund with 54.2 percent of the votes.", ["several"]),
        ("She won the run-off of Lund with 54.2 percent, her opponent Rolf Brand got 45.8.", ["fact", "fact"]),
    ],
)
async def test_one_sentence_says_who_it_was_and_how_many_unless_it_only_says_she(
    minilm: EvidenceFinder, said: str, forms: list[str]
) -> None:
    asked = "Who won the run-off of Lund, and with how many percent?"
    call = ToolCall("search_vector_db", {"query": asked})
    page = Source(1, Passage(said, "/lund.md", "Lund", "file"))
    messages = [
        Message("user", asked),
        Message("assistant", "", tool_calls=(call,)),
        Message("tool", "", tool_name="search_vector_db", sources=(page,)),
    ]
    at = Situation(read_turns(messages), (), Intent(asked, Decision(form="several"), "en", PARTS))
    assert [part.form for part in await nearest_parts(minilm, at)] == forms


@pytest.mark.parametrize(("beam", "asked"), [("beam 500", False), ("beam 300", True)])
async def test_what_was_read_of_one_model_is_not_asked_of_the_next_one(
    minilm: EvidenceFinder, beam: str, asked: bool
) -> None:
    model = DecidingModel([])
    page = Source(1, Passage("Burning time: 6.5 hours.", "/beam-300", "Beam 300", "web"))
    reading = Reading(page.passage.text, (page,), alike=0.8, coverage=0.9, quote="Burning time: 6.5 hours.")
    answered = Part("How long does the beam 300 burn?", "fact", reading)
    part = Part(f"How long does the {beam} burn?", "fact", Reading("x"), chosen=True)
    at = Situation(read_turns([Message("user", "How long do they burn?")]), (), Intent("", Decision({}), "en", PARTS))
    ways = read_part(model, minilm, at, part, answered)
    assert ((await anext(ways)) is part) is not asked
    await ways.aclose()

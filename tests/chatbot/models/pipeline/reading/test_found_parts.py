"""What the calls of a turn brought for each part of its question."""

import pytest

from chatbot.conversation.messages import Message, Source, ToolCall
from chatbot.models.dialogue import read_turns
from chatbot.models.pipeline.decision.intent import Intent
from chatbot.models.pipeline.decision.tool_choice import Decision
from chatbot.models.pipeline.plans import Situation
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from chatbot.models.pipeline.reading.found_parts import nearest_parts
from rag.documents import Passage

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

"""What a plan is made from."""

import pytest

from chatbot.conversation.messages import Message
from chatbot.models.dialogue import read_turns
from chatbot.models.pipeline.decision.intent import Intent
from chatbot.models.pipeline.decision.router import ANSWER
from chatbot.models.pipeline.decision.tool_choice import Decision
from chatbot.models.pipeline.plans import Situation


@pytest.mark.parametrize(
    ("talk", "source"),
    [
        (("When does it close?", "At six.", "in french please", "À six heures.", "and in spanish"), "At six."),
        (("When does it close?", "At six.", "in french please", "À six.", "thanks", "Sure.", "in spanish"), "Sure."),
        (("Translate 'at six' into French.", "À six heures.", "and in spanish"), "'at six'"),
        (("in french please", "De quoi ?", "and in spanish"), "De quoi ?"),
    ],
)  # fmt: skip
def test_another_language_is_asked_of_what_stood_there_first(talk: tuple[str, ...], source: str) -> None:
    messages = [Message(("user", "assistant")[place % 2], said) for place, said in enumerate(talk)]
    decision = Decision({ANSWER: 1.0}, form="text", going_on=0.9)
    assert Situation(read_turns(messages), (), Intent(talk[-1], decision, "en", (talk[-1],))).source_text == source

"""What asks for all that somebody has to do."""

import pytest

from chatbot.models.pipeline.duties import asks_duties, asks_duties_alone


@pytest.mark.parametrize(
    "message",
    [
        "what do i have to do before the meter is changed?",
        "What should Mia bring to the camp, and what must she leave at home?",
        "What do I need to bring to the appointment and do before?",
        "What must my husband still prepare?",
        "What are we supposed to do until Friday?",
        "What do they want from me?",
        "what is there to do for me in this mail",
        "What's left to do?",
        "what does the landlord want from us?",
    ],
)
def test_what_has_to_be_done_is_asked(message: str) -> None:
    assert asks_duties(message)


@pytest.mark.parametrize(
    "message",
    [
        "What do I have to pay if I come late?",
        "What must I do to win the game?",
        "When does the fitter come?",
        "What does the ticket cost?",
        "What do you do?",
        "What is there to see in Ghent?",
        "Do I have to bring my own towel?",
        "What did the doctor say?",
    ],
)
def test_what_is_one_thing_or_something_else_is_not(message: str) -> None:
    assert not asks_duties(message)


def test_several_duties_in_one_question_are_asked_together() -> None:
    assert asks_duties_alone("What do I have to sign and bring before the appointment?")
    assert not asks_duties_alone("What do I have to bring, and when does it start?")
    assert not asks_duties_alone("When does it start?")

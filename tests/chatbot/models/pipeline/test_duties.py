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
        "What do I have to do when I move out?",
        "What do I have to do, and when?",
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
        "What do I have to pay for two adults?",
        "What should I bring if it rains?",
        "What should I do with the old batteries?",
        "What do I have to provide as proof of address?",
        "What should I send him as an answer?",
        "What should I do to make this mail more polite?",
        "What do I need to sign up?",
        "What is there to do in Ghent?",
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
    for beside in (", and how long does it take?", "? Can I bring my dog?", "? Does it cost anything?"):
        assert not asks_duties_alone(f"What do I have to bring{beside}")
    assert not asks_duties_alone("Is the fitter coming on Monday, and what do I have to prepare?")
    assert not asks_duties_alone("When does it start?")

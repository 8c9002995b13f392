"""What a message wants, beside what the router says of it."""

import pytest

from chatbot.models.pipeline.decision.tool_choice import FOLLOWS, weigh_going_on


@pytest.mark.parametrize(
    ("message", "goes_on"),
    [
        ("According to my files, when was the boiler serviced?", False),
        ("Was steht in meinen Dateien über den Keller und die Garage?", False),
        ("And in my files?", True),
        ("And how much was the deposit, according to my files?", True),
        ("How long is that guarantee according to my files?", True),
        ("What does it cost according to my notes?", True),
        ("When was the boiler serviced?", True),
    ],
)
def test_a_whole_question_of_the_users_files_begins_anew(message: str, goes_on: bool) -> None:
    earlier = "Was kostet die Wartung?" if "meinen" in message else "What does the service cost?"
    assert (weigh_going_on(0.9, message, earlier) >= FOLLOWS) is goes_on

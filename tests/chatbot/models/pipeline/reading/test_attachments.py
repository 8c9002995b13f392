"""Which attached text a message is about, and which answers were made from one."""

import pytest

from chatbot.models.pipeline.reading.attachments import is_made_from, names_one

LETTER = [("the file /home/letters/old_letter.txt", "The water is off on Thursday from nine to eleven.")]


@pytest.mark.parametrize(
    ("message", "named"),
    [
        ("Put the part about the rent as bullet points.", True),
        ("Write a reply to the letter.", True),
        ("Who sent those letters?", True),
        ("What is the capital of Denmark?", False),
        ("Make it rhyme.", False),
        ("Where is my home?", False),
    ],
)
def test_a_message_names_a_text_by_a_word_of_its_name(message: str, named: bool) -> None:
    assert names_one(message, LETTER) is named
    assert not names_one(message, [])


def test_an_answer_is_made_from_a_text_that_has_its_words() -> None:
    assert is_made_from("The water is off from nine to eleven.", LETTER)
    assert not is_made_from("Rain falls on the roof, and the street shines.", LETTER)

"""What is written from a text without a number."""

import pytest

from chatbot.models.pipeline.parts import Part
from chatbot.models.pipeline.reading.answer_evidence import Reading
from chatbot.models.pipeline.writing.given import says_given

LETTER = "Please pay £20 by Friday. Yours, Ada Reed and the customer service."


@pytest.mark.parametrize(
    ("question", "sentence", "says"),
    [
        ("Who wrote the letter?", "The person who wrote the letter is called Alice.", False),
        ("What is the writer called?", "She is called Alice.", False),
        ("Who wrote the letter?", "Ada Reed wrote it.", True),
        ("Who wrote the letter?", "The customer service did.", True),
        ("Who has signed it?", "Nobody has signed it.", True),
        ("Wer hat unterschrieben?", "Der Vermieter hat unterschrieben.", True),
        ("Where does it come from?", "It comes from Vellin.", True),
        ("How much do I pay?", "You pay £30.", False),
    ],
)
def test_who_it_is_a_text_says_only_that_names_them(question: str, sentence: str, says: bool) -> None:
    assert says_given(Part(question, "fact", Reading(LETTER)), sentence, question, "en") is says

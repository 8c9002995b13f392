"""Which attached text a message is about, and which answers were made from one."""

import pytest

from chatbot.models.pipeline.reading.attachments import is_made_from, names_one, read_attached
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from tests.fakes.embedder import WordEmbedder

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
        ("Summarise the document in two sentences please.", True),
        ("Summarise the report the UN published today", False),
        ("Improve my resume for the report", False),
    ],
)
def test_a_message_names_a_text_by_a_word_of_its_name(message: str, named: bool) -> None:
    assert names_one(message, LETTER) is named
    assert not names_one(message, [])


def test_an_answer_is_made_from_a_text_that_has_its_words() -> None:
    assert is_made_from("The water is off from nine to eleven.", LETTER)
    assert not is_made_from("Rain falls on the roof, and the street shines.", LETTER)


async def test_of_the_tables_of_two_years_the_one_that_is_asked_about_tells_the_most() -> None:
    finder = EvidenceFinder(WordEmbedder())
    files = [
        ("the file rain-2024.csv", "month: May; rain: 71\nmonth: June; rain: 80\nmonth: July; rain: 12"),
        ("the file rain-2025.csv", "month: May; rain: 64\nmonth: June; rain: 33\nmonth: July; rain: 58"),
    ]
    asked = "These are our figures. In which month of 2025 was there the most rain, and how much was it?"
    [reading] = await read_attached(finder, files, [(asked, "")], "fact")
    assert reading.certain and reading.quote == "month: May; rain: 64"
    beside = [("the file rain.csv", files[1][1]), ("the file minutes-2025.md", "We met twice in the year.")]
    [reading] = await read_attached(finder, beside, [(asked, "")], "fact")
    assert reading.quote == "month: May; rain: 64"

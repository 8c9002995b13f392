"""A text that streams is given on sentence by sentence."""

import re

from chatbot.models.pipeline.writing.written import WRITTEN_SENTENCE_END, SentenceSplitter

ENDS = re.compile(r"(?<=[.!?]\s)|(?<=\n)")
TEXT = "It leaves at nine. Is that late?\nNo"


def test_a_sentence_is_given_as_soon_as_it_ends_and_the_rest_at_the_end() -> None:
    for size in (1, 4, len(TEXT)):
        splitter = SentenceSplitter(ENDS)
        sentences = [s for at in range(0, len(TEXT), size) for s in splitter.feed(TEXT[at : at + size]) if s]
        assert [*sentences, *splitter.rest()] == ["It leaves at nine. ", "Is that late?\n", "No"]


def test_of_a_text_that_ends_with_a_sentence_nothing_is_left() -> None:
    splitter = SentenceSplitter(ENDS)
    assert [splitter.feed("No.\n"), splitter.rest()] == [["No.\n"], []]


def test_the_day_of_a_month_ends_no_sentence() -> None:
    text = "Es ist am 3. Dezember. Im Jahr 2027. Um 9:30. Es kostet £14.50. Wann? Am 4. Mai"
    splitter = SentenceSplitter(WRITTEN_SENTENCE_END)
    sentences = [sentence for character in text for sentence in splitter.feed(character)]
    assert [*sentences, *splitter.rest()] == [
        "Es ist am 3. Dezember.",
        "Im Jahr 2027.",
        "Um 9:30.",
        "Es kostet £14.50.",
        "Wann?",
        "Am 4. Mai",
    ]

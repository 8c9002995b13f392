"""Names that were typed small."""

import pytest

from chatbot.conversation.capitals import with_capitals

PAGE = (
    "# Hours Of The Pool\n\nThe pool of Odham opens at nine. In winter the train to Odham runs late, "
    "and in May as well.\n\n"
    "| Day | Hours |\n|---|---|\n| Saturday | 9 |"
)


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("when does the pool in odham open?", "when does the pool in Odham open?"),
        ("what are the hours of the pool?", "what are the hours of the pool?"),
        ("may i take the train?", "may i take the train?"),
        (
            "when does the pool open in Odham, and the odham train?",
            "when does the pool open in Odham, and the odham train?",
        ),
        ("Is there a train to odham?", "Is there a train to Odham?"),
        ("is the AW 7 in odham?", "is the AW 7 in Odham?"),
    ],
)
def test_a_name_that_was_typed_small_gets_the_capital_that_it_has_within_the_sentences_of_a_text(
    question: str, named: str
) -> None:
    assert with_capitals(question, [PAGE]) == named


def test_a_name_that_opens_a_sentence_is_one_where_a_capital_goes_on_and_a_heading_tells_nothing() -> None:
    texts = ["Odham Pool lies by the lock.\n\n# Deep Water is here\n\nSwimming costs £3."]
    asked = "how deep is the water in odham pool for swimming?"
    assert with_capitals(asked, texts) == "how deep is the water in Odham Pool for swimming?"


def test_nouns_in_german_have_theirs_and_a_word_that_also_stands_small_has_none() -> None:
    texts = ["Am Samstag ist der Hof in Ulmbach offen.", "Wir bringen das auf den hof."]
    assert with_capitals("wann hat der hof in ulmbach am samstag auf?", texts) == (
        "wann hat der hof in Ulmbach am Samstag auf?"
    )
    assert with_capitals("wann hat der hof auf?", []) == "wann hat der hof auf?"

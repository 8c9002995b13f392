"""Names that hold another name."""

import pytest

from chatbot.models.pipeline.reading.namesakes import longer_named_titles

MUSEUMS = ["Harrow Water Museum", "Visit the Harrow Museum", "The museum of Harrow"]


@pytest.mark.parametrize(
    "question", ["When does the Harrow Museum close?", "Does Harrow Museum open today?", "Harrow Museum: prices"]
)
def test_a_title_with_words_between_those_of_a_name_is_of_something_else(question: str) -> None:
    assert longer_named_titles(question, MUSEUMS) == [True, False, False]


def test_where_no_title_has_the_name_as_it_is_the_longer_one_may_be_meant() -> None:
    assert longer_named_titles("When does the Harrow Museum close?", [MUSEUMS[0], "Prices"]) == [False, False]
    assert longer_named_titles("When does the Harrow Water Museum close?", MUSEUMS) == [False, False, False]
    assert longer_named_titles("when does the museum close?", MUSEUMS) == [False, False, False]


def test_a_title_that_has_the_name_is_of_it_whatever_stands_beside_it() -> None:
    titles = ["Harrow Museum and Harrow Water Museum", "Harrow Museum: tickets"]
    assert longer_named_titles("When does the Harrow Museum close?", titles) == [False, False]

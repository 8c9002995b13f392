"""What a question asks how much of, and which of these a text has figures of."""

import pytest

from utils.languages.dimensions import asked_dimensions, dimensions_in, tells_another_dimension


@pytest.mark.parametrize(
    ("question", "dimension", "told", "other"),
    [
        ("how heavy is the corvo", "mass", "41 kg", "£41"),
        ("How long does a repair take?", "time", "10 days", "$120"),
        ("how far does it go on one charge", "length", "110 km", "26 kg"),
        ("wie laut ist er", "loudness", "61 dB", "38 kg"),
        ("combien ça pèse", "mass", "1 690 g", "184 €"),
        ("¿cuánto tiempo tarda?", "time", "3 días", "12 €"),
        ("quanto viene la moto", "money", "21,50 €", "3 ore"),
        ("hoe zwaar is hij", "mass", "17,3 kg", "53 cm"),
    ],
)
def test_what_is_asked_how_much_of_is_told_by_a_figure_with_its_unit(
    question: str, dimension: str, told: str, other: str
) -> None:
    assert dimension in asked_dimensions(question)
    assert dimensions_in(told) == {dimension}
    assert dimension not in dimensions_in(other)


@pytest.mark.parametrize(
    ("sentence", "question", "another"),
    [
        ("The total is £238.80.", "How many hours did they work?", True),
        ("It weighs 41 kg.", "How loud is it?", True),
        ("They worked 2.5 hours at £52.", "How many hours did they work?", False),
        ("It is 20 minutes on foot.", "How far is the station?", False),
        ("The path is 12 km long.", "How long is the path?", False),
        ("It was built in 1912.", "How old is the mill?", False),
        ("You pay within 30 days.", "How do I pay?", False),
        ("It weighs 41 kg.", "Which one is the best?", False),
    ],
)
def test_a_figure_of_something_else_is_told_from_one_that_was_asked_for(
    sentence: str, question: str, another: bool
) -> None:
    assert tells_another_dimension(sentence, question) is another


def test_a_number_without_a_unit_is_of_nothing() -> None:
    assert dimensions_in("Room 41, 12 places") == frozenset()
    assert asked_dimensions("Who leads the choir?") == frozenset()

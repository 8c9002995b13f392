"""What a question asks how much of, and which of these a text has figures of."""

import pytest

from utils.languages.dimensions import asked_dimensions, dimensions_in, tells_money_instead


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
    ("sentence", "question", "instead"),
    [
        ("The total is £238.80.", "How many hours did they work?", True),
        ("It costs 41 euros.", "How heavy is it?", True),
        ("They worked 2.5 hours at £52.", "How many hours did they work?", False),
        ("It lasts six weeks and costs £90.", "How long does it last?", False),
        ("It costs £13.40.", "What does it cost to send a parcel that weighs 3 kg?", False),
        ("The deposit is £200.", "How high is the deposit?", False),
        ("It is £50 off.", "How large is the discount?", False),
        ("Monday to Friday; entry is £5.", "How many days is it open?", False),
        ("The £12 ticket is valid until midnight.", "How long is the ticket valid?", False),
        ("It was built in 1912 in Leeds.", "How old is the mill?", False),
        ("You pay £12 within 30 days.", "How do I pay?", False),
    ],
)
def test_money_is_no_answer_to_how_much_of_something_else_there_is(sentence: str, question: str, instead: bool) -> None:
    assert tells_money_instead(sentence, question) is instead


def test_a_number_without_a_unit_is_of_nothing() -> None:
    assert dimensions_in("Room 41, 12 places") == frozenset()
    assert asked_dimensions("Who leads the choir?") == frozenset()

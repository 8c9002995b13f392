import pytest

from chatbot.models.pipeline.comparing import (
    asks_difference,
    compares,
    compares_two,
    sides_of_difference,
    wants_more,
)


def test_what_asks_for_a_difference_is_known() -> None:
    assert asks_difference("By how much does the Arlo weigh less than the Benn?")
    assert asks_difference("How many years older is the bridge?")
    assert asks_difference("How much harder is the red route?")
    assert not asks_difference("How much is that together?")
    assert not asks_difference("How much does dinner cost in winter?")
    assert asks_difference("What is the difference in price?")
    assert not asks_difference("How much does the Arlo weigh?")
    assert not asks_difference("How many rooms does the inn have?")


def test_by_how_much_one_weighs_compared_to_another_asks_for_the_difference() -> None:
    assert asks_difference("By how much does the Arlo weigh compared to the Benn?")
    assert not asks_difference("How much does the Arlo weigh?")


def test_what_compares_two_things_is_known() -> None:
    assert compares("Which is taller, the old tower or the new one?")
    assert compares("Who has more medals, Ida or Tom?")
    assert compares("And which of the two is the cheapest?")
    assert not compares("What do the old and the new bridge weigh?")
    assert not compares("Which river flows under the letter tower in winter?")


@pytest.mark.parametrize(
    ("question", "two"),
    [
        ("Which of them has the longer handle? (Arlo, Benn)", True),
        ("What is heavier, the Arlo or the Benn?", True),
        ("Which is the longest river in Vellin?", False),
        ("What does a longer stay at the Vellin inn cost?", False),
        ("When does the inn open?", False),
    ],
)
def test_which_of_two_is_not_asked_of_the_most_of_many_nor_of_one_thing(question: str, two: bool) -> None:
    assert compares_two(question) == two


@pytest.mark.parametrize(
    ("question", "unit", "is_year", "more"),
    [
        ("Which lamp is heavier?", "g", False, True),
        ("Which of them is the cheapest?", "€", False, False),
        ("Which bus is faster?", "minutes", False, False),
        ("Which car is faster?", "km", False, True),
        ("Which bridge is older?", "", True, False),
        ("Who is older, Ida or Tom?", "years", False, True),
        ("Which law is more recent?", "", True, True),
        ("Who has won more medals?", "medals", False, True),
        ("Which costs less?", "€", False, False),
        ("Which uses less water?", "W", False, None),
        ("Which is nicer?", "€", False, None),
        ("What do they cost?", "€", False, None),
    ],
)
def test_whether_the_more_or_the_less_is_asked_for_is_known(
    question: str, unit: str, is_year: bool, more: bool | None
) -> None:
    assert wants_more(question, unit, is_year=is_year) is more


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        (
            "how much more expensive is the Arlo 2 compared to the Arlo 1?",
            ("How expensive is the Arlo 2?", "How expensive is the Arlo 1?"),
        ),
        (
            "And how much heavier is the Arlo than the Beam?",
            ("How heavy is the Arlo?", "How heavy is the Beam?"),
        ),
        ("How much cheaper is the Arlo than the Beam?", ("How expensive is the Arlo?", "How expensive is the Beam?")),
        ("How much wider is the Arlo than the Beam?", ("How wide is the Arlo?", "How wide is the Beam?")),
        ("How much bigger was Vellin than Oldham?", ("How big was Vellin?", "How big was Oldham?")),
        ("How much taller is the mill than the tower?", ()),
        ("How much better is the Arlo than the Beam?", ()),
        ("How much more protein is in the Arlo than in the Beam?", ()),
        ("How much more expensive is the Arlo than last year?", ()),
        ("Why is there such a temperature difference between Vellin and Oldham?", ()),
        ("What is the difference in price between adults and children at the Orla pool?", ()),
        (
            "What is the difference in weight between the Arlo and the Beam?",
            ("What is the weight of the Arlo?", "What is the weight of the Beam?"),
        ),
        (
            "What's the price difference between the Arlo and the Beam?",
            ("What is the price of the Arlo?", "What is the price of the Beam?"),
        ),
        ("How much heavier is it than the Beam?", ()),
        ("How much is the water for the Beam?", ()),
        ("What is the difference between a lease and a licence?", ()),
        ("How much more does the Arlo hold?", ()),
    ],
)
def test_the_difference_between_two_things_that_are_named_asks_the_same_of_each(
    question: str, sides: tuple[str, ...]
) -> None:
    assert sides_of_difference(question) == sides

"""What a message wants in figures."""

from fractions import Fraction

import pytest

from chatbot.models.pipeline.worked_out.conditions import conditions_in


@pytest.mark.parametrize(
    ("said", "value", "below", "same", "above"),
    [
        ("it must cost at most £70", 70, True, True, False),
        ("it must not cost more than 70 pounds", 70, True, True, False),
        ("no heavier than 2.5 kg", "2.5", True, True, False),
        ("it isn't longer than two metres", 2, True, True, False),
        ("lighter than one and a half kilograms", "1.5", True, False, False),
        ("under a hundred euros", 100, True, False, False),
        ("it is over 3 m tall", 3, False, False, True),
        ("with at least 12 GB of memory", 12, False, True, True),
        ("no less than 12 GB", 12, False, True, True),
        ("six hours or more", 6, False, True, True),
        ("20 W or less", 20, True, True, False),
        ("shorter than half a metre", "0.5", True, False, False),
        ("max. 20 kg", 20, True, True, False),
        ("twenty-five litres or less", 25, True, True, False),
        ("Which no-frost fridge costs under £500?", 500, True, False, False),
        ("I weigh 90 kg, which costs under 40 euros?", 40, True, False, False),
        ("with a guarantee of five years", 5, False, True, True),
        ("it may cost 300 pounds at most", 300, True, True, False),
        ("12 GB of memory at least", 12, False, True, True),
        ("We want to go away for two weeks. I need one that weighs at most 3 kg.", 3, True, True, False),
        ("Of three stoves for two people I read a test. It must cost at most £70.", 70, True, True, False),
    ],
)
def test_a_bound_is_read_in_the_words_that_people_have_for_it(
    said: str, value: str, below: bool, same: bool, above: bool
) -> None:
    [condition] = conditions_in(said)
    wanted = Fraction(value)
    assert condition.amount.value == wanted
    assert [condition.holds(Fraction(one), wanted) for one in (wanted / 2, wanted, wanted * 2)] == [below, same, above]


def test_each_clause_has_a_condition_of_its_own() -> None:
    found = conditions_in("I want one for under £200 that weighs no more than 2 kg, and holds 40 litres or more.")
    assert [(c.amount.sign or c.amount.unit, c.amount.value) for c in found] == [("£", 200), ("kg", 2), ("litres", 40)]


@pytest.mark.parametrize(
    "said", ["What does it cost?", "Who is better than Ann?", "I have a budget of 700 euros.", "from 2019 to 2021", ""]
)
def test_what_says_no_figure_sets_no_condition(said: str) -> None:
    assert not conditions_in(said)


@pytest.mark.parametrize(
    "said",
    ["I want a hotel 10 min from the beach.", "I want to go out in one that has a rudder. It must cost under £700."],
)
def test_what_is_only_half_read_sets_no_condition(said: str) -> None:
    assert not conditions_in(said)

import pytest

from chatbot.models.pipeline.writing.difference import asks_difference, compares, tell_difference
from utils.languages.detection import language_of


@pytest.mark.parametrize(
    ("question", "answers", "told"),
    [
        (
            "Which kettle is heavier, the Arlo 2 or the Benn X5, and by how much?",
            ["The Arlo 2 weighs 1,250 grams. [3]", "The Benn X5 weighs 980 grams. [4]"],
            "1250 grams − 980 grams = 270 grams",
        ),
        (
            "Which ticket is cheaper, the red or the blue one?",
            ["It costs €12.50. [1]", "It costs €9. [1, 2]"],
            "€12.5 − €9 = €3.5",
        ),
        (
            "Welcher Turm ist höher?",
            ["Der alte Turm ist 61 m hoch. [2]", "Der neue Turm ist 84,5 m hoch. [1]"],
            "84.5 m − 61 m = 23.5 m",
        ),
        ("Which bridge is older?", ["It was built in 1854 by Ann Lowe.", "It was opened in 1911."], "1911 − 1854 = 57"),
    ],
)
def test_the_difference_of_two_figures_in_one_unit_is_worked_out(question: str, answers: list[str], told: str) -> None:
    assert tell_difference(question, answers, language_of(question) or "en") == told


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which is heavier?", ["It weighs 94 grams.", "It weighs 1.2 kg."]),
        ("Which is heavier?", ["It weighs 94 grams.", "I found nothing about this."]),
        ("Which is heavier?", ["It weighs 94 grams and costs 30 €.", "It weighs 120 grams."]),
        ("Which is heavier?", ["It weighs 94 grams.", "It weighs 94 grams."]),
        ("Which opens earlier?", ["It opens at 9:30.", "It opens at 10:00."]),
        ("Which is open longer?", ["It is open 10-18.", "It is open 9-17."]),
        ("Compare the Arlo 2 and the Benn 5.", ["The Arlo 2 is red.", "The Benn 5 is blue."]),
        ("Compare three.", ["It has 3 rooms.", "It has 4 rooms.", "It has 5 rooms."]),
    ],
)
def test_where_there_are_not_two_figures_of_one_kind_nothing_is_worked_out(question: str, answers: list[str]) -> None:
    assert tell_difference(question, answers, "en") == ""


def test_what_asks_for_a_difference_is_known() -> None:
    assert asks_difference("By how much does the Arlo weigh less than the Benn?")
    assert asks_difference("How many years older is the bridge?")
    assert asks_difference("What is the difference in price?")
    assert not asks_difference("How much does the Arlo weigh?")
    assert not asks_difference("How many rooms does the inn have?")


def test_what_compares_two_things_is_known() -> None:
    assert compares("Which is taller, the old tower or the new one?")
    assert compares("Who has more medals, Ida or Tom?")
    assert not compares("What do the old and the new bridge weigh?")

import pytest

from chatbot.models.pipeline.worked_out.difference import tell_difference


@pytest.mark.parametrize(
    ("asked", "said", "told"),
    [
        (
            "Which kettle is heavier, the Arlo 2 or the Benn X5, and by how much?",
            {
                "What does the Arlo 2 weigh?": "The Arlo 2 weighs 1,250 grams. [3]",
                "What does the Benn X5 weigh?": "It weighs 980 grams. [4]",
            },
            "Arlo 2: 1250 grams − 980 grams = 270 grams",
        ),
        (
            "Which kettle is heavier, the Arlo 2 or the Benn X5, and by how much?",
            {"What does the Arlo 2 weigh?": "Weight: 1.25 kg [3]", "What does the Benn X5 weigh?": "980 grams. [4]"},
            "Arlo 2: 1.25 kg − 0.98 kg = 0.27 kg",
        ),
        (
            "which pump runs longer, the tarn 20 or the tarn 40?",
            {
                "How long does the tarn 20 run?": "It runs 3 hours. [3]",
                "How long does the tarn 40 run?": "5 hours. [4]",
            },
            "Tarn 40: 5 hours − 3 hours = 2 hours",
        ),
        (
            "Which ticket is cheaper, the red or the blue one?",
            {"What does the red ticket cost?": "It costs €12.50. [1]", "What does the blue ticket cost?": "€9. [1, 2]"},
            "Blue: €12.50 − €9 = €3.50",
        ),
        (
            "Which tower is higher?",
            {
                "Wie hoch ist der Turm von Hollen?": "Er ist 61 m hoch. [2]",
                "Wie hoch ist der Turm von Alt Bremm?": "Er ist 84,5 m hoch. [1]",
            },
            "Alt Bremm: 84.5 m − 61 m = 23.5 m",
        ),
        (
            "Which bridge is older?",
            {"When was Low Bridge built?": "In 1854 by Ann Lowe.", "When was High Bridge built?": "It opened in 1911."},
            "Low Bridge: 1911 − 1854 = 57",
        ),
        (
            "Which train is faster?",
            {"How long does the red train take?": "95 minutes.", "How long does the night train take?": "120 minutes."},
            "Red: 120 minutes − 95 minutes = 25 minutes",
        ),
        (
            "Which of them has the longer warranty?",
            {
                "How long is the warranty of the Arlo Q2?": "The Arlo Q2 has a warranty of 2 years. [1]",
                "How long is the warranty of the Arlo Q3?": "The warranty is 5 years. [2]",
            },
            "Arlo Q3: 5 years − 2 years = 3 years",
        ),
        (
            "Which museum has more visitors?",
            {
                "How many visitors has the Harbour Museum?": "9,000 visitors.",
                "How many visitors has the Mill?": "4,500 visitors.",
            },
            "Harbour Museum: 9000 visitors − 4500 visitors = 4500 visitors",
        ),
    ],
)
def test_which_of_two_things_is_asked_for_and_the_difference_are_worked_out(
    asked: str, said: dict[str, str], told: str
) -> None:
    language = "de" if "Wie hoch" in str(said) else "en"
    assert tell_difference(asked, list(said.items()), language) == told


@pytest.mark.parametrize(
    "asked", ["Compare Arlo and Benn.", "Which is greener?", "Which is more economical?", "Which one has more rooms?"]
)
def test_where_it_is_not_clear_which_has_more_the_difference_alone_is_told(asked: str) -> None:
    said = [("What does Arlo use?", "It uses 94 watts."), ("What does Benn use?", "It uses 120 watts.")]
    assert tell_difference(asked, said, "en") == "120 watts − 94 watts = 26 watts"


@pytest.mark.parametrize(
    ("asked", "answers"),
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
def test_where_there_are_not_two_figures_of_one_kind_nothing_is_worked_out(asked: str, answers: list[str]) -> None:
    assert tell_difference(asked, [(f"And {answer}", answer) for answer in answers], "en") == ""

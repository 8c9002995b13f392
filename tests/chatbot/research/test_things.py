"""What a question lists is asked of each thing, and what speaks of something names it."""

import pytest

from chatbot.research.things import ask_of_each, listed_things, name_subjects, named_things

HOUSES = "Compare the Arn Museum, the Arn Mill Museum and the Arn Lido: what does each cost, and when is it open?"


@pytest.mark.parametrize(
    ("question", "things"),
    [
        (HOUSES, ("Arn Museum", "Arn Mill Museum", "Arn Lido")),
        ("Price and weight of the tents Nomad 2 and Nomad 3 and of the lamp Lumo 8?", ("Nomad 2", "Nomad 3", "Lumo 8")),
        ("Was kosten das Museum, das Bad und die Berg- und Talfahrt?", ("Museum", "Bad", "Berg- und Talfahrt")),
        ("¿Qué cuestan el Museo del Corcho y el Faro?", ("Corcho", "Faro")),
        ("When does the ferry to Holm sail, what does it cost and who runs it?", ()),
        ("Who is Lea Holt?", ()),
        ("Πόσο κοστίζουν το μουσείο και το πλοίο;", ()),
        ("Πόσο κοστίζουν το Μουσείο και το Πλοίο;", ("Μουσείο", "Πλοίο")),
        ("博物馆和游泳池要多少钱？", ()),
        ("", ()),
    ],
)
def test_the_names_of_a_list_are_found(question: str, things: tuple[str, ...]) -> None:
    assert listed_things(question) == things


def test_a_longer_name_is_not_the_shorter_one_in_it() -> None:
    things = listed_things(HOUSES)
    assert named_things("The Arn Mill Museum: prices", things) == ["Arn Mill Museum"]
    assert named_things("the arn museum", things) == ["Arn Museum"]
    assert named_things("The Arn Museums", things) == []


def test_what_is_asked_of_one_thing_is_asked_of_all() -> None:
    plan = ["What does the Arn Museum cost?", "When is the Arn Museum open?", "When is the Arn Lido open?"]
    assert ask_of_each(HOUSES, plan) == [
        *plan,
        "What does the Arn Mill Museum cost?",
        "What does the Arn Lido cost?",
        "When is the Arn Mill Museum open?",
    ]


def test_what_one_thing_is_called_is_not_said_of_another() -> None:
    question = "Price and weight of the kettle Zephyr Q2, the Zephyr Q3 and the drill Ferro 18?"
    plan = ["What does the Zephyr Q2 weigh?", "What does the Zephyr Q3 weigh?", "What does the drill Ferro 18 weigh?"]
    plan += ["What is the price of the drill Ferro 18?"]
    assert ask_of_each(question, plan) == [
        *plan,
        "What is the price of the Zephyr Q2?",
        "What is the price of the Zephyr Q3?",
    ]


def test_what_the_question_asks_of_one_thing_alone_is_not_asked_of_the_others() -> None:
    question = "What do the Nomad 2 and the Nomad 3 weigh, and who sells the Nomad 3?"
    plan = ["What does the Nomad 2 weigh?", "Who sells the Nomad 3?"]
    assert ask_of_each(question, plan) == [*plan, "What does the Nomad 3 weigh?"]


def test_a_question_that_names_nothing_has_the_names_of_the_one_before_in_front() -> None:
    question = "What burned in the Torn Bakery in 2026, and when does it open again?"
    plan = ["What burned in the Torn Bakery?", "When does the bakery open again?", "Where is the Torn Bakery?"]
    assert name_subjects(question, plan) == [plan[0], "Torn Bakery: When does the bakery open again?", plan[2]]
    assert name_subjects("what does it cost?", ["What does it cost?"]) == ["What does it cost?"]

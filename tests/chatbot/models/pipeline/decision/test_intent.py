"""A message that goes on from before, made to stand alone."""

import pytest

from chatbot.conversation.messages import Message
from chatbot.models.dialogue import read_turns
from chatbot.models.pipeline.decision.intent import names_in, stand_alone, without_addresses
from tests.fakes.deciding import DecidingModel


@pytest.mark.parametrize(
    ("earlier", "message", "query"),
    [
        ("When does the mill in Vellin open?", "and how much is it?", "and how much is it? (Vellin)"),
        ("When does the mill in Vellin open?", "Who was Ada Lovelace?", "Who was Ada Lovelace?"),
        (
            "Was kostet eine Karte für die Mühle Vellin?",
            "Wie lange hat sie am Montag offen?",
            "Wie lange hat sie am Montag offen? (Karte Mühle Vellin)",
        ),
        ("Was kostet eine Karte für die Mühle Vellin?", "Wer war Konrad Zuse?", "Wer war Konrad Zuse?"),
        ("When was Vellin founded?", "No, the mill.", "When was Vellin founded? (No, the mill.)"),
    ],
)
async def test_where_the_model_adds_nothing_the_names_of_the_question_before_are_added(
    earlier: str, message: str, query: str
) -> None:
    turns = read_turns([Message("user", earlier), Message("assistant", "At ten."), Message("user", message)])
    assert await stand_alone(DecidingModel([], filled={"query": message}), turns, certainly=False) == query


async def test_where_the_question_before_has_no_names_it_stands_whole_behind_what_certainly_goes_on_from_it() -> None:
    earlier, message = "Quelle est la formule de l'eau ?", "Et à quelle température bout-elle ?"
    turns = read_turns([Message("user", earlier), Message("assistant", "H2O."), Message("user", message)])
    unchanged = DecidingModel([], filled={"query": message})
    assert await stand_alone(unchanged, turns, certainly=True) == f"{message} ({earlier})"
    assert await stand_alone(unchanged, turns, certainly=False) == message


async def test_a_rewriting_that_asks_the_question_before_once_more_is_not_taken() -> None:
    earlier, message = (
        "What is the telephone number of the mill in Vellin?",
        "And since when does it belong to the town?",
    )
    glued = "What is the telephone number of the mill since when does it belong to the town?"
    turns = read_turns([Message("user", earlier), Message("assistant", "1871."), Message("user", message)])
    said = await stand_alone(DecidingModel([], filled={"query": glued}), turns, certainly=True)
    assert said == f"{message} (Vellin)"


def test_names_are_not_what_a_sentence_begins_with_and_no_days_numbers_or_months() -> None:
    asked = "What is the price in Vellin? When do I pay, in January or on Monday 12? Is the Nomad 2B in Vellin?"
    assert names_in(asked) == "Vellin Nomad 2B"


def test_days_and_months_are_no_names_in_other_languages_either() -> None:
    assert names_in("Wann fährt am Sonntag im Mai die letzte Bahn nach Kaltenstein?") == "Bahn Kaltenstein"


def test_an_address_is_no_name_and_nothing_that_a_page_says() -> None:
    asked = "https://bikes.test/prices.html How much is half an hour in Vellin?"
    assert without_addresses(asked) == "How much is half an hour in Vellin?"
    assert names_in(asked) == "Vellin"
    assert without_addresses("https://bikes.test/prices.html") == "https://bikes.test/prices.html"

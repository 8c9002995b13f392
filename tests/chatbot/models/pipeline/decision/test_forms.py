"""The form of an answer: a list, a summary, steps; and a piece that is made up, told from one that is known."""

import pytest

from chatbot.conversation.messages import Message
from chatbot.models.dialogue import read_turns
from chatbot.models.pipeline.decision.forms import (
    as_asked,
    asks_to_code,
    listing_of,
    of_duties,
    of_record,
    of_several_cases,
    wants_made_up,
)
from chatbot.models.pipeline.decision.router import ANSWER
from chatbot.models.pipeline.decision.tool_choice import Decision
from utils.fence import fence_text


@pytest.mark.parametrize(
    "message",
    [
        "Write a story about a fox and a lighthouse.",
        "Tell me a story about a dragon who is afraid of fire",
        "tell us another short bedtime story",
        "Please write me a poem about rain",
        "Compose two verses for my mother's birthday",
        "Make up a limerick on tax law",
        "Come up with a good joke about cats",
        "a short story about two robots in love",
        "Suggest three presents for somebody who likes climbing, as a list.",
        "give me some good names for my cat",
    ],
)
def test_a_piece_that_nobody_could_look_up(message: str) -> None:
    assert wants_made_up(message)


@pytest.mark.parametrize(
    "message",
    [
        "Tell me the story of Apollo 13",
        "Tell me a true story about Apollo 13",
        "Tell me a poem by Goethe",
        "Write a poem about the latest news",
        "Write a story from my notes",
        "Write a song based on https://example.org/a",
        "What is a limerick?",
        "What is the story of Hamlet?",
        "Write a summary of the story",
        "Who wrote a story about a whale?",
        "Which poem has a raven?",
        "Give me a source for the story",
        "Remind me to write a story at nine",
        "Give me the names of all rivers in Wales",
        "Suggest three gifts from my notes",
        "Give me some names of hotels in Vienna",
        "Suggest some activities in Lisbon for kids this weekend",
        "give me five titles of novels of Ursula Le Guin",
    ],
)
def test_what_is_known_or_has_to_be_known_is_not_made_up(message: str) -> None:
    assert not wants_made_up(message)


@pytest.mark.parametrize(
    ("asked", "form"),
    [
        ("What is the excess of my insurance?", "fact"),
        ("Is the vase covered?", "yesno"),
        ("What is the insurance: is the vase covered if it is not packed?", "yesno"),
        ("May I sublet, and if so, what does it cost?", "fact"),
    ],
)
def test_a_question_for_what_or_who_wants_no_yes_or_no_unless_it_ends_with_another_one(asked: str, form: str) -> None:
    assert as_asked(Decision(form="yesno"), asked).form == form
    assert as_asked(Decision(form="list"), asked).form == "list"


def test_a_question_for_how_many_wants_a_figure_and_no_list() -> None:
    assert as_asked(Decision(form="list"), "How many eggs do you need for the cake?").form == "fact"
    assert as_asked(Decision(form="list"), "Which eggs do you need, and how many?").form == "list"


@pytest.mark.parametrize(
    ("asked", "form"),
    [
        ("And what does a seat in the balcony cost?", "fact"),
        ("But at what time does the ferry leave?", "fact"),
        ("What does a child pay for the way there and back?", "fact"),
        ("What does a seat cost and when does it begin?", "several"),
        ("What does it cost, how long is it?", "several"),
        ("Tell me about the ferry", "several"),
    ],
)
def test_a_question_in_one_clause_asks_for_one_thing(asked: str, form: str) -> None:
    assert as_asked(Decision(form="several"), asked).form == form


@pytest.mark.parametrize(
    ("asked", "form"),
    [
        ("What does a return ticket cost for an adult?", "fact"),
        ("What does it cost and why?", "explain"),
        ("What is the deposit return scheme in Vellin?", "explain"),
        ("How long does dough have to rest?", "explain"),
    ],
)
def test_what_something_costs_needs_no_explaining(asked: str, form: str) -> None:
    assert as_asked(Decision(form="explain"), asked).form == form


@pytest.mark.parametrize("asked", ["Summarise https://harrow.test", "Please sum up this page", "tl;dr"])
def test_what_asks_for_a_summary_in_english_wants_one(asked: str) -> None:
    assert as_asked(Decision(form="fact"), asked).form == "summary"


@pytest.mark.parametrize(
    ("asked", "form"),
    [
        ("What is the latest news about the harbour?", "summary"),
        ("any news about the harbour? when does it open again", "fact"),
        ("Any news from the choir?", "summary"),
        ("What's new in Ardle?", "summary"),
        ("When is the news on?", "fact"),
        ("Which new museum opens in May?", "fact"),
    ],
)
def test_news_of_something_are_told_as_a_report_tells_them(asked: str, form: str) -> None:
    assert as_asked(Decision({"web_search": 1.0}, form="fact"), asked).form == form
    assert as_asked(Decision({ANSWER: 1.0}, form="fact"), asked).form == "fact"


def test_how_something_is_done_is_told_in_steps_where_it_is_looked_up() -> None:
    looked_up = Decision({"web_search": 0.7, ANSWER: 0.3}, form="fact")
    assert as_asked(looked_up, "How do I clean the lamp?").form == "explain"
    assert as_asked(looked_up, "How do I get to the lamp?").form == "fact"
    # What the model would answer must stay a fact, of which it may be unsure.
    assert as_asked(Decision({"web_search": 0.3, ANSWER: 0.7}, form="fact"), "How do I clean the lamp?").form == "fact"


def test_what_a_text_asks_that_is_to_be_translated_is_not_asked() -> None:
    assert as_asked(Decision(form="fact"), "Ins Deutsche übersetzen: Is it open?", "Is it open?").form == "text"


def test_a_question_that_ends_with_whether_wants_yes_or_no() -> None:
    assert as_asked(Decision(form="fact"), "About the insurance: is the vase covered?").form == "yesno"
    assert as_asked(Decision(form="fact"), "About the insurance: is the vase or the lamp covered?").form == "fact"
    assert as_asked(Decision(form="fact"), "What is the excess?").form == "fact"


@pytest.mark.parametrize(
    ("message", "looked_up"),
    [
        ("List all the fillings in the plum cake from Marten Bakery.", True),
        ("Can you list the halls of the Orla Museum?", True),
        ("List three countries in Africa.", False),
        ("Name the author of The Great Gatsby.", False),
        ("Name three cities in New Zealand.", False),
        ("List some ways to say thank you.", False),
        ("Tell me about the Orla Museum.", False),
    ],
)
def test_what_something_named_has_is_looked_up_where_it_is_to_be_listed(message: str, looked_up: bool) -> None:
    decision = listing_of(Decision({ANSWER: 0.7, "web_search": 0.3}, form="text"), message)
    assert (decision.best_wish, decision.form) == (("web_search", "list") if looked_up else (ANSWER, "text"))


@pytest.mark.parametrize(
    ("message", "looked_up"),
    [
        ("my brisa dishwasher shows E15, what does that mean n what should i do?", True),
        ("Our Onda 40 printer says B200. What should I do?", True),
        ("What does the fault code F07 mean?", True),
        ("my kid says A4 is bigger than A5 in german schools", False),
        ("my python script says E501, what does that mean?", False),
        ("the scale shows 82 kg, is that too much?", False),
        ("in what year was okoro born, the one from the lexicon?", True),
        ("When did Ada Okoro die?", True),
        ("When was my sister born?", False),
        ("when was I born?", False),
    ],
)
def test_what_a_code_means_that_a_machine_shows_and_when_somebody_was_born_is_looked_up(
    message: str, looked_up: bool
) -> None:
    decision = of_record(Decision({ANSWER: 0.9, "web_search": 0.1}, form="explain"), message)
    assert decision.best_wish == ("web_search" if looked_up else ANSWER)
    assert of_record(Decision({ANSWER: 1.0}), message).best_wish == ANSWER


@pytest.mark.parametrize(
    ("asked", "form"),
    [
        ("What happens if the lamp is broken?", "explain"),
        ("And what do I have to do if the lamp is broken?", "explain"),
        ("What happens in May?", "fact"),
    ],
)
def test_what_happens_then_is_told_in_a_few_sentences_where_it_is_looked_up(asked: str, form: str) -> None:
    looked_up = Decision({"web_search": 0.7, ANSWER: 0.3}, form="fact")
    assert of_several_cases(looked_up, read_turns([Message("user", asked)]), asked).form == form
    letter = Message("user", "What does it ask for?", note=fence_text("Please pay.", "the file letter.txt"))
    about_letter = read_turns([letter, Message("assistant", "It asks you to pay."), Message("user", asked)])
    assert of_several_cases(looked_up, about_letter, asked).form == "fact"


@pytest.mark.parametrize(
    ("asked", "form"),
    [
        ("what do i need for the filling of Ada Reed's plum pie?", "list"),
        ("What goes into the dough?", "list"),
        ("And what all do we have to bring along to the course?", "list"),
        ("Which ingredients are in the sauce?", "list"),
        ("What do I need to know about it?", "fact"),
        ("What goes on in Vellin?", "fact"),
        ("What goes into effect on 1 January?", "fact"),
        ("What do I need it for?", "fact"),
    ],
)
def test_what_one_needs_for_something_are_several_things(asked: str, form: str) -> None:
    assert as_asked(Decision({"web_search": 0.9}, form="fact"), asked).form == form
    assert as_asked(Decision({ANSWER: 0.9}, form="fact"), asked).form == "fact"


def test_what_has_to_be_done_by_a_letter_is_a_list_however_it_is_asked() -> None:
    asked = "What do I have to do before the sale?"
    letter = Message("user", asked, note=fence_text("Please sign and pay.", "the file letter.txt"))
    for form in ("fact", "explain", "yesno"):
        assert of_duties(Decision({ANSWER: 0.9}, form=form), read_turns([letter]), asked).form == "list"
    assert of_duties(Decision({ANSWER: 0.9}, form="text"), read_turns([letter]), asked).form == "text"
    alone = read_turns([Message("user", asked)])
    assert of_duties(Decision({ANSWER: 0.9}, form="fact"), alone, asked).form == "fact"
    when = "When is the sale?"
    assert of_duties(Decision({ANSWER: 0.9}, form="fact"), read_turns([letter]), when).form == "fact"


@pytest.mark.parametrize(
    ("message", "to_code"),
    [
        ("how do i get the current year in python?", True),
        ("How can I sort tuples by their second part in Python 3?", True),
        ("how to center a div with css", True),
        ("How do I join two tables in SQL? Thanks", True),
        ("How many modules has the library of Python?", False),
        ("How do I get to the zoo in Java Street?", False),
        ("What is new in Python?", False),
        ("Remember that I learn how to make games in Python.", False),
        ("Look up how to parse dates in Python.", False),
        ("How can I travel by boat in Java?", False),
        ("And how do I do that in JavaScript?", True),
        ("How do snakes hunt in swift rivers?", False),
    ],
)
def test_how_something_is_programmed_is_told_from_other_questions(message: str, to_code: bool) -> None:
    assert asks_to_code(message) is to_code

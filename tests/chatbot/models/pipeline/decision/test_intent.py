"""A message that goes on from before, made to stand alone."""

import pytest

from chatbot.conversation.messages import Message, Source, ToolCall
from chatbot.models.dialogue import read_turns
from chatbot.models.pipeline.decision.intent import as_asked, going_on_looking, language_reworked, stand_alone
from chatbot.models.pipeline.decision.names import names_in, without_addresses
from chatbot.models.pipeline.decision.router import ANSWER, TEXT
from chatbot.models.pipeline.decision.tool_choice import Decision
from rag.documents import Passage
from tests.fakes.deciding import DecidingModel
from utils.fence import fence_text


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
    earlier, message = "Quelle est la plus longue rivière ?", "Et dans quelle mer se jette-t-elle ?"
    turns = read_turns([Message("user", earlier), Message("assistant", "La Loire."), Message("user", message)])
    unchanged = DecidingModel([], filled={"query": message})
    assert await stand_alone(unchanged, turns, certainly=True) == f"{message} ({earlier})"
    # A pronoun stands for something that is not in the message.
    assert await stand_alone(unchanged, turns, certainly=False) == f"{message} ({earlier})"
    without = "Et dans quelle ville naît le plus long fleuve ?"
    turns = read_turns([Message("user", earlier), Message("assistant", "La Loire."), Message("user", without)])
    assert await stand_alone(DecidingModel([], filled={"query": without}), turns, certainly=False) == without


async def test_where_the_question_before_names_nothing_the_page_that_answered_it_is_named() -> None:
    page = Source(1, Passage("A seat costs £9.", "https://vellin.test", "Vellin Theatre", "web"))
    call = ToolCall("web_search", {"query": "What does a seat cost?"}, "call_1")
    asked, message = Message("user", "What does a seat cost?"), "How do I get there?"
    result = Message("tool", "", tool_name="web_search", call_id="call_1", sources=(page,))
    found = [Message("assistant", "", tool_calls=(call,)), result, Message("assistant", "It costs £9. [1]")]
    turns = read_turns([asked, *found, Message("user", message)])
    unchanged = DecidingModel([], filled={"query": message})
    assert await stand_alone(unchanged, turns, certainly=True) == "How do I get there? (Vellin Theatre)"


@pytest.mark.parametrize(
    ("calls", "query"),
    [
        ((), "How do I get to the campsite?"),
        ((ToolCall("web_search", {}, "1"),), "How do I get to the campsite? (Vellin)"),
    ],
)
async def test_names_of_what_was_looked_up_are_added_and_none_of_what_was_only_said(
    calls: tuple[ToolCall, ...], query: str
) -> None:
    message = "How do I get to the campsite?"
    before = [Message("user", "We arrive in Vellin tonight."), Message("assistant", "", tool_calls=calls)]
    turns = read_turns([*before, Message("assistant", "Good."), Message("user", message)])
    assert await stand_alone(DecidingModel([], filled={"query": message}), turns, certainly=False) == query


async def test_a_rewriting_that_loses_a_word_must_take_one_from_what_was_said() -> None:
    earlier, message = "When does the ferry to Vellin leave?", "What does an adult pay?"
    turns = read_turns(
        [Message("user", earlier), Message("assistant", "At 8:30 from the old quay."), Message("user", message)]
    )
    for filled, query in (
        ("What does somebody pay?", "What does an adult pay? (Vellin)"),
        ("What does one pay for the ferry to Vellin?", "What does one pay for the ferry to Vellin?"),
        ("What does an adult pay on board?", "What does an adult pay on board? (Vellin)"),
    ):
        assert await stand_alone(DecidingModel([], filled={"query": filled}), turns, certainly=True) == query


async def test_a_rewriting_that_asks_the_question_before_once_more_is_not_taken() -> None:
    earlier, message = (
        "What is the telephone number of the mill in Vellin?",
        "And since when does it belong to the town?",
    )
    glued = "What is the telephone number of the mill since when does it belong to the town?"
    turns = read_turns([Message("user", earlier), Message("assistant", "1871."), Message("user", message)])
    said = await stand_alone(DecidingModel([], filled={"query": glued}), turns, certainly=True)
    assert said == f"{message} (Vellin)"
    earlier, message = "Does the gym take children?", "When does the gym open, and who runs it?"
    turns = read_turns([Message("user", earlier), Message("assistant", "Nothing."), Message("user", message)])
    both = DecidingModel([], filled={"query": f"{earlier} {message}"})
    assert await stand_alone(both, turns, certainly=False) == message


async def test_a_question_that_does_not_point_back_is_not_asked_of_the_day_of_the_one_before() -> None:
    earlier = Message("user", "When does the library in Vellin open on Thursday?")
    opened = Message("assistant", "At ten.", tool_calls=(ToolCall("web_search", {}, "1"),))
    for message, filled, query in (
        (
            "For how long may one borrow books?",
            "For how long may one borrow books in Vellin on Thursday?",
            "For how long may one borrow books? (Vellin)",
        ),
        ("And when does it close again?", "When does Vellin close on Thursday?", "When does Vellin close on Thursday?"),
    ):
        turns = read_turns([earlier, opened, Message("assistant", "At ten."), Message("user", message)])
        assert await stand_alone(DecidingModel([], filled={"query": filled}), turns, certainly=False) == query


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


LETTER = Message("user", "What does it ask for?", note=fence_text("Please pay by Friday.", "the file letter.txt"))
LOOKED_UP_SINCE = (
    LETTER,
    Message("assistant", "It asks you to pay."),
    Message("user", "When does the castle open?"),
    Message("assistant", "", tool_calls=(ToolCall("web_search", {"query": "When does the castle open?"}, "call_1"),)),
    Message("tool", "At ten.", tool_name="web_search", call_id="call_1"),
    Message("assistant", "At ten."),
)


@pytest.mark.parametrize(
    ("message", "wish"),
    [("What does the red flag on it mean?", "web_search"), ("Explain that more simply.", ANSWER)],
)
def test_what_something_of_a_page_means_is_looked_up_where_the_page_was(message: str, wish: str) -> None:
    decision = Decision({ANSWER: 0.8, "web_search": 0.1}, going_on=0.9, form="explain")
    turns = read_turns([*LOOKED_UP_SINCE, Message("user", message)])
    assert going_on_looking(decision, turns).best_wish == wish


@pytest.mark.parametrize(
    ("message", "wish"),
    [("Is it open on Mondays?", "web_search"), ("And by when does the letter want it?", TEXT)],
)
def test_a_text_that_came_before_something_was_looked_up_is_gone_back_to_by_its_name(message: str, wish: str) -> None:
    turns = read_turns([*LOOKED_UP_SINCE, Message("user", message)])
    likely = Decision({TEXT: 0.8, ANSWER: 0.2, "web_search": 0.0}, going_on=0.9)
    assert going_on_looking(likely, turns).best_wish == wish


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
        ("What does a seat cost and when does it begin?", "several"),
        ("What does it cost, how long is it?", "several"),
        ("Tell me about the ferry", "several"),
    ],
)
def test_a_question_in_one_clause_asks_for_one_thing(asked: str, form: str) -> None:
    assert as_asked(Decision(form="several"), asked).form == form


@pytest.mark.parametrize("asked", ["Summarise https://harrow.test", "Please sum up this page", "tl;dr"])
def test_what_asks_for_a_summary_in_english_wants_one(asked: str) -> None:
    assert as_asked(Decision(form="fact"), asked).form == "summary"


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
    ("message", "language"),
    [
        ("Make it more polite.", "de"),
        ("Now shorter, at most four words.", "de"),
        ("And now into Spanish.", ""),
        ("What does the second word mean?", ""),
        ("Write a poem about it.", ""),
    ],
)
def test_what_has_the_last_answer_put_otherwise_is_answered_in_its_language(message: str, language: str) -> None:
    before = [Message("user", "Into German: The library is closed on Mondays because of the repairs.")]
    before += [Message("assistant", "Die Bibliothek ist montags wegen der Reparaturen geschlossen.")]
    turns = read_turns([*before, Message("user", message)])
    assert language_reworked(Decision(form="text", going_on=0.9), turns, "") == language
    assert language_reworked(Decision(form="fact", going_on=0.9), turns, "") == ""

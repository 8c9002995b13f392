"""What a message wants: the form of its answer, and where it is looked up."""

from typing import Literal

import pytest

from chatbot.conversation.messages import Message, Source, ToolCall
from chatbot.conversation.turns import Turn
from chatbot.models.dialogue import read_turns
from chatbot.models.pipeline.decision.going_on import (
    asking_entry,
    asking_leave,
    beginning_elsewhere,
    goes_on_from_files,
    going_on_in_library,
    going_on_in_pasted,
    going_on_looking,
    going_on_wishing,
    opening_named,
)
from chatbot.models.pipeline.decision.intent import Intent, language_reworked, naming_in_doubt, write_query
from chatbot.models.pipeline.decision.names import names_in, without_addresses
from chatbot.models.pipeline.decision.router import ANSWER, TEXT
from chatbot.models.pipeline.decision.tool_choice import Decision
from rag.documents import Passage
from tests.fakes.model import ScriptedModel, says
from utils.fence import fence_text


def test_names_are_not_what_a_sentence_begins_with_and_no_days_numbers_or_months() -> None:
    asked = "What is the price in Vellin? When do I pay, in January or on Monday 12? Is the Nomad 2B in Vellin?"
    assert names_in(asked) == "Vellin Nomad 2B"
    assert names_in("What is there to see in Mons on Sundays?") == "Mons"
    assert names_in("How can I sleep when I'm stressed and I've eaten?") == ""


def test_the_path_of_a_file_that_comes_with_a_message_is_no_name() -> None:
    assert names_in("@/home/Jo/Bills/vet-2026.txt When is the check-up in Vellin?") == "Vellin"
    assert names_in('@"/home/Jo/My Bills/vet.txt" When is it due?') == ""
    assert without_addresses("Compare ~/Bills with /home/jo/vet.txt please") == "Compare with please"
    assert without_addresses("Who writes for @nasa in /r/space?") == "Who writes for @nasa in /r/space?"
    assert without_addresses("How often does he get it? (vet-2026.txt)") == "How often does he get it?"


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
    [
        ("What does the red flag on it mean?", "web_search"),
        ("How heavy is it? I have to carry it down.", "web_search"),
        ("Explain that more simply.", ANSWER),
    ],
)
def test_what_something_of_a_page_means_is_looked_up_where_the_page_was(message: str, wish: str) -> None:
    decision = Decision({ANSWER: 0.8, "web_search": 0.1}, going_on=0.9, form="explain")
    turns = read_turns([*LOOKED_UP_SINCE, Message("user", message)])
    assert going_on_looking(decision, turns).best_wish == wish


@pytest.mark.parametrize(
    ("message", "wish"),
    [
        ("I mean the one by the river.", "web_search"),
        ("I like the one by the river.", ANSWER),
        ("I mean, thank you very much!", ANSWER),
        ("I was thinking of my mother.", ANSWER),
    ],
)
def test_what_was_meant_instead_is_looked_up_where_the_other_was(message: str, wish: str) -> None:
    decision = Decision({ANSWER: 0.8, "web_search": 0.1}, going_on=0.9, form="text")
    going_on = going_on_looking(decision, read_turns([*LOOKED_UP_SINCE, Message("user", message)]))
    assert (going_on.best_wish, going_on.form) == (wish, "text" if wish == ANSWER else "fact")


@pytest.mark.parametrize(
    ("message", "wish"),
    [("Is it open on Mondays?", "web_search"), ("And by when does the letter want it?", TEXT)],
)
def test_a_text_that_came_before_something_was_looked_up_is_gone_back_to_by_its_name(message: str, wish: str) -> None:
    turns = read_turns([*LOOKED_UP_SINCE, Message("user", message)])
    likely = Decision({TEXT: 0.8, ANSWER: 0.2, "web_search": 0.0}, going_on=0.9)
    assert going_on_looking(likely, turns).best_wish == wish


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


@pytest.mark.parametrize(
    ("message", "asks"),
    [
        ("May our daughter, who is nine, walk with you?", True),
        ("And can I bring my parrot?", True),
        ("Are prams allowed on board?", True),
        ("Could we take part as a family?", True),
        ("May I ask you something?", False),
        ("May I know when the walk ends?", False),
        ("Are dogs allowed in the Louvre?", False),
        ("Are dogs allowed according to my files?", False),
        ("Can I write a poem in one evening?", False),
        ("Are you sure?", False),
    ],
)
def test_a_question_for_leave_behind_an_answer_with_sources_goes_on_from_there(message: str, asks: bool) -> None:
    call, page = ToolCall("web_search", {"query": "walk"}, "1"), Passage("The walk is on 3 May.", "", "Walk", "web")
    found = Message("tool", "", tool_name="web_search", call_id="1", sources=(Source(1, page),))
    walk = (Message("user", "When is the walk?"), Message("assistant", "", tool_calls=(call,)), found)
    for answer, goes_on in (("On 3 May. [1]", asks), ("In May, I think.", False)):
        turns = read_turns([*walk, Message("assistant", answer), Message("user", message)])
        decision = going_on_looking(asking_leave(Decision({ANSWER: 1.0}), turns, message), turns)
        assert (decision.follows, decision.form == "yesno") == (goes_on, goes_on)
    assert asking_leave(Decision({ANSWER: 1.0}), turns[-1:], message) == Decision({ANSWER: 1.0})


@pytest.mark.parametrize(
    ("message", "asks"),
    [
        ("What would a family pay to get in?", True),
        ("How much is a ticket for children under 6?", True),
        ("When does it close on Sundays?", True),
        ("How much is a train ticket to Vellin?", False),
        ("How much does a litre of milk cost?", False),
        ("Who is allowed to get in?", False),
        ("Tickets for children, please!", False),
        ("When does my season ticket end?", False),
    ],
)
def test_what_one_pays_to_get_in_asked_of_nothing_goes_on_from_an_answer_with_sources(message: str, asks: bool) -> None:
    call, page = ToolCall("web_search", {"query": "mill"}, "1"), Passage("The mill opens at 9.", "", "Mill", "web")
    found = Message("tool", "", tool_name="web_search", call_id="1", sources=(Source(1, page),))
    mill = (Message("user", "When does the mill open?"), Message("assistant", "", tool_calls=(call,)), found)
    for answer, goes_on in (("At 9. [1]", asks), ("At 9, I think.", False)):
        turns = read_turns([*mill, Message("assistant", answer), Message("user", message)])
        assert asking_entry(Decision({"web_search": 1.0}), turns, message).follows is goes_on


def test_what_a_translation_does_not_ask_the_message_itself_may() -> None:
    message, english = "a od której otwarte w poniedziałek?", "and since which is it open on Monday?"
    turns = [*answered_from("web", message)]
    assert asking_entry(Decision({"web_search": 1.0}), turns, english).follows


@pytest.mark.parametrize(
    ("message", "answering", "wish"),
    [
        ("What happens to a captured tower in Vellin chess?", 0.45, "web_search"),
        ("What happens to a captured tower in chess?", 0.45, ANSWER),
        ("How does a Stirling engine work?", 0.9, ANSWER),
        ("How do I tell Peter that I'm leaving him?", 0.45, ANSWER),
        ("How does the US Electoral College work?", 0.45, "web_search"),
    ],
)
def test_what_has_a_name_and_is_to_be_explained_is_looked_up_where_it_may_be(
    message: str, answering: float, wish: str
) -> None:
    decision = Decision({ANSWER: answering, "web_search": 0.3}, form="explain")
    assert naming_in_doubt(decision, message).best_wish == wish


@pytest.mark.parametrize(
    ("part", "form"),
    [
        ("How long does it take?", "fact"),
        ("Do I have to pay?", "yesno"),
        ("And is the book included?", "yesno"),
        ("Is it red or blue?", "fact"),
    ],
)
def test_a_part_of_a_message_that_asks_whether_wants_yes_or_no(part: str, form: str) -> None:
    intent = Intent("", Decision(form="several"), "en", ("What is it?", part))
    assert intent.form_of(part) == form
    assert Intent("", Decision(form="list"), "en", (part,)).form_of(part) == "list"


def test_the_german_for_what_is_no_question_whether() -> None:
    part = "was kostet der Eintritt?"
    assert Intent("", Decision(form="several"), "de", ("Wann öffnet das Bad?", part)).form_of(part) == "fact"
    part = "Can you tell me what it costs?"
    assert Intent("", Decision(form="several"), "en", ("When does it open?", part)).form_of(part) == "fact"


def answered_from(origin: Literal["file", "web"], message: str) -> list[Turn]:
    source = Source(1, Passage("Guests pay 4 euros.", "gym", "Rules of the gym", origin))
    return read_turns(
        [
            Message("user", "What do guests pay in the gym?"),
            Message("assistant", "", tool_calls=(ToolCall("search_vector_db", {"query": "gym"}, "call_1"),)),
            Message("tool", "", tool_name="search_vector_db", call_id="call_1", sources=(source,)),
            Message("assistant", "Guests pay 4 euros. [1]"),
            Message("user", message),
        ]
    )


@pytest.mark.parametrize(
    ("origin", "message", "wish"),
    [
        ("file", "May my niece come along there?", "search_vector_db"),
        ("web", "May my niece come along there?", "web_search"),
        ("file", "And what does the internet say? Look it up online.", "web_search"),
    ],
)
def test_what_goes_on_from_an_answer_out_of_the_users_files_is_looked_for_there_first(
    origin: Literal["file", "web"], message: str, wish: str
) -> None:
    decision = Decision({"web_search": 0.7, "search_vector_db": 0.2, ANSWER: 0.1}, going_on=0.9)
    assert going_on_in_library(decision, answered_from(origin, message)).best_wish == wish


@pytest.mark.parametrize(
    ("message", "wish"),
    [
        ("Then who is in charge there these days?", "search_vector_db"),
        ("And who runs the mill in Vellin?", "web_search"),
        ("And what does the internet say? Look it up online.", "web_search"),
    ],
)
def test_what_goes_on_from_a_page_that_was_opened_and_names_nothing_is_looked_for_there_first(
    message: str, wish: str
) -> None:
    call = ToolCall("fetch_url_content", {"url": "https://clocks.test"}, "call_1")
    said = [Message("user", "https://clocks.test What did they earn?"), Message("assistant", "", tool_calls=(call,))]
    found = Message("tool", "", tool_name=call.name, call_id=call.id)
    turns = read_turns([*said, found, Message("assistant", "Nothing says so."), Message("user", message)])
    decision = Decision({"web_search": 0.7, "search_vector_db": 0.2, ANSWER: 0.1}, going_on=0.9)
    assert going_on_in_library(decision, turns).best_wish == wish


@pytest.mark.parametrize(
    ("message", "form", "wish"),
    [
        ("Then tell me how warm it is in the castle.", "fact", "web_search"),
        ("Thanks, now tell me what's in it.", "fact", "web_search"),
        ("Tell me what to wear there.", "text", ANSWER),
        ("Tell me who you are.", "text", ANSWER),
        ("Tell me what that means in simpler terms.", "text", ANSWER),
        ("Tell me what your favourite castle is.", "text", ANSWER),
        ("Let me know when you are ready.", "text", ANSWER),
        ("Tell me how that is said in French.", "text", ANSWER),
        ("Make it rhyme.", "text", ANSWER),
    ],
)
def test_what_is_to_be_told_of_something_looked_up_is_looked_up_too(message: str, form: str, wish: str) -> None:
    turns = read_turns([*LOOKED_UP_SINCE, Message("user", message)])
    decision = going_on_looking(Decision({ANSWER: 0.9, "web_search": 0.1}, going_on=0.9, form="text"), turns)
    assert (decision.form, decision.best_wish) == (form, wish)


@pytest.mark.parametrize(
    ("message", "form", "wish"),
    [
        ("Sum this up in five sentences: https://mill.test/news.html", "summary", "fetch_url_content"),
        ("Does https://mill.test say when it opens?", "yesno", "fetch_url_content"),
        ("My page is https://mill.test.", "text", ANSWER),
        ("Translate: Have you seen https://mill.test?", "text", ANSWER),
        ("How do I read a file in Node.js?", "fact", ANSWER),
        ("Sum up the plot of Hamlet.", "summary", ANSWER),
    ],
)
def test_what_is_asked_of_an_address_is_answered_from_what_stands_there(message: str, form: str, wish: str) -> None:
    decision = Decision({ANSWER: 0.6, "fetch_url_content": 0.4}, form=form)
    assert opening_named(decision, read_turns([Message("user", message)])).best_wish == wish


@pytest.mark.parametrize(
    ("message", "opened", "wish"),
    [
        ("Summarize the page in three sentences.", True, "fetch_url_content"),
        ("Fass die Seite kurz zusammen.", True, "fetch_url_content"),
        ("Summarize the page in three sentences.", False, ANSWER),
        ("Summarize the plot of Hamlet.", True, ANSWER),
    ],
)
def test_the_page_is_the_one_that_was_opened(message: str, opened: bool, wish: str) -> None:
    call = ToolCall("fetch_url_content" if opened else "web_search", {"url": "https://mill.test"}, "call_1")
    before = (
        Message("user", "How long is the walk?"),
        Message("assistant", "", tool_calls=(call,)),
        Message("tool", "It is 17 km.", tool_name=call.name, call_id="call_1"),
        Message("assistant", "17 km."),
    )
    decision = Decision({ANSWER: 0.6, "fetch_url_content": 0.4}, form="summary")
    assert opening_named(decision, read_turns([*before, Message("user", message)])).best_wish == wish


REMINDED = (
    Message("user", "Remind me tomorrow at six to feed the hens."),
    Message("assistant", "", tool_calls=(ToolCall("set_reminder", {"text": "feed the hens"}, "call_1"),)),
    Message("tool", "reminded tomorrow 18:00.", tool_name="set_reminder", call_id="call_1"),
    Message("assistant", "I will remind you."),
)
WISHES = {
    ANSWER: 0.1,
    "date_and_time": 0.7,
    "web_search": 0.2,
    "set_reminder": 0.0,
    "list_reminders": 0.0,
    "remember": 0.0,
}


@pytest.mark.parametrize(
    ("message", "wish"),
    [
        ("And on Friday at 7:45 of the dentist.", "set_reminder"),
        ("And which day is Friday, at 7:45?", "date_and_time"),
        ("Welche Erinnerungen habe ich?", "list_reminders"),
        ("Quels rappels as-tu notés pour moi ?", "list_reminders"),
        ("Was ist eine Erinnerung?", "date_and_time"),
        ("What does my contract say about payment reminders?", "date_and_time"),
        ("Quels rappels de vaccin faut-il faire à 25 ans ?", "date_and_time"),
        ("Welche Erinnerungen hatte sie an den Krieg?", "date_and_time"),
        ("What reminders are there?", "list_reminders"),
        ("Onthoud dat mijn bus om zeven uur gaat.", "remember"),
        ("And the weather on Saturday.", "date_and_time"),
        ("But not at seven on Sunday.", "date_and_time"),
    ],
)
def test_another_time_behind_a_reminder_is_one_more_and_what_is_plainly_wished_is_done(message: str, wish: str) -> None:
    turns = read_turns([*REMINDED, Message("user", message)])
    assert going_on_wishing(Decision(WISHES, going_on=0.9), turns).best_wish == wish


@pytest.mark.parametrize(
    ("message", "wish"),
    [
        ("E in portoghese?", ANSWER),
        ("E a che ora parte il treno in portoghese?", "web_search"),
        ("Who won? In German.", "web_search"),
        ("Cercalo in tedesco, online", "web_search"),
    ],
)
def test_a_language_named_alone_behind_the_models_own_words_is_not_looked_up(message: str, wish: str) -> None:
    said = [Message("user", "Come si dice in tedesco: il treno?"), Message("assistant", "Der Zug.")]
    decision = Decision({ANSWER: 0.3, "web_search": 0.7}, going_on=0.9)
    assert going_on_wishing(decision, read_turns([*said, Message("user", message)])).best_wish == wish


@pytest.mark.parametrize(("origin", "files"), [("file", True), ("web", False)])
def test_an_answer_is_out_of_the_users_files_where_all_that_it_cites_is(
    origin: Literal["file", "web"], files: bool
) -> None:
    assert goes_on_from_files(answered_from(origin, "And for children?")) is files


@pytest.mark.parametrize(
    ("written", "query"),
    [
        ("Odo Review trailers for dogs suspension", "Odo Review trailers for dogs suspension"),
        ("Ge Ge Ge Ge", "Which of them would that be, and what does it cost? (Odo Review Wom Two Tuk Solo)"),
        (
            "Georgian flag size in metres",
            "Which of them would that be, and what does it cost? (Odo Review Wom Two Tuk Solo)",
        ),
    ],
)
async def test_what_a_model_makes_of_a_long_question_is_searched_for_where_it_is_of_it(
    written: str, query: str
) -> None:
    question = (
        "We have two old dogs that cannot walk far any more, and no car since the summer, so we need to take both of "
        "them along by bike. I read that the Odo Review has compared trailers for dogs, the Wom Two and the Tuk Solo, "
        "and we would like suspension. Which of them would that be, and what does it cost?"
    )
    assert await write_query(ScriptedModel([says(written)]), question) == query


DISKS = (
    "why did my copy fail?\n\nFilesystem  Size  Avail  Mounted on\n/dev/sda1  94G  52G  /\n/dev/sda2  380G  61G  /home"
    "\n/dev/sdb1  466G  0  /mnt/copy"
)


@pytest.mark.parametrize(
    ("before", "message", "wish"),
    [
        (DISKS, "and how much is still free on /home?", ANSWER),
        (DISKS, "When does the castle open?", "web_search"),
        (DISKS, "And how large is the home of Odo?", "web_search"),
        ("Sort this:\neggs\nmilk\nsalmon\nflour", "How long do eggs keep in the fridge?", "web_search"),
        ("Hi!\n\nI plan a trip.\n\nIt is to Odo.\n\nBye", "How much is the tram in Odo?", "web_search"),
        ("Why did my copy to /home fail?", "and how much is still free on /home?", "web_search"),
    ],
)
def test_what_is_asked_of_a_text_that_was_pasted_is_not_looked_up(before: str, message: str, wish: str) -> None:
    turns = read_turns([Message("user", before), Message("assistant", "It is full."), Message("user", message)])
    shares = {"web_search": 0.98, ANSWER: 0.02}
    decision = going_on_in_pasted(Decision(shares, unprompted=shares, going_on=0.0, form="fact"), turns)
    assert (decision.best_wish, decision.doubted_tool) == (wish, None)


@pytest.mark.parametrize(
    ("message", "follows"),
    [
        ("and on the web: what does Odo charge for a lorry?", False),
        ("And on the web?", True),
        ("What does the web say about it?", True),
        ("And what do my notes say about a lorry?", True),
    ],
)
def test_what_is_to_be_looked_for_on_the_web_does_not_go_on_from_the_users_files(message: str, follows: bool) -> None:
    decision = Decision({"web_search": 1.0}, going_on=0.9)
    assert beginning_elsewhere(decision, answered_from("file", message)).follows is follows
    assert beginning_elsewhere(decision, answered_from("web", message)).follows

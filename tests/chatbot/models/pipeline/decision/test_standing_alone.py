"""A message that goes on from before, made to stand alone."""

from collections.abc import Sequence
from typing import Any

import pytest

from chatbot.conversation.messages import Message, Source, ToolCall
from chatbot.conversation.turns import Turn
from chatbot.models.base import FilledForm
from chatbot.models.dialogue import read_turns
from chatbot.models.pipeline.decision.standing_alone import adds_to, stand_alone
from rag.documents import Passage
from tests.fakes.deciding import DecidingModel


class UnaskedModel(DecidingModel):
    """One that must not be asked for a wording."""

    async def fill_schema(self, messages: Sequence[Message], schema: dict[str, Any]) -> FilledForm:
        raise AssertionError("it was asked")


def talked(question: str, answer: str, message: str) -> list[Turn]:
    """A talk of one question with its answer, and the message that comes next."""
    return read_turns([Message("user", question), Message("assistant", answer), Message("user", message)])


async def alone(model: DecidingModel, turns: Sequence[Turn], *, certainly: bool) -> str:
    """The last message, which tells nothing beside what it asks, as it stands alone."""
    return await stand_alone(model, turns, turns[-1].question.content, certainly=certainly)


@pytest.mark.parametrize(
    ("earlier", "message", "query"),
    [
        ("When does the mill in Vellin open?", "and how much is it?", "and how much is it? (Vellin)"),
        ("When does the mill in Vellin open?", "Who was Ada Lovelace?", "Who was Ada Lovelace?"),
        (
            "Was kostet eine Karte für die Mühle Vellin?",
            "Wie lange hat sie am Montag offen?",
            "Wie lange hat sie am Montag offen? (Karte für die Mühle Vellin)",
        ),
        ("Was kostet eine Karte für die Mühle Vellin?", "Wer war Konrad Zuse?", "Wer war Konrad Zuse?"),
        (
            "When do the bells of St Odo's tower in Vellin ring?",
            "and how old is it?",
            "and how old is it? (St Odo's tower in Vellin)",
        ),
        (
            "Quand ouvre le musée de la dentelle de Vellin ?",
            "Et qui l'a créé avec elle ?",
            "Et qui l'a créé avec elle ? (musée de la dentelle de Vellin)",
        ),
        (
            "¿Cuál es el precio de Vellin?",
            "¿Y cuánto cuesta eso?",
            "¿Y cuánto cuesta eso? (Vellin)",
        ),
        (
            "Quelle est la population de Vellin ?",
            "Et qui l'a créée avec elle ?",
            "Et qui l'a créée avec elle ? (Vellin)",
        ),
        ("Quand ouvre le musée d'Odo ?", "Et qui l'a créé avec elle ?", "Et qui l'a créé avec elle ? (musée d'Odo)"),
        ("When was Vellin founded?", "I am thinking of going there in May.", "I am thinking of going there in May."),
        ("When does it leave for Lago d'Odo?", "and how old is it?", "and how old is it? (Lago d'Odo)"),
        (
            "When was Vellin founded?",
            "The one in the hills, I mean.",
            "When was Vellin founded? (The one in the hills)",
        ),
        (
            "When was Vellin founded?",
            "the one that lies in the hills i mean",
            "When was Vellin founded? (the one that lies in the hills)",
        ),
        (
            "When was Vellin founded?",
            "the one in the hills i meant, sorry",
            "When was Vellin founded? (the one in the hills)",
        ),
        (
            "when do they shut on sunday? (Vellin baths)",
            "no i meant the other one, sorry. the lagoon",
            "when do they shut on sunday? (the lagoon)",
        ),
        (
            "what does it cost? (Vellin baths)",
            "i mean the family ticket",
            "what does it cost? (Vellin baths) (the family ticket)",
        ),
        ("When was Odo born?", "No, the baker.", "When was Odo born? (the baker)"),
        ("what does it cost? (Vellin baths)", "For adults", "what does it cost? (Vellin baths) (For adults)"),
        (
            "when do they shut? (Vellin baths)",
            "i mean on sundays",
            "when do they shut? (Vellin baths) (on sundays)",
        ),
        (
            "When was Vellin founded?",
            "you surely know quite well what i mean",
            "you surely know quite well what i mean",
        ),
        (
            "When was Vellin founded?",
            "Sorry, I was thinking of the one in the hills.",
            "When was Vellin founded? (the one in the hills)",
        ),
        ("When did Odo leave Vellin?", "and how old is it?", "and how old is it? (Odo Vellin)"),
        (
            "Hat die Mühle am Montag Führungen?",
            "Und was kostet sie?",
            "Und was kostet sie? (Mühle Führungen)",
        ),
        ("¿Cuándo abre el Prado en Vellin?", "¿Y cuánto cuesta eso?", "¿Y cuánto cuesta eso? (Prado en Vellin)"),
        ("متى يفتح المتحف في القاهرة؟", "and how old is it?", "and how old is it? (متى يفتح المتحف في القاهرة؟)"),
        ("Why does the mill in Vellin turn?", "Would she like that?", "Would she like that? (Vellin)"),
        (
            "Who was in Vellin, Odo or Ada?",
            "and how old is it?",
            "and how old is it? (Vellin Odo Ada)",
        ),
        (
            "Why does the mill in Vellin turn backwards?",
            "Since when has it been like that?",
            "Since when has it been like that? (Why does the mill in Vellin turn backwards?)",
        ),
        ("When was Vellin founded?", "No, the mill.", "When was Vellin founded? (the mill)"),
        (
            "How old is it?",
            "I mean the mill that stands in Vellin.",
            "How old is it? (the mill that stands in Vellin)",
        ),
        (
            "How old is it?",
            "Ich meine die Mühle, die in Vellin steht.",
            "How old is it? (die Mühle, die in Vellin steht)",
        ),
    ],
)
async def test_where_the_model_adds_nothing_the_names_of_the_question_before_are_added(
    earlier: str, message: str, query: str
) -> None:
    turns = talked(earlier, "At ten.", message)
    assert await alone(DecidingModel([], filled={"query": message}), turns, certainly=False) == query


async def test_of_what_is_there_in_german_the_names_of_the_question_before_are_added_beside_its_own() -> None:
    turns = talked("Wann ist die Feier in Vellin?", "Im Mai.", "Wie lange dauert dort der Umzug mit Pferden?")
    same = DecidingModel([], filled={"query": "Wie lange dauert dort der Umzug mit Pferden?"})
    asked = await alone(same, turns, certainly=True)
    assert asked == "Wie lange dauert dort der Umzug mit Pferden? (Feier in Vellin)"


async def test_where_a_place_of_its_own_is_named_there_is_not_that_of_before() -> None:
    message = "Ist in Hamburg der Zoo offen und was kostet dort der Eintritt?"
    turns = talked("Wann ist die Feier in Vellin?", "Im Mai.", message)
    assert await alone(DecidingModel([], filled={"query": message}), turns, certainly=True) == message


async def test_what_goes_on_from_a_page_that_was_opened_is_about_what_that_is_called() -> None:
    call = ToolCall("fetch_url_content", {"url": "https://clocks.test"}, "call_1")
    page = Source(1, Passage("They make clocks.", "https://clocks.test", "Clocks of Vellin", "web"))
    said = [Message("user", "https://clocks.test what did they earn"), Message("assistant", "", tool_calls=(call,))]
    found = Message("tool", "", tool_name=call.name, call_id=call.id, sources=(page,))
    message = "who is in charge of them now?"
    turns = read_turns([*said, found, Message("assistant", "It does not say."), Message("user", message)])
    asked = await alone(DecidingModel([], filled={"query": message}), turns, certainly=True)
    assert asked == f"{message} (Clocks of Vellin)"


async def test_what_then_is_not_asked_together_with_what_was_asked_before() -> None:
    turns = talked("How much does Vellin eat in the evening?", "A tin.", "and if he doesn't eat?")
    glued = "How much does Vellin eat in the evening and if he doesn't eat?"
    query = await alone(DecidingModel([], filled={"query": glued}), turns, certainly=True)
    assert query == "and if he doesn't eat? (Vellin)"


async def test_you_in_the_place_of_i_adds_nothing_to_a_message() -> None:
    turns = talked("Vellin 2 or Vellin 3, which one is heavier?", "The 3.", "which of them should I take?")
    query = await alone(DecidingModel([], filled={"query": "which of them should you take?"}), turns, certainly=True)
    assert query == "which of them should I take? (Vellin)"


async def test_where_the_question_before_has_no_names_it_stands_whole_behind_what_certainly_goes_on_from_it() -> None:
    earlier, message = "Quelle est la plus longue rivière ?", "Et dans quelle mer se jette-t-elle ?"
    turns = talked(earlier, "La Loire.", message)
    unchanged = DecidingModel([], filled={"query": message})
    assert await alone(unchanged, turns, certainly=True) == f"{message} ({earlier})"
    # A pronoun stands for something that is not in the message.
    assert await alone(unchanged, turns, certainly=False) == f"{message} ({earlier})"
    without = "Et dans quelle ville naît le plus long fleuve ?"
    turns = talked(earlier, "La Loire.", without)
    assert await alone(DecidingModel([], filled={"query": without}), turns, certainly=False) == without


@pytest.mark.parametrize(
    ("earlier", "message", "subject"),
    [
        ("What does a seat cost?", "How do I get there?", "Vellin Theatre"),
        ("Until when is the theatre in Vellin open on Thursdays?", "How do I get there?", "Vellin Theatre"),
        ("Until when is Ada Reed in the theatre of Vellin?", "How do I get there?", "Ada Reed Vellin"),
        ("What does a seat cost in Oldham?", "How do I get there?", "Oldham"),
        ("Until when is Ada Reed in the theatre of Vellin?", "And the tenor, who was that?", "Vellin Theatre"),
        ("Until when is Ada Reed in the theatre of Vellin?", "And who is her brother?", "Ada Reed Vellin"),
    ],
)
async def test_where_the_question_before_names_little_or_somebody_else_the_page_that_answered_it_is_named(
    earlier: str, message: str, subject: str
) -> None:
    page = Source(1, Passage("A seat costs £9.", "https://vellin.test", "Vellin Theatre", "web"))
    call = ToolCall("web_search", {"query": earlier}, "call_1")
    asked = Message("user", earlier)
    result = Message("tool", "", tool_name="web_search", call_id="call_1", sources=(page,))
    found = [Message("assistant", "", tool_calls=(call,)), result, Message("assistant", "It costs £9. [1]")]
    turns = read_turns([asked, *found, Message("user", message)])
    unchanged = DecidingModel([], filled={"query": message})
    assert await alone(unchanged, turns, certainly=True) == f"{message} ({subject})"


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
    assert await alone(DecidingModel([], filled={"query": message}), turns, certainly=False) == query


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
        assert await alone(DecidingModel([], filled={"query": filled}), turns, certainly=True) == query


async def test_a_rewriting_that_loses_a_figure_of_what_is_told_beside_the_question_is_not_taken() -> None:
    turns = talked("When does the Orla gym open?", "At nine.", "My niece is six. May she train there?")
    lost, kept = "May my niece train in the Orla gym?", "May my niece of six train in the Orla gym?"
    asked = "My niece is six. May she train there? (Orla)"
    assert await alone(DecidingModel([], filled={"query": lost}), turns, certainly=True) == asked
    assert await alone(DecidingModel([], filled={"query": kept}), turns, certainly=True) == kept


async def test_a_rewriting_that_asks_where_and_not_when_is_not_taken() -> None:
    turns = talked("Where was the Orla atlas found?", "In a stool.", "And from when on can people look at it?")
    for filled, query in (
        ("Where can people look at the Orla atlas?", "And from when on can people look at it? (Orla)"),
        ("When can people look at the Orla atlas?", "When can people look at the Orla atlas?"),
        ("From which day on can people look at the Orla atlas?",) * 2,
    ):
        assert await alone(DecidingModel([], filled={"query": filled}), turns, certainly=True) == query


def test_when_one_comes_by_bike_asks_no_time() -> None:
    earlier, query = "Where can I park at the Orla lido?", "Where can I park at the Orla lido when I come by bike?"
    assert adds_to(query, "And when I come by bike?", earlier)
    assert not adds_to(query, "And when may I come by bike?", earlier)
    assert not adds_to(query, "And what time may I come by bike?", earlier)
    parking = "Wo kann ich am Bad in Orla parken, wenn ich mit dem Rad komme?"
    assert adds_to(parking, "Und wenn ich mit dem Rad komme?", "Wo kann ich am Bad in Orla parken?")


async def test_brackets_without_a_name_in_them_are_no_part_of_a_query() -> None:
    turns = talked("When does the Orla gym open?", "At nine.", "May she train there?")
    model = DecidingModel([], filled={"query": "May she train in the Orla gym? ( )"})
    assert await alone(model, turns, certainly=True) == "May she train in the Orla gym?"


async def test_a_rewriting_that_asks_the_question_before_once_more_is_not_taken() -> None:
    earlier, message = (
        "What is the telephone number of the mill in Vellin?",
        "And since when does it belong to the town?",
    )
    glued = "What is the telephone number of the mill since when does it belong to the town?"
    turns = talked(earlier, "1871.", message)
    said = await alone(DecidingModel([], filled={"query": glued}), turns, certainly=True)
    assert said == f"{message} (Vellin)"
    earlier, message = "Does the gym take children?", "When does the gym open, and who runs it?"
    turns = talked(earlier, "Nothing.", message)
    both = DecidingModel([], filled={"query": f"{earlier} {message}"})
    assert await alone(both, turns, certainly=False) == message


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
        (
            "How much did I pay for the season ticket?",
            "How much did I pay for the season ticket from March 2025?",
            "How much did I pay for the season ticket? (Vellin)",
        ),
    ):
        turns = read_turns([earlier, opened, Message("assistant", "At ten."), Message("user", message)])
        assert await alone(DecidingModel([], filled={"query": filled}), turns, certainly=False) == query


@pytest.mark.parametrize(
    ("earlier", "message", "query"),
    [
        ("When does the Vellin mill open on Monday?", "And on Sunday?", "When does the Vellin mill open on Sunday?"),
        ("Wann öffnet die Mühle am Montag?", "Und am Freitag?", "Wann öffnet die Mühle am Freitag?"),
        ("À quelle heure ouvre le moulin le lundi ?", "Et le jeudi ?", "À quelle heure ouvre le moulin le jeudi ?"),
        ("When does the mill open?", "And on Sunday?", "And on Sunday? (When does the mill open?)"),
        ("A che ora apre il mulino il venerdì?", "E la domenica?", "A che ora apre il mulino la domenica?"),
        ("A que horas abre o moinho à sexta-feira?", "E ao sábado?", "A que horas abre o moinho ao sábado?"),
        ("Y a-t-il un bus vendredi ?", "Et le samedi ?", "Y a-t-il un bus samedi ?"),
        ("When does the Friday market begin?", "And on Sunday?", "When does the Sunday market begin?"),
        (
            "Which roads in Vellin are closed?",
            "From when to when?",
            "From when to when? (Which roads in Vellin are closed?)",
        ),
        (
            "Which roads in Vellin are closed?",
            "From what time until what time?",
            "From what time until what time? (Which roads in Vellin are closed?)",
        ),
    ],
)
async def test_what_names_another_day_or_nothing_asks_the_question_before_of_that(
    earlier: str, message: str, query: str
) -> None:
    turns = talked(earlier, "At ten.", message)
    assert await alone(DecidingModel([], filled={"query": message}), turns, certainly=True) == query


async def test_another_day_is_asked_about_without_asking_the_model_and_something_else_of_it_is_not() -> None:
    earlier = "When does the Vellin mill open on Monday?"
    turns = talked(earlier, "At ten.", "And on Sunday?")
    assert await alone(UnaskedModel([]), turns, certainly=True) == "When does the Vellin mill open on Sunday?"
    asked, message = "What does the Vellin mill cost on Sunday?", "And what does it cost on Sunday?"
    turns = talked(earlier, "At ten.", message)
    assert await alone(DecidingModel([], filled={"query": asked}), turns, certainly=True) == asked


@pytest.mark.parametrize(
    ("message", "query"),
    [
        ("And how much does it weigh?", "And how much does it weigh? (Benn X5)"),
        ("And how much do they weigh?", "And how much do they weigh? (Arlo Benn X5)"),
    ],
)
async def test_what_it_is_the_answer_says_where_several_things_were_asked_about(message: str, query: str) -> None:
    turns = talked("Which is quieter, the Arlo or the Benn X5?", "The Benn X5 is.", message)
    assert await alone(DecidingModel([], filled={"query": message}), turns, certainly=True) == query


@pytest.mark.parametrize(
    ("earlier", "answer", "message", "query"),
    [
        ("How far is it to Ardle from Vellin?", "Ardle is 12 km away.", "How long does it take?", "Ardle from Vellin"),
        (
            "Wann wurde die Mühle in Vellin oder Ardle gebaut?",
            "Die Mühle 1890.",
            "Wo kommt der Name her?",
            "Mühle in Vellin Ardle",
        ),
    ],
)
async def test_the_names_of_one_thing_are_not_cut(earlier: str, answer: str, message: str, query: str) -> None:
    turns = talked(earlier, answer, message)
    told = await alone(DecidingModel([], filled={"query": message}), turns, certainly=True)
    assert told == f"{message} ({query})"


async def test_an_opinion_is_no_correction() -> None:
    turns = talked("Was kostet die Mühle?", "3 Euro.", "Ich meine, dass das viel zu teuer für so wenig ist.")
    model = DecidingModel([], filled={"query": "Mühle"})
    assert "Was kostet" not in (await alone(model, turns, certainly=False)).partition(" (")[0]


@pytest.mark.parametrize(
    ("message", "written", "query"),
    [
        (
            "How much do the tickets cost?",
            "How much do the tickets cost for the Mill Cup 2025?",
            "How much do the tickets cost for the Mill Cup 2025?",
        ),
        (
            "How much will it cost?",
            "How much will Vellin mill cost in 2090?",
            "How much will Vellin mill cost in 2090?",
        ),
        (
            "Then what does an adult pay there?",
            "Then what does an adult pay at Vellin mill in 2025?",
            "Then what does an adult pay at Vellin mill?",
        ),
        (
            "And what did an adult pay there?",
            "And what did an adult pay at Vellin mill in 2025?",
            "And what did an adult pay at Vellin mill in 2025?",
        ),
        ("Who grinds there now?", "Who grinds at Vellin mill?", "Who grinds at Vellin mill now?"),
    ],
)
async def test_what_is_asked_of_now_is_not_asked_of_the_year_that_was_asked_about_before(
    message: str, written: str, query: str
) -> None:
    turns = talked("How many people came to Vellin mill in 2025?", "I found nothing.", message)
    assert await alone(DecidingModel([], filled={"query": written}), turns, certainly=True) == query


@pytest.mark.parametrize(
    ("earlier", "message", "written", "query"),
    [
        (
            "Until when may one climb the Vellin Lighthouse on a Saturday?",
            "May my dog come up?",
            "May my dog come up on a Saturday?",
            "May my dog come up on a Saturday? (Vellin Lighthouse)",
        ),
        (
            "May my dog come up on a Saturday?",
            "What would two adults pay?",
            "What would two adults pay for a dog to come up on a Saturday?",
            "What would two adults pay?",
        ),
    ],
)
async def test_a_rewriting_that_has_but_a_day_of_before_is_told_of_what_and_one_that_has_all_of_it_is_none(
    earlier: str, message: str, written: str, query: str
) -> None:
    call, page = ToolCall("web_search", {"query": earlier}, "1"), Passage("It is so.", "https://v.test", "V", "web")
    found = Message("tool", "", tool_name="web_search", call_id="1", sources=(Source(1, page),))
    talk = [Message("user", earlier), Message("assistant", "", tool_calls=(call,)), found, Message("assistant", "So.")]
    turns = read_turns([*talk, Message("user", message)])
    assert await alone(DecidingModel([], filled={"query": written}), turns, certainly=False) == query


async def test_it_is_the_one_thing_that_fitted_the_conditions() -> None:
    told = "- Sable 300 ✓ – Price: £79 [1]\n- Tern 5 ✗ – Price: £129 [1]"
    asked = "Which of the Sable 300 and the Tern 5 costs at most £100?"
    for message, alone in (
        ("And how loud is it?", "And how loud is Sable 300?"),
        ("and what is its warranty", "and what is Sable 300's warranty"),
    ):
        assert await stand_alone(UnaskedModel([]), talked(asked, told, message), message, certainly=True) == alone


@pytest.mark.parametrize(
    ("earlier", "message"),
    [
        ("青岩町営温泉の定休日は何曜日ですか？", "大人はいくらですか？"),
        ("متى يفتح مسبح الواحة؟", "وكم سعر الدخول للكبار؟"),
    ],
)
async def test_what_stays_as_it_was_in_a_script_without_capitals_is_asked_of_what_was_asked_before(
    earlier: str, message: str
) -> None:
    call, page = ToolCall("web_search", {"query": earlier}, "1"), Passage("...", "https://v.test", "V", "web")
    found = Message("tool", "", tool_name="web_search", call_id="1", sources=(Source(1, page),))
    asked = [
        Message("user", earlier),
        Message("assistant", "", tool_calls=(call,)),
        found,
        Message("assistant", "... [1]"),
    ]
    turns = read_turns([*asked, Message("user", message)])
    model = DecidingModel([], filled={"query": message})
    assert await alone(model, turns, certainly=False) == f"{message} ({earlier})"

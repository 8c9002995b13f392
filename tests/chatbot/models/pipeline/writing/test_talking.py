"""What a model says of its own: in whose language, and how sure of it."""

from typing import Any

import pytest

from chatbot.conversation.messages import Message
from chatbot.models.base import BY_SETTINGS, Done, Text
from chatbot.models.dialogue import read_turns
from chatbot.models.pipeline.decision.tool_choice import Decision
from chatbot.models.pipeline.writing.talking import LATEST, Talk, brief_prompt, chat_prompt, turns_talked_on
from tests.fakes.model import USAGE, ScriptedModel, says
from tests.fakes.pictures import attached


def talk(question: str, *replies: Any, language: str = "en", eager: bool = False) -> Talk:
    model = ScriptedModel(list(replies))
    return Talk(model, [Message("user", question)], language, question, "scripted", eager=eager)


async def said(wanted: Talk) -> str:
    return "".join([piece.delta async for piece in wanted.stream_reply(BY_SETTINGS) if isinstance(piece, Text)])


async def test_an_answer_in_another_language_is_asked_for_once_more() -> None:
    question = "Why is the sky blue in the daytime?"
    wrong, right = "Weil das blaue Licht stärker gestreut wird.", "Because blue light is scattered more."
    assert await said(talk(question, says(wrong), says(right))) == right


async def test_the_wish_for_another_language_said_again_is_no_answer() -> None:
    question, wrong = "Mir ist heute ziemlich kalt und ich bleibe daheim.", "You should light the stove then."
    echoed = [Text("Oh, that was not in German. "), Text("Say it again in German."), Done(USAGE)]
    assert await said(talk(question, says(wrong), echoed, language="de")) == wrong


async def test_what_stays_in_another_language_is_asked_for_without_what_was_said_before() -> None:
    french = [says("Je voudrais aussi que ce soit bientôt."), says("Je le voudrais vraiment aussi.")]
    model = ScriptedModel([*french, says("So do I.")])
    system, asked = Message("system", "Be kind."), Message("user", "I wish it were spring.")
    before = [Message("user", "Quel temps fait-il ?"), Message("assistant", "Il pleut.")]
    wanted = Talk(model, [system, *before, asked], "en", asked.content, "scripted")
    assert await said(wanted) == "So do I."
    assert list(model.sent[-1][0]) == [system, asked]


async def test_a_long_sentence_that_was_said_is_not_said_again() -> None:
    once = "I hope that this letter finds you well, and that we shall see you at the party. "
    reply = [Text(once), Text("It begins at three. "), Text(once), Text(once), Done(USAGE)]
    assert await said(talk("Write a letter.", reply)) == f"{once}It begins at three. "


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How do you say 'the road is much too narrow' in German?", "Die Straße ist viel zu schmal."),
        (
            "Write a query for the five largest towns.",
            "```sql\nSELECT name FROM towns ORDER BY size DESC LIMIT 5;\n```",
        ),
    ],
)
async def test_code_and_a_language_that_the_message_names_are_no_other_language(question: str, answer: str) -> None:
    assert await said(talk(question, says(answer))) == answer


async def test_a_model_doubts_a_first_sentence_with_unlikely_words() -> None:
    unlikely = Text("It is red. ", logs=(-1.2, -1.3, -0.2, -0.9))
    likely = Text("It is red. ", logs=(-0.1, -0.2))
    for first, doubted in ((unlikely, True), (likely, False), (Text("It is red. "), False)):
        wanted = talk("Which colour is it?", [first, Text("And round. ", logs=(-4.0, -3.0)), Done(USAGE)])
        assert wanted.doubts_itself(await anext(wanted.stream_reply(BY_SETTINGS))) is doubted


@pytest.mark.parametrize("eager", [True, False])
async def test_a_reply_that_goes_round_in_circles_is_ended(eager: bool) -> None:
    round_about = [Text("A soft breeze,\n\n") for _ in range(200)]
    reply = [Text("Rain, rain, stay a while.\n"), *round_about, Done(USAGE)]
    wanted = talk("Write a short poem about rain.", reply, eager=eager)
    pieces = [piece async for piece in wanted.stream_reply(BY_SETTINGS)]
    assert isinstance(pieces[-1], Done) and pieces[-1].reason == "stop"
    assert 6 <= wanted.said.count("A soft breeze") < 30


def test_a_question_is_asked_alone_below_one_sentence_and_the_users_own_instructions() -> None:
    system, asked = brief_prompt("Which planet is the largest?", "")
    assert (len(system.content) < 100, asked) == (True, Message("user", "Which planet is the largest?"))
    assert brief_prompt("Which planet?", "Always answer in French.")[0].content.endswith("\n\nAlways answer in French.")


LETTER = [
    "Dear Ms Smith,\n\n",
    "I will send you the papers tomorrow. ",
    "I have booked a table.\n\n",
    "Best regards\nAnna",
]


async def test_what_a_drafted_letter_says_its_writer_will_do_is_no_claim_of_magpies() -> None:
    assert await said(talk("Write a reply to the letter.", says(*LETTER))) == "".join(LETTER)
    claimed = await said(talk("Send it tomorrow.", says("Fine. ", "I will send you the papers tomorrow. ")))
    assert "papers" not in claimed
    after = await said(talk("Write a reply and send it.", says(*LETTER, "\n\nI have sent the email for you.")))
    assert after.startswith("".join(LETTER)) and "sent the email" not in after


@pytest.mark.parametrize(
    ("going_on", "told"),
    [(0.05, 0), (0.4, LATEST), (0.6, LATEST), (0.9, 4)],
    ids=["anew", "hardly", "perhaps", "surely"],
)
def test_a_message_that_begins_anew_is_told_nothing_of_the_talk_before_it(going_on: float, told: int) -> None:
    turns = read_turns(
        [*[said for n in range(4) for said in exchange(n)], Message("user", "My sister lives in Ghent.")]
    )
    assert [turn.question.content for turn in turns_talked_on(turns, Decision(going_on=going_on))] == [
        *[f"Make it shorter, {n}." for n in range(4 - told, 4)],
        "My sister lives in Ghent.",
    ]
    assert len(turns_talked_on(turns[2:], Decision(going_on=0.4))) == 3


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("write me a two line rhyme about a lazy cat", 1),
        ("Write a short poem about that letter.", 2),
        ("Write a poem about it.", 2),
        ("Explain what a cat eats.", 2),
    ],
)
def test_a_piece_about_something_new_is_written_without_what_was_said_before(message: str, told: int) -> None:
    turns = read_turns([*exchange(0), Message("user", message)])
    assert len(turns_talked_on(turns, Decision(going_on=0.6))) == told


def exchange(number: int) -> list[Message]:
    return [Message("user", f"Make it shorter, {number}."), Message("assistant", "A long letter. " * 40)]


def test_a_text_that_is_talked_of_stands_where_it_came_in_and_not_before_what_is_to_be_done_with_the_last_answer() -> (
    None
):
    turns = read_turns([*exchange(1), Message("user", "Make it shorter.")])
    system, first, answer, last = chat_prompt(turns, "", [], "The rent is 612 euros.")
    assert "The rent is 612 euros." in first.content and first.content.endswith("Make it shorter, 1.")
    assert (system.role, answer.role, last.content) == ("system", "assistant", "Make it shorter.")


def test_pictures_of_the_talk_go_on_with_it() -> None:
    shown = Message("user", "What is this?", pictures=(attached(),))
    turns = read_turns([shown, Message("assistant", "A cat."), Message("user", "And its colour?")])
    _, first, _, last = chat_prompt(turns, "", [])
    assert (first.pictures, last.pictures) == ((attached(),), ())


async def test_a_translation_and_the_next_one_of_the_same_text_name_its_day() -> None:
    wish, next_wish = "Translate into German: the choir rehearses on Tuesday.", "And into French?"
    german, french = "Der Chor probt am Sonntag.", "La chorale répète dimanche."
    assert await said(talk(wish, says(german), language="de")) == "Der Chor probt am Dienstag."
    before = [Message("user", wish), Message("assistant", "Der Chor probt am Dienstag.")]
    model = ScriptedModel([says(french)])
    wanted = Talk(model, [*before, Message("user", next_wish)], "fr", next_wish, "scripted")
    assert await said(wanted) == "La chorale répète mardi."
    other = "Is the shop open on Tuesday?"
    assert await said(talk(other, says("It is open on Sunday."))) == "It is open on Sunday."

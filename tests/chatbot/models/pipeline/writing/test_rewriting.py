"""What is to be changed is not said again as it was."""

import pytest

from chatbot.conversation.messages import Message
from chatbot.models.base import BY_SETTINGS, Done, Text
from chatbot.models.pipeline.writing.rewriting import is_refusal, reply_changed, reply_translated
from chatbot.models.pipeline.writing.talking import Talk
from tests.fakes.model import USAGE, ScriptedModel, says

BEFORE = "Hi Ines, I can't come tonight. See you on Friday!"
FORMAL = "Dear Ines, I am unable to come this evening."


async def replied(wish: str, model: ScriptedModel, before: str = BEFORE) -> list[str]:
    prompt = [Message("user", "Write to Ines."), Message("assistant", before), Message("user", wish)]
    pieces = reply_changed(before, wish, Talk(model, prompt, "en", wish, "scripted"), BY_SETTINGS)
    return [piece.delta async for piece in pieces if isinstance(piece, Text)]


async def test_the_last_answer_said_once_more_is_asked_to_be_rewritten_by_itself() -> None:
    model = ScriptedModel([says(BEFORE), says(FORMAL)])
    assert "".join(await replied("Make it more formal.", model)) == FORMAL
    sent = model.sent[-1][0]
    assert BEFORE in sent[-1].content
    assert "Make it more formal." in sent[-1].content


async def test_a_translation_of_the_last_answer_is_asked_of_that_alone() -> None:
    model = ScriptedModel([says("Hallo Ines, ich kann heute nicht kommen.")])
    talk = Talk(model, [Message("user", "Write to Ines."), Message("assistant", BEFORE)], "de", "in German", "scripted")
    pieces = reply_translated(BEFORE, "de", talk, BY_SETTINGS)
    said = "".join([piece.delta async for piece in pieces if isinstance(piece, Text)])
    assert said == "Hallo Ines, ich kann heute nicht kommen."
    [*_, asked] = model.sent[-1][0]
    assert BEFORE in asked.content and "Translate it into German." in asked.content
    assert "Write to Ines." not in "".join(message.content for message in model.sent[-1][0])


async def test_a_translation_has_the_day_of_its_text_and_what_that_says_is_no_promise() -> None:
    model = ScriptedModel([says("Ines, ich erinnere dich morgen daran. Bis Donnerstag!")])
    talk = Talk(model, [Message("user", "in German")], "de", "in German", "scripted")
    pieces = reply_translated("Ines, I will remind you tomorrow. See you on Friday!", "de", talk, BY_SETTINGS)
    said = "".join([piece.delta async for piece in pieces if isinstance(piece, Text)])
    assert said == "Ines, ich erinnere dich morgen daran. Bis Freitag!"


@pytest.mark.parametrize(
    "reply",
    [
        "Hi Ines, I can't come tonight.",
        "Hi Ines, I can't come tonight. See you on Sunday!",
        f"{BEFORE} Yours, Tom",
        FORMAL,
    ],
)
async def test_a_shorter_a_longer_and_another_text_are_said_as_they_come(reply: str) -> None:
    model = ScriptedModel([[*(Text(f"{word} ") for word in reply.split()), Done(USAGE)]])
    assert "".join(await replied("Change it a little.", model)).strip() == reply


@pytest.mark.parametrize("wish", ["Say that again, please.", "Bitte noch einmal."])
async def test_whoever_wants_it_once_more_hears_it_once_more(wish: str) -> None:
    assert "".join(await replied(wish, ScriptedModel([says(BEFORE)]))) == BEFORE


async def test_nothing_is_held_back_where_nothing_was_said_before() -> None:
    reply = [Text("One. "), Text("Two. "), Done(USAGE)]
    assert await replied("Count.", ScriptedModel([reply]), before="") == ["One. ", "Two. "]


@pytest.mark.parametrize(
    ("wish", "refusal"),
    [
        ("Too stiff. Make it warmer.", "I'm sorry, but I can't assist with that."),
        ("Make it warmer.", "I cannot fulfill this request."),
        ("Make it warmer.", "Unfortunately, I cannot help with that."),
        ("Und jetzt auf Deutsch.", "Ich kann Ihnen nicht helfen."),
        ("En français.", "Je suis désolé, mais je ne peux pas vous aider."),
    ],
)
async def test_a_refusal_to_change_an_answer_is_not_said_and_the_wish_asked_of_the_answer_alone(
    wish: str, refusal: str
) -> None:
    model = ScriptedModel([says(refusal), says(FORMAL)])
    assert "".join(await replied(wish, model)) == FORMAL
    assert BEFORE in model.sent[-1][0][-1].content


@pytest.mark.parametrize(
    "reply",
    [
        "I'm sorry, I can't come on Friday. Would Sunday do?",
        "Es tut mir leid, dass ich nicht kommen kann.",
        "Lo siento, el viernes no estoy.",
        "I can't help on Saturday, sorry.",
        "Sorry, I can't do this Friday. Would Sunday work?",
        "Ich kann am Samstag leider nicht helfen.",
        "抱歉，我周五不能来。",
    ],
)
def test_an_apology_in_a_letter_is_no_refusal(reply: str) -> None:
    assert not is_refusal(reply)


async def test_the_same_reply_to_what_wants_nothing_changed_is_said() -> None:
    prompt = [Message("user", "Write to Ines."), Message("assistant", BEFORE), Message("user", "Good.")]
    talk = Talk(ScriptedModel([says(BEFORE)]), prompt, "en", "Good.", "scripted")
    pieces = reply_changed(BEFORE, "Good.", talk, BY_SETTINGS, anew=False)
    assert "".join([piece.delta async for piece in pieces if isinstance(piece, Text)]) == BEFORE


async def test_a_refusal_in_two_sentences_is_not_said_either_and_an_apology_that_goes_on_is() -> None:
    refused = [Text("I'm sorry. "), Text("I can't help with that."), Done(USAGE)]
    assert "".join(await replied("Make it warmer.", ScriptedModel([refused, says(FORMAL)]))) == FORMAL
    letter = [Text("I'm sorry. "), Text("Friday is full, Ines."), Done(USAGE)]
    assert "".join(await replied("Make it warmer.", ScriptedModel([letter]))) == "I'm sorry. Friday is full, Ines."


async def test_a_refusal_is_said_where_there_was_nothing_to_change() -> None:
    refusal = "I'm sorry, but I can't assist with that."
    assert "".join(await replied("Do it.", ScriptedModel([says(refusal)]), before="")) == refusal


@pytest.mark.parametrize(
    "reply",
    [
        "I'm unable to help with that.",
        "I apologize, but I can't assist with this request.",
        "Tut mir leid, aber dabei kann ich nicht helfen.",
        "Lo siento, pero no puedo ayudar con eso.",
        "I'm really sorry, but I can't translate that.",
        "Je suis désolé, mais je ne peux pas traduire cela.",
        "Es tut mir leid, aber ich kann Ihnen bei dieser Anfrage nicht helfen.",
        "抱歉，我无法协助您。",
    ],
)
def test_a_refusal_is_known_in_many_languages(reply: str) -> None:
    assert is_refusal(reply)

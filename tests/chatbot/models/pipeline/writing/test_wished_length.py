from typing import Any

import pytest

from chatbot.conversation.messages import Message
from chatbot.models.base import BY_SETTINGS, Text
from chatbot.models.pipeline.writing.talking import Talk
from chatbot.models.pipeline.writing.wished_length import WishedLength, read_length, reply_within
from tests.fakes.model import ScriptedModel, says


@pytest.mark.parametrize(
    ("message", "most", "unit"),
    [
        ("Even shorter, at most ten words.", 10, "words"),
        ("Describe the sea in 5 words.", 5, "words"),
        ("Explain it in one sentence, please.", 1, "sentences"),
        ("Summarise the letter in no more than three short sentences.", 3, "sentences"),
        ("Erkläre mir in einem Satz, was ein Kolibri ist.", 1, "sentences"),
        ("Fasse das mit höchstens zwanzig Wörtern zusammen.", 20, "words"),
        ("Résume ce texte en deux phrases.", 2, "sentences"),
        ("Make it one sentence.", 1, "sentences"),
        ("Please shorten this letter to three sentences.", 3, "sentences"),
        ("Kürze das auf zwei Sätze.", 2, "sentences"),
        ("Dímelo en una frase.", 1, "sentences"),
        ("Spiegalo in tre frasi.", 3, "sentences"),
        ("Leg het uit in één zin.", 1, "sentences"),
        ("Too long. Two sentences at most.", 2, "sentences"),
        ("Bitte kürzer: zwei Sätze höchstens.", 2, "sentences"),
        ("50 mots maximum.", 50, "words"),
        ("Put it in other words, two sentences at most.", 2, "sentences"),
        ("Three short sentences, max.", 3, "sentences"),
        ("Объясни в одном предложении.", 1, "sentences"),
        ("Write me a poem of two lines about snow.", 2, "lines"),
        ("Write a poem about the first frost in four lines.", 4, "lines"),
        ("A four-line poem about my cat, please.", 4, "lines"),
        ("Schreib mir ein zweizeiliges Gedicht über Schnee.", 2, "lines"),
        ("Ein Gedicht über Schnee mit vier Zeilen, bitte.", 4, "lines"),
        ("Écris un poème de quatre vers sur la mer.", 4, "lines"),
        ("Escribe un poema de cuatro versos.", 4, "lines"),
        ("Explain it in at most 3 lines.", 3, "lines"),
    ],
)
def test_a_wished_length_is_read_in_many_languages(message: str, most: int, unit: str) -> None:
    wished = read_length(message)
    assert wished is not None
    assert (wished.most, wished.unit) == (most, unit)


@pytest.mark.parametrize(
    "message",
    [
        "What do these three words mean?",
        "Is that written as one word or two?",
        "How do two words rhyme?",
        "What is a five letter word for joy?",
        "How many words are in this sentence?",
        "Write at least two sentences about rain.",
        "Tell me in your own words.",
        "Say it in a few words.",
        "Plan a tram network with two lines.",
        "There is a typo in two lines of this text. Please correct it.",
        "Can I get to the airport in two metro lines?",
        "What is a three-line whip?",
        "Which airline flies to Oslo?",
        "What is wrong in the first two lines of this script?",
        "Is the shop online?",
        "How many lines does a sonnet have?",
        "Explain it in one or more sentences.",
        "In other words, is it open?",
        "He served two sentences in prison.",
        "Translate this sentence into French.",
        "Was bedeutet das Wort Satz?",
        "Is there a shop in ten minutes' reach?",
    ],
)
def test_what_wishes_for_no_length_is_left_alone(message: str) -> None:
    assert read_length(message) is None


def test_words_and_sentences_of_a_reply_are_counted() -> None:
    assert WishedLength(3, "words").fits("Blue, wide, deep.")
    assert not WishedLength(2, "words").fits("Blue, wide, deep.")
    assert WishedLength(1, "sentences").fits("It weighs 3.5 kg and flies far.")
    assert not WishedLength(1, "sentences").fits("It is small. It flies far.")


async def said_within(length: WishedLength, *replies: Any) -> tuple[str, ScriptedModel]:
    """What is said at last, and the model that said it."""
    model = ScriptedModel(list(replies))
    prompt = [Message("user", "Describe the sea in at most four words.")]
    talk = Talk(model, prompt, "en", prompt[0].content, "scripted")
    pieces = [piece async for piece in reply_within(length, talk, BY_SETTINGS)]
    return "".join(piece.delta for piece in pieces if isinstance(piece, Text)), model


LONG, SHORT = "The sea is wide and blue and it is very deep.", "Wide, blue and deep."


async def test_a_reply_that_is_longer_than_was_wished_for_is_asked_for_once_more() -> None:
    said, model = await said_within(WishedLength(4, "words"), says(LONG), says(SHORT))
    assert said == SHORT
    assert "has 11 words" in model.sent[1][0][-1].content and "at most 4 words" in model.sent[1][0][-1].content


async def test_a_second_reply_that_is_too_long_is_said_again_by_itself() -> None:
    said, model = await said_within(WishedLength(4, "words"), says(LONG), says(LONG[:-6]), says(SHORT))
    assert said == SHORT
    alone = model.sent[2][0]
    assert alone[-1].content == f"Text: <<<{LONG[:-6]}>>>\nAt most 4 words:"
    assert not any("Describe the sea" in message.content for message in alone)


async def test_of_replies_that_are_all_too_long_the_shortest_one_is_said_whole() -> None:
    said, _ = await said_within(WishedLength(4, "words"), says(f"{LONG} It rests."), says(LONG), says(f"{LONG} Cold."))
    assert said == LONG


async def test_a_shorter_reply_about_something_else_is_none() -> None:
    said, _ = await said_within(WishedLength(4, "words"), says(LONG), says("The train leaves."), says(SHORT))
    assert said == SHORT


async def test_a_reply_that_is_short_enough_is_said_as_it_is() -> None:
    said, model = await said_within(WishedLength(4, "words"), says(SHORT))
    assert said == SHORT and len(model.sent) == 1


async def test_a_refusal_to_shorten_an_answer_is_not_said_and_that_answer_is_shortened() -> None:
    before, short = "One is here. Two is there. Three is nowhere.", "One is here, two is there."
    wish = "One sentence at most."
    model = ScriptedModel([says("I'm sorry, but I can't assist with that."), says(before), says(short)])
    prompt = [Message("user", "Say it."), Message("assistant", before), Message("user", wish)]
    pieces = reply_within(
        WishedLength(1, "sentences"), Talk(model, prompt, "en", wish, "scripted"), BY_SETTINGS, before, wish
    )
    assert "".join([piece.delta async for piece in pieces if isinstance(piece, Text)]) == short
    assert before in model.sent[1][0][-1].content


async def test_a_refusal_is_never_the_shorter_reply() -> None:
    long, refusal = "One is here. Two is there. Three is nowhere.", "I'm sorry, but I can't assist with that."
    model = ScriptedModel([says(long), says(refusal), says("One is here, two is there. Three is gone.")])
    talk = Talk(model, [Message("user", "Say it in two sentences.")], "en", "Say it in two sentences.", "scripted")
    pieces = reply_within(WishedLength(2, "sentences"), talk, BY_SETTINGS)
    said = "".join([piece.delta async for piece in pieces if isinstance(piece, Text)])
    assert said == "One is here, two is there. Three is gone."


def test_empty_lines_between_verses_are_not_counted() -> None:
    assert WishedLength(2, "lines").fits("Snow on the hill,\n\nsnow on the sill.")
    assert not WishedLength(2, "lines").fits("Snow\non the hill,\nsnow\non the sill.")

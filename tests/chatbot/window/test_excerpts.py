"""Sentences that tell something are kept before those that do not, in any language."""

import pytest

from chatbot.conversation.messages import Message
from chatbot.window.excerpts import pick_excerpts

SMALL_TALK = [
    Message("user", "Can you tell me how the tides work? Thank you."),
    Message(
        "assistant",
        "Of course. The sea rises and falls because the moon pulls at it. Is there more that you want to know?",
    ),
    Message("user", "And why is the sky blue?"),
    Message(
        "assistant", "Because the air scatters blue light more than red light, so that it reaches us from everywhere."
    ),
]


@pytest.mark.parametrize(
    "fact",
    [
        "My sister Odile lives in Ghent.",
        "Der Code des Gartentors ist 4471.",
        "Мой поезд отправляется в 17:45.",
        "我妹妹的电话号码是五五五八八三二。",
        "Der Schlüssel liegt unter dem blauen Blumentopf.",
    ],
)
def test_what_the_user_told_comes_first(fact: str) -> None:
    said = [*SMALL_TALK, Message("user", fact), Message("assistant", "Noted."), *SMALL_TALK]
    assert next(pick_excerpts(said)).text == fact


def test_questions_come_last_and_nothing_comes_twice() -> None:
    said = [*SMALL_TALK, *SMALL_TALK]
    texts = [excerpt.text for excerpt in pick_excerpts(said)]
    assert len(texts) == len(set(texts)) == 5
    assert all(text.endswith("?") for text in texts[-2:])


def test_calls_results_and_cut_off_answers_are_no_part_of_it() -> None:
    said = [
        Message("tool", "The page says 42."),
        Message("assistant", "The answer may be 43.", interrupted=True),
        Message("assistant", "Kept.", thinking="Or is it 44?"),
    ]
    assert [excerpt.text for excerpt in pick_excerpts(said)] == ["Kept."]

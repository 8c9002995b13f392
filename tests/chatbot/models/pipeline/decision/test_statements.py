import pytest

from chatbot.models.pipeline.decision.statements import tells_of_life, without_remark


@pytest.mark.parametrize(
    "message",
    [
        "My cousin Ana runs a bakery in Lisbon.",
        "We moved house in May. Our new garden is huge!",
        "I was born in Tartu.",
        "By the way, my train was late again.",
        "hello magpie, it's snowing here and i've got no gloves",
        "Hi! My parents are staying for a week.",
    ],
)
def test_who_tells_of_their_life_wants_a_reply(message: str) -> None:
    assert tells_of_life(message)


@pytest.mark.parametrize(
    "message",
    [
        "My laptop does not start, what can I do",
        "I want to know when the castle opens",
        "Our train leaves at nine. When do we arrive?",
        "I said 1950.",
        "My code has a bug.",
        "The castle opens at nine.",
        "Hello, who are you?",
        "It's the inn where my parents met, and it opens at nine.",
        "My budget is 500 euros.",
        " ".join(["We walked on."] * 20),
    ],
)
def test_who_asks_wishes_or_speaks_of_something_else_does_not(message: str) -> None:
    assert not tells_of_life(message)


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        ("can we bring our parrot? hes a grey one", "can we bring our parrot?"),
        ("May my small son come too? He is nine.", "May my small son come too?"),
        ("Which course fits? I'm free on Mondays.", "Which course fits?"),
    ],
)
def test_what_is_told_behind_a_question_is_no_part_of_it(message: str, asked: str) -> None:
    assert without_remark(message) == asked


@pytest.mark.parametrize(
    "message",
    [
        "When does it open? I need it in one sentence.",
        "When does it open? Please answer in French.",
        "I ride a Nimbus 4. What is wrong with it?",
        "When does it open? And when does it close?",
        "May my son come too?",
        "Could you look this up? It is in my insurance contract.",
        "How far is it? I'd like it in miles.",
    ],
)
def test_what_is_wished_or_asked_behind_a_question_stays(message: str) -> None:
    assert without_remark(message) == message

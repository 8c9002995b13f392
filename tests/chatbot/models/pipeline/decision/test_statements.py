import pytest

from chatbot.models.pipeline.decision.statements import tells_of_life


@pytest.mark.parametrize(
    "message",
    [
        "My cousin Ana runs a bakery in Lisbon.",
        "We moved house in May. Our new garden is huge!",
        "I was born in Tartu.",
        "By the way, my train was late again.",
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
        "My budget is 500 euros.",
        " ".join(["We walked on."] * 20),
    ],
)
def test_who_asks_wishes_or_speaks_of_something_else_does_not(message: str) -> None:
    assert not tells_of_life(message)

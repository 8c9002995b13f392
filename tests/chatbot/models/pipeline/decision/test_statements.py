import pytest

from chatbot.models.pipeline.decision.statements import tells_of_life, without_preamble, without_remark


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


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        (
            "i finish work at 7 so only evenings will do. when does the rink in Harrow close on thursdays?",
            "when does the rink in Harrow close on thursdays?",
        ),
        (
            "old freezer died, i live on the 5th floor.. what does the tip in Harrow charge for a freezer?",
            "what does the tip in Harrow charge for a freezer?",
        ),
    ],
)
def test_what_is_told_before_a_question_that_needs_nothing_of_it_is_no_part_of_it(message: str, asked: str) -> None:
    assert without_preamble(message) == asked


@pytest.mark.parametrize(
    "message",
    [
        "im a student. what does the yearly pass of the rink cost?",
        "My son is nine. what does a yearly pass of the rink cost?",
        "i have a dog. what does the campsite in Harrow charge a night?",
        "we go to the Lumbra gym. what does a monthly membership cost there?",
        "i want the Lumbra gym. what does a monthly membership cost a student?",
        "i take blood thinners. what can i take against a strong headache at night?",
        "my rent is 940 and goes up. whats the new rent?",
        "i start at 7:50 and stay 9 hours. when can i go home?",
        "the museum in Vellin was dear. what does the entry to all exhibitions cost?",
        "i read the notes. when does it close on thursdays in winter?",
    ],
)
def test_what_an_answer_may_hang_on_stays_before_the_question(message: str) -> None:
    assert without_preamble(message) == message

"""A text that goes round in circles is told from one that repeats what it should."""

import pytest

from chatbot.models.pipeline.writing.checks.repetition import (
    goes_in_circles,
    names_another,
    repeats_itself,
    says_question_again,
)

BREEZE = "A soft breeze,\n\n"


@pytest.mark.parametrize(
    "unit",
    [
        BREEZE,
        "a melody that fills the air, ",
        "The rain falls on the roof. The wind is in the trees. We wait for the sun to come out again.\n",
        "雨が静かに降っています。風が吹いています。",
    ],
)
def test_the_same_words_again_and_again_are_a_circle(unit: str) -> None:
    assert goes_in_circles(f"Here is a poem.\n\n{unit * 40}".strip(), "Write a short poem about rain.")
    assert not goes_in_circles(f"Here is a poem.\n\n{unit * 4}".strip(), "Write a short poem about rain.")


def test_case_and_a_beginning_in_the_middle_of_a_round_do_not_matter() -> None:
    assert goes_in_circles("A melody that fills the air, a MELODY that fills the air, " * 10 + "a melody", "A poem.")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Yes.",
        "| a | b |\n|---|---|\n" + "-" * 400,
        "values = [" + "0, " * 200,
        "\n".join(f"{number}. Water the plants in room {number}." for number in range(60)),
        "".join(f"On day {number} we went to the beach and then had dinner at home.\n" for number in range(40)),
    ],
)
def test_lists_ruled_lines_and_rows_of_numbers_are_none(text: str) -> None:
    assert not goes_in_circles(text, "What is there to do?")


@pytest.mark.parametrize("ends", ["", "I must", "I must not talk"])
def test_what_the_question_wants_repeated_is_none(ends: str) -> None:
    lines = "I must not talk in class.\n" * 60
    assert not goes_in_circles(lines + ends, 'Write "I must not talk in class." a hundred times.')
    assert goes_in_circles(lines + ends, "Write me a poem.")


def test_an_item_is_not_listed_three_times() -> None:
    said = "It has:\n\n- Rye\n- Oats\n- Rye\n- Oats\n"
    assert repeats_itself(said, "- Rye\n", "What is in it?")
    assert not repeats_itself(said, "- Barley\n", "What is in it?")
    assert not repeats_itself(f"```yaml\n{said}", "- Rye\n", "What is in it?")
    assert not repeats_itself("Monday\n- Rest\nTuesday\n- Run\nFriday\n- Rest\nSunday\n", "- Rest\n", "A plan, please.")
    assert not repeats_itself("- Milk\n- Milk\n", "- Milk\n", "Write milk five times.")


@pytest.mark.parametrize(
    ("sentence", "question", "again"),
    [
        ("The ferry leaves on Mondays.", "When does the ferry leave on Mondays?", True),
        ("The ferry leaves at six on Mondays.", "When does the ferry leave on Mondays?", False),
        ("The ferry never leaves on Mondays.", "When does the ferry leave on Mondays?", False),
        ("The ferry leaves on Mondays.", "Does the ferry leave on Mondays?", False),
        ("The ferry leaves.", "Which of them leaves, the ferry or the barge?", False),
        ("The mill is closed.", "Which of the three is closed: mill, inn and shop?", False),
        ("The lanes in Holm have no light on 3 May.", "Which lanes in Holm have no light on 3 May?", True),
        ("No lanes in Holm have light on 3 May.", "Which lanes in Holm have light on 3 May?", False),
        ("The Harrow Band played in the final.", "Which piece did the Harrow Band play in the final?", True),
        ("The lamp blinks red twice.", "My lamp blinks red twice. What does that mean?", True),
        ("My lamp blinks red twice.", "My lamp blinks red twice. Why?", True),
        ("The lamp is too hot.", "My lamp blinks red twice. What does that mean?", False),
        ("People speak Italian in Italy.", "Which language do people speak in Italy?", False),
        ("The Harrow Band played a waltz in the final.", "Which piece did the Harrow Band play in the final?", False),
    ],
)
def test_the_words_of_a_question_for_something_else_are_no_answer(sentence: str, question: str, again: bool) -> None:
    assert says_question_again(sentence, question, question) is again


def test_a_foreign_question_said_again_is_known_by_its_translation_wherever_that_asks() -> None:
    question, sentence = "Bis wann hat das Museum am Freitag auf?", "Das Museum hat am Freitag auf."
    assert says_question_again(sentence, question, "The museum is open on Friday until what hour?")
    assert not says_question_again(sentence, question, "Is the museum open on Friday?")
    assert not says_question_again("The museum is open on Friday.", "Museum?", "Is it open on Friday, and what else?")


def test_why_something_is_so_a_sentence_does_not_say_that_says_that_it_is() -> None:
    question = "Why does the bridge of Ardle close for two weeks in May?"
    assert says_question_again("The bridge closes in May.", question, question)
    assert not says_question_again("The bridge closes for the herons.", question, question)
    behind = "The bridge of Ardle closes for two weeks. Why is that in May?"
    assert says_question_again("The bridge closes.", behind, behind)


@pytest.mark.parametrize(
    ("sentence", "another"),
    [
        ("The first was Odo Lane in 1902.", True),
        ("Ada Finch was there in 1871.", False),
        ("Construction began at 14:00 in 1871.", False),
        ("It was first shown at 8 PM on BBC One.", False),
        ("The shaft was opened in 1871 by Jo Balm.", False),
        ("에베레스트산은 1953년에 처음으로 정복되었습니다.", False),
    ],
)
def test_in_which_year_somebody_was_first_a_sentence_about_somebody_else_does_not_say(
    sentence: str, another: bool
) -> None:
    said = "The first down the shaft was Ada Finch."
    assert names_another(sentence, "In which year was the first down the shaft?", said) is another
    assert not names_another(sentence, "In which year was the first down the shaft?", "")

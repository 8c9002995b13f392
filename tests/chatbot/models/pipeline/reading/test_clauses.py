"""Figures of a passage as a sentence has them."""

import pytest

from chatbot.models.pipeline.reading.clauses import is_of_another_clause
from rag.documents import Passage


@pytest.mark.parametrize(
    ("text", "sentence", "question", "other"),
    [
        ("Adults £9.50, students £6.", "It costs £9.50.", "What do students pay?", True),
        ("Adults £9.50, students £6.", "It costs £6.", "What do students pay?", False),
        ("Adults £9.50, students £6.", "It costs £9.50.", "What is the admission?", False),
        ("La camera costa 58 euro, per i soci 46 euro.", "Costa 58 euro.", "Quanto costa la camera per i soci?", True),
        ("The next fair is on 3 May; stalls open on 1 March.", "It opens on 1 March.", "When is the fair?", True),
        (
            "It has 58 members, and was founded in 1962.",
            "It has 58.",
            "How many members has it, founded in 1962?",
            False,
        ),
        (
            "It opens at 9:00, on Sundays at 11:00. On Sundays it opens at 9:00 in May.",
            "At 9:00.",
            "When on Sundays?",
            False,
        ),
    ],
)
def test_a_figure_beside_a_clause_that_the_question_means_is_not_its_answer(
    text: str, sentence: str, question: str, other: bool
) -> None:
    assert is_of_another_clause(Passage(text, "https://a.test", "Prices", "web"), sentence, question) is other


@pytest.mark.parametrize(
    ("sentence", "mixed"),
    [
        ("Admission is £9 for those above 60.", True),
        ("Those above 60 pay £6.", False),
        ("Admission is £9, for those above 60 £6.", False),
        ("Admission is £9 until 17:00.", False),
    ],
)
def test_the_price_of_one_clause_is_not_that_of_whom_another_one_names(sentence: str, mixed: bool) -> None:
    text = "Admission is £9, for those above 60 £6. It opens at 10:00, and closes at 17:00."
    passage = Passage(text, "https://a.test", "Tower", "web")
    assert is_of_another_clause(passage, sentence, "How much does a pensioner pay?") is mixed


@pytest.mark.parametrize(
    ("sentence", "question", "mixed"),
    [
        ("W niedziele zamyka o 14:30, od 9:00 do 20:00.", "O której zamyka basen w niedziele?", True),
        ("W niedziele zamyka o 14:30.", "O której zamyka basen w niedziele?", False),
        ("Od wtorku do piątku od 9:00 do 20:00, w niedziele do 14:30.", "Kiedy basen jest czynny?", False),
        ("We wtorki od 9:00 do 20:00.", "Kiedy basen jest czynny we wtorki?", False),
    ],
)
def test_the_hours_of_the_day_that_is_asked_for_are_not_told_with_those_of_other_days(
    sentence: str, question: str, mixed: bool
) -> None:
    text = "Basen jest czynny od wtorku do piątku w godzinach 9:00-20:00, w niedziele do 14:30."
    assert is_of_another_clause(Passage(text, "https://a.test", "Basen", "web"), sentence, question) is mixed


def test_that_a_clause_is_about_what_the_title_names_makes_it_none_that_is_meant() -> None:
    text = "Founded in 1962, the choir has 58 members."
    passage = Passage(text, "https://a.test", "Ardle choir", "web")
    assert not is_of_another_clause(passage, "It was founded in 1962.", "When was the choir of Ardle founded?")


@pytest.mark.parametrize(
    ("sentence", "question", "added"),
    [
        ("You can borrow up to 640 things.", "How many things can I borrow?", True),
        ("There are 640 things.", "How many things can I borrow?", False),
        ("There are at most 640 things.", "How many things are there at most?", False),
        ("You can keep up to 4 things.", "How many things can I keep?", False),
        ("A bag holds up to 30 litres.", "How much does a bag hold?", False),
        ("You must be at least 16.", "How old must I be?", False),
    ],
)
def test_of_a_number_no_bound_is_made(sentence: str, question: str, added: bool) -> None:
    text = "Members share drills, saws and some 640 other things. You may keep 4 things. Bags hold 30 litres at most. "
    text += "For people aged 16 and over."
    assert is_of_another_clause(Passage(text, "https://a.test", "Shed", "web"), sentence, question) is added


@pytest.mark.parametrize(
    ("sentence", "question", "other"),
    [
        ("The rest is from 12:30 to 14:30.", "And when is the rest on Sundays?", True),
        ("The rest is from 12:30 to 14:30.", "And when is the rest on Mondays?", False),
        ("The rest is from 12:30 to 14:30.", "And when is the rest?", False),
        ("On weekdays the rest is from 12:30 to 14:30.", "And when is the rest on Sundays?", False),
        ("The gate is shut at 22:00.", "When is the gate shut on Sundays?", False),
    ],
)
def test_the_hours_of_other_days_are_not_those_of_the_day_that_is_asked(
    sentence: str, question: str, other: bool
) -> None:
    text = "On weekdays the rest is from 12:30 to 14:30. On Sundays it must be quiet. The gate is shut at 22:00."
    assert is_of_another_clause(Passage(text, "https://a.test", "Court", "file"), sentence, question) is other


@pytest.mark.parametrize(
    ("sentence", "question", "counted"),
    [
        ("The rowing club has 36 members.", "How many members does the rowing club have?", True),
        ("The rowing club has 210 members.", "How many members does the rowing club have?", False),
        ("Membership costs £36 a year.", "How much is the membership of the rowing club?", False),
        ("You pay 36 a year.", "How much is the membership of the rowing club?", False),
    ],
)
def test_an_amount_of_money_is_no_number_of_something_else(sentence: str, question: str, counted: bool) -> None:
    text = "Membership of the rowing club is £36 a year. 210 people row here."
    assert is_of_another_clause(Passage(text, "https://a.test", "Club", "web"), sentence, question) is counted


@pytest.mark.parametrize(
    ("text", "added"),
    [
        ("The cat weighs 3 kilograms now. In spring it was 3.4 kilograms.", True),
        ("The cat is 3 kilograms lighter than in spring.", False),
        ("The cat lost weight.", False),
        ("The cat weighs 3 kilograms now, 400 grams less than before.", True),
        ("The cat weighs 3 kilograms now – 400 grams less than before.", True),
        ("The cat weighs 3 kilograms now (400 grams less than before).", True),
        ("The cat weighs 3 kilograms less now, which is lower than in 2019.", False),
        ("The cat lost weight, 3 kilograms.", False),
        ("Since spring the cat lost 3 kilograms.", False),
        ("Die Katze wiegt jetzt 3 Kilogramm und ist wieder ganz gesund.", False),
    ],
)
def test_a_figure_is_no_difference_unless_it_is_compared(text: str, added: bool) -> None:
    passage = Passage(text, "https://a.test", "Cat", "web")
    sentence = "The cat weighs 3 kilograms less than before."
    assert is_of_another_clause(passage, sentence, "How much lighter is the cat?") is added


def test_a_figure_before_and_more_than_is_no_difference() -> None:
    passage = Passage("The hotel has 40 rooms in two houses. There are 100 beds.", "https://a.test", "Hotel", "web")
    sentence = "The hotel has 40 rooms and more than 90 beds."
    assert not is_of_another_clause(passage, sentence, "How big is the hotel?")

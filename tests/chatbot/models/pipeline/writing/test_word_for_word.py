import pytest

from chatbot.models.pipeline.writing.word_for_word import (
    is_of_another_clause,
    left_over,
    loses_day,
    says_opposite,
    speaks_of_something_else,
    told_by_row,
    turns_question_round,
)
from rag.documents import Passage

TABLE = "| From the quay | From the island |\n|---|---|\n| 06:40 | 07:30 |\n| 09:10 | 10:00 |"
QUESTION = "When does the first ferry leave the quay?"


def test_figures_of_a_sentence_stand_in_one_row_of_a_table() -> None:
    assert told_by_row(TABLE, "The first ferry leaves at 06:40.", QUESTION)
    assert told_by_row(TABLE, "It leaves at 06:40 and at 10:00.", QUESTION) is False
    assert told_by_row(TABLE, "It leaves early.", QUESTION) is None
    assert told_by_row("It leaves at 06:40.", "It leaves at 06:40.", QUESTION) is None


def test_the_row_that_has_most_of_the_questions_words_is_meant() -> None:
    fares = "| Passenger | Single | Return |\n|---|---|---|\n| Adult | 4.90 | 8.60 |\n| Child | 2.40 | 4.20 |"
    question = "What does a return ticket for an adult cost?"
    assert told_by_row(fares, "It costs 8.60.", question)
    assert told_by_row(fares, "It costs 4.20.", question) is False


def test_of_the_cells_of_a_row_the_one_is_meant_whose_column_the_question_names() -> None:
    passes = "| Pass | Adults | Students and trainees |\n|---|---|---|\n| Ten visits | 139 € | 114 € |"
    question = "What does a pass of ten visits cost for students?"
    assert told_by_row(passes, "It costs 114 €.", question)
    assert told_by_row(passes, "It costs 139 €.", question) is False


def test_where_rows_of_several_tables_are_meant_alike_none_is() -> None:
    weekend = TABLE.replace("06:40", "08:00").replace("| From the quay | From", "| From the quay | To")
    both = f"## Monday to Friday\n{TABLE}\n\n## Saturday and Sunday\n{weekend}"
    assert told_by_row(both, "The first ferry leaves at 08:00.", QUESTION) is None


def test_a_question_that_names_row_and_column_is_answered_by_that_cell_alone() -> None:
    hours = (
        "| Day | Opens | Closes |\n|---|---|---|\n| Friday | 9:00 | 19:15 |\n\nThe fountain plays at noon and at 14:00."
    )
    asked = "When does the park close on Friday?"
    assert told_by_row(hours, "It closes at 19:15.", asked)
    assert told_by_row(hours, "The fountain plays at 14:00.", asked) is False
    assert told_by_row(hours, "The fountain plays at 14:00.", "When does the fountain play?") is None


def test_what_is_left_of_a_number_of_a_line_is_borne_out_by_it() -> None:
    plan, asked = "Budget: 640 pounds, 210 of it for the hotel\nTrain at 7:52", "What is left of the budget?"
    assert left_over(asked, plan, {"430"})
    assert not left_over(asked, plan, {"420"})
    assert not left_over(asked, plan, {"633"})
    assert not left_over("What does the hotel cost?", plan, {"430"})


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


def test_what_a_text_says_to_begin_then_does_not_end_then() -> None:
    text = "The course starts on 4 May and lasts three weeks. Fees are due on 1 April."
    assert says_opposite(text, "The course ends on 4 May.")
    assert not says_opposite(text, "The course starts on 4 May.")
    assert not says_opposite(text, "The course ends three weeks later.")
    assert not says_opposite("It starts on 4 May. The fair ends on 4 May.", "The fair ends on 4 May.")


@pytest.mark.parametrize(
    ("sentence", "question", "loses"),
    [
        ("The band plays from 18:00 to 20:15.", "When does the band play?", True),
        ("The band plays on Mondays from 18:00 to 20:15.", "When does the band play?", False),
        ("The band plays from 18:00 to 20:15.", "When does the band play on Mondays?", False),
        ("The shop opens at 9:00.", "When does the shop open?", False),
        ("The band plays in the barn.", "When does the band play?", False),
    ],
)
def test_times_of_the_day_are_not_told_without_the_days_that_a_text_says_them_of(
    sentence: str, question: str, loses: bool
) -> None:
    text = "Mondays from 18:00 to 20:15 in the barn.\n\nThe shop: 9:00 to 17:00. On Sundays it opens at 9:00 as well."
    assert loses_day(text, sentence, question) is loses


@pytest.mark.parametrize(
    ("sentence", "turned"),
    [
        ("The Harbour Orchestra conducts the concerts.", True),
        ("Ruth Ames conducts the Harbour Orchestra.", False),
        ("The Harbour Orchestra is conducted by Ruth Ames.", False),
        ("At the Harbour Orchestra Ruth Ames conducts.", False),
        ("Ruth Ames.", False),
        ("The Harbour Orchestra conductor is Ruth Ames.", False),
    ],
)
def test_what_something_is_done_to_is_not_who_does_it(sentence: str, turned: bool) -> None:
    assert turns_question_round(sentence, "Who conducts the Harbour Orchestra?") is turned


def test_who_somebody_is_has_no_one_to_whom_it_is_done() -> None:
    assert not turns_question_round("The mayor is Ruth Ames.", "Who is the mayor?")


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
    ],
)
def test_a_figure_is_no_difference_unless_it_is_compared(text: str, added: bool) -> None:
    passage = Passage(text, "https://a.test", "Cat", "web")
    sentence = "The cat weighs 3 kilograms less than before."
    assert is_of_another_clause(passage, sentence, "How much lighter is the cat?") is added


@pytest.mark.parametrize(
    ("sentence", "question", "other"),
    [
        ("The pond is 90 metres long.", "How deep is the pond?", True),
        ("The pond is 2 metres deep and 90 metres long.", "How deep is the pond?", False),
        ("The tower is 41 metres tall.", "How high is the tower?", False),
        ("The tour is 900 metres long.", "How long is the tour?", False),
        ("The pond was dug in 1901.", "How deep is the pond?", False),
    ],
)
def test_how_long_something_is_does_not_say_how_deep_it_is(sentence: str, question: str, other: bool) -> None:
    assert speaks_of_something_else(sentence, question, question) is other


@pytest.mark.parametrize(
    ("sentence", "silent"),
    [
        ("The ring was found in a bush.", True),
        ("The ring was found by a gardener.", False),
        ("The ring was found thanks to Ines Roth.", False),
        ("A gardener was lucky.", False),
    ],
)
def test_that_something_was_done_does_not_say_who_did_it(sentence: str, silent: bool) -> None:
    assert turns_question_round(sentence, "Who found the ring?") is silent

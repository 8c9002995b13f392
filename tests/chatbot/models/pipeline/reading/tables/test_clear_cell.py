"""The one cell that clearly answers."""

import pytest

from chatbot.models.pipeline.reading.tables.cells import WeighedRow
from chatbot.models.pipeline.reading.tables.clear_cell import clear_cell
from rag.chunking.tables import TableRow

ADULT = TableRow("Fares", (("Who", "Adults"), ("Single", "£9.50"), ("Return", "£15.00")))
CHILD = TableRow("Fares", (("Who", "Children 8-15"), ("Single", "£5.00"), ("Return", "£8.00")))
ROWS = [WeighedRow(ADULT, (-3.0, 1.0, 2.0)), WeighedRow(CHILD, (-2.0, 3.0, 5.0))]
ASKED = "what does a child pay for the return?"


def test_the_likeliest_cell_is_told_with_its_rows_name_and_without_the_cells_beside_it() -> None:
    cell = clear_cell(CHILD, ROWS, ASKED)
    assert cell
    assert (cell.text, cell.row.spoken) == ("£8.00", "Fares – Who: Children 8-15, Return: £8.00")


def test_a_cell_of_another_row_or_one_that_is_hardly_ahead_answers_not_clearly() -> None:
    assert clear_cell(ADULT, ROWS, ASKED) is None
    assert clear_cell(None, ROWS, ASKED) is None
    assert clear_cell(CHILD, [ROWS[0], WeighedRow(CHILD, (-2.0, 4.8, 5.0))], ASKED) is None
    assert clear_cell(CHILD, [], ASKED) is None


def test_cells_that_a_question_names_stay_beside_the_one_that_it_means() -> None:
    row = TableRow("", (("Course", "Raku"), ("Group", "Children"), ("Day", "Thursday"), ("Price", "£40")))
    cell = clear_cell(row, [WeighedRow(row, (0.0, 0.0, 3.0, 1.0))], "which day is raku for children?")
    assert cell and cell.row.spoken == "Course: Raku, Group: Children, Day: Thursday"


def test_a_sentence_tells_a_cell_by_its_figure_its_day_or_its_words() -> None:
    price = clear_cell(CHILD, ROWS, ASKED)
    assert price
    assert price.is_told_by("A child pays £8.00 for the return.", ASKED)
    assert not price.is_told_by("A child pays £5.00.", ASKED)
    course = TableRow("", (("Course", "Raku"), ("Day", "Thursday"), ("Room", "cellar, left")))
    day = clear_cell(course, [WeighedRow(course, (0.0, 3.0, 0.0))], "when is raku?")
    assert day and day.is_told_by("Der Kurs ist am Donnerstag.", "wann ist raku?")
    assert not day.is_told_by("It is on Friday.", "when is raku?")
    room = clear_cell(course, [WeighedRow(course, (0.0, 0.0, 3.0))], "where is raku?")
    assert room and room.is_told_by("It is in the cellar.", "where is raku?")
    assert not room.is_told_by("It is on Thursday.", "where is raku?")


def test_what_has_only_words_of_the_question_is_no_answer_to_it() -> None:
    coach = TableRow("Club", (("", "Head coach"), ("", "Ines Okoro, since 2018")))
    cell = clear_cell(coach, [WeighedRow(coach, (7.6, 6.5))], "who is head coach of the club?")
    assert cell and (cell.text, cell.row.spoken) == (
        "Ines Okoro, since 2018",
        "Club – Head coach: Ines Okoro, since 2018",
    )


def test_a_sign_without_a_word_is_no_answer() -> None:
    row = TableRow("", (("Animal", "Bird"), ("Vaccination", "-")))
    assert clear_cell(row, [WeighedRow(row, (0.0, 3.0))], "what does the vaccination of a bird cost?") is None


def test_the_first_time_of_a_timetable_is_no_name() -> None:
    row = TableRow("Saturday", (("From the village", "08:33"), ("From the station", "09:07")))
    cell = clear_cell(row, [WeighedRow(row, (0.0, 3.0))], "when does the first bus leave the station on a saturday?")
    assert cell and cell.row.spoken == "Saturday – From the station: 09:07"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("closed", "The hall is shut on Mondays."),
        ("free", "Children do not pay anything."),
        ("5 €", "It costs five euros."),
        ("14.30", "The bus leaves at 14:30."),
        ("1.200", "There were 1,200 people."),
    ],
)
def test_what_is_told_in_other_words_or_signs_is_told(text: str, sentence: str) -> None:
    row = TableRow("", (("Name", "Hall"), ("Told", text)))
    cell = clear_cell(row, [WeighedRow(row, (0.0, 3.0))], "what of the hall?")
    assert cell and cell.is_told_by(sentence, "what of the hall?")

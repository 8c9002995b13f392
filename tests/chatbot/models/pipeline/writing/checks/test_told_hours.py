import pytest

from chatbot.models.pipeline.writing.checks.told_hours import loses_day, tells_other_hour


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
    ("sentence", "question", "other"),
    [
        ("The gallery opens at 11:00 AM on Thursdays.", "Until when is the gallery open on Thursdays?", True),
        ("It is open until 22:15.", "Until when is the gallery open on Thursdays?", False),
        ("It is open from 11:00 to 22:15.", "How late is it open?", False),
        ("It closes at 22:15.", "When does it open on Thursdays?", True),
        ("It opens at 11:00.", "When does it open and when does it close?", False),
        ("It is open all day.", "When does it close?", False),
        ("The closing ceremony is at 11:00.", "When is the closing ceremony?", False),
    ],
)
def test_when_something_begins_is_no_answer_to_when_it_ends(sentence: str, question: str, other: bool) -> None:
    assert tells_other_hour(["Day: Thursday, Hours: 11:00 to 22:15"], sentence, question) is other


@pytest.mark.parametrize(
    ("text", "sentence", "other"),
    [
        ("Each Saturday at 15:00 Ada Reed shows how lace is made.", "It closes at 15:00 on Saturdays.", True),
        ("Chaque samedi à 15 h, Ada montre la dentelle.", "Le musée ferme le samedi à 15 h.", True),
        ("Le musée ferme à 15 h le samedi.", "Le musée ferme le samedi à 15 h.", False),
        ("On Saturdays one may visit it from 9:00 to 15:00.", "It closes at 15:00 on Saturdays.", False),
        ("| Day | Until |\n|---|---|\n| Saturday | 15:00 |", "It closes at 15:00 on Saturdays.", False),
    ],
)
def test_when_something_else_begins_is_not_when_it_closes(text: str, sentence: str, other: bool) -> None:
    assert tells_other_hour([text], sentence, "When does the lace museum close on Saturdays?") is other
    assert not tells_other_hour([text], sentence, "When is lace made on Saturdays?")


@pytest.mark.parametrize(
    ("table", "other"),
    [
        ("| Stop | First bus | Last bus |\n|---|---|---|\n| Sundays, Orla | 8:40 | 20:25 |", True),
        ("| | Saturdays | Sundays |\n|---|---|---|\n| Last ferry | 21:10 | 20:25 |", True),
        ("| Day | From | Till |\n|---|---|---|\n| Sunday | 10:00 | 20:25 |", False),
        ("| What | Sundays |\n|---|---|\n| Boats | 10:00–20:25 |", False),
        ("| Department | Saturdays | Sundays |\n|---|---|---|\n| Toys | 9:00 | 20:25 |", False),
        ("| What | Sundays |\n|---|---|\n| Boat club bar | 20:25 |", False),
        ("| What | Opens | Closes |\n|---|---|---|\n| Tram rides, Sundays | 11:00 | 20:25 |", False),
        ("| What | From | Till |\n|---|---|---|\n| Tram museum, Sundays | 11:00 | 20:25 |", False),
    ],
)
def test_when_the_last_bus_goes_says_not_when_something_closes(table: str, other: bool) -> None:
    told = tells_other_hour([table], "It closes at 20:25 on Sundays.", "when does the tram museum shut on sundays")
    assert told is other


@pytest.mark.parametrize(
    ("sentence", "question", "other"),
    [
        ("The fun hour is on Saturdays from 1 pm to 3 pm.", "How late is it open on Fridays?", True),
        ("On Fridays it is open until 7 pm.", "How late is it open on Fridays?", False),
        ("From Thursday to Saturday it closes at 7 pm.", "When does it close on Fridays?", False),
        ("The fun hour is on Saturdays from 1 pm to 3 pm.", "And on Fridays?", True),
        ("The fun hour is on Saturdays.", "And on Fridays?", False),
        ("It opens again on Tuesday at 10:00.", "It is closed on Monday, when does it open next?", False),
        ("The market is on Saturdays from 8:00.", "I arrive on Friday. When is the market?", False),
        ("It is open on Saturdays from 9 am only.", "Is it open on Fridays?", False),
    ],
)
def test_the_hours_of_another_day_answer_no_question_about_one(sentence: str, question: str, other: bool) -> None:
    assert tells_other_hour(["Friday 6.30 am to 7 pm. On Saturdays from 1 pm to 3 pm."], sentence, question) is other


@pytest.mark.parametrize(
    ("sentence", "question", "other"),
    [
        ("The office is open on Thursdays from 9:00 to 11:30.", "When is the office open on Thursdays?", True),
        ("It is open from 9:00 to 11:30.", "When is the office open on Thursdays?", True),
        ("It is open from 14:00 to 18:30.", "When is the office open on Thursdays?", False),
        ("It is open from 9:00 to 11:30.", "When is the office open?", False),
        ("On Saturdays it is open from 9:00 to 11:30.", "Is the office open on Thursdays?", False),
        ("On Thursdays the lift runs from 7:00 to 9:30.", "When does the lift run on Thursdays?", False),
    ],
)
def test_the_hours_of_lines_about_other_days_are_not_told_of_the_one_that_is_asked_about(
    sentence: str, question: str, other: bool
) -> None:
    rows = "| Day | Afternoon |\n|---|---|\n| Wednesday | 14:00 - 16:00 |\n| Thursday | 14:00 - 18:30 |"
    text = f"{rows}\n\nOn Saturdays it is open from 9:00 to 11:30. The lift runs from 7:00 to 9:30."
    assert tells_other_hour([text], sentence, question) is other


@pytest.mark.parametrize(
    "text",
    [
        "The museum is open 10:00 to 18:00 daily except Mondays.",
        "Open 10:00 to 18:00 (Sundays until 16:00).",
        "We open 10:00 to 18:00; Monday is our day off.",
        "It is open from 10:00 to 18:00. On Saturdays there is a disco.",
    ],
)
def test_when_it_is_closed_or_otherwise_behind_the_hours_does_not_make_them_those_of_that_day(text: str) -> None:
    assert not tells_other_hour([text], "It is open from 10:00 to 18:00.", "When is the museum open on Thursday?")
    asked = "The course is usually on Tuesday. When is the museum open?"
    assert not tells_other_hour([text], "It is open from 10:00 to 18:00.", asked)

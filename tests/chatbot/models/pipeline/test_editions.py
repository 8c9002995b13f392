"""Editions of one page or file, told apart by the dates in their titles."""

import pytest

from chatbot.models.pipeline.editions import superseded

QUESTION = "When do we rehearse?"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Ferry to Ostby: timetable 2025", "Ferry to Ostby: timetable valid from 1 April 2026"),
        ("Choir of Vellin, minutes of 14 September 2026", "Choir of Vellin, minutes of 2 November 2026"),
        ("Protokoll Gartenverein, 3. März 2026", "Protokoll Gartenverein, 12. Oktober 2026"),
        ("minutes-2026-01-09.md", "minutes-2026-02-01.md"),
        ("Price list, May 2026", "Price list, June 2026"),
    ],
)
def test_of_two_titles_that_differ_by_their_date_the_earlier_is_superseded(older: str, newer: str) -> None:
    assert superseded(QUESTION, [older, newer, "The great fire of 1871"]) == [True, False, False]


@pytest.mark.parametrize("question", ["When did the ferry leave in 2025?", "What was said in September?"])
def test_a_question_that_names_a_time_may_mean_either(question: str) -> None:
    assert superseded(question, ["Ferry, September 2025", "Ferry, April 2026"]) == [False, False]

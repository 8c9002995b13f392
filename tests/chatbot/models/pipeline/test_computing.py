"""What a small model fills in for the calendar."""

import pytest

from chatbot.models.pipeline.computing import without_year


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("2023-12-25", "25 December"),
        ("2027-04-19", "2027-04-19"),
        ("now", "now"),
        ("13:05", "13:05"),
        ("2023-13-45", "2023-13-45"),
    ],
)
def test_a_year_that_nobody_said_is_left_to_the_calendar(value: str, kept: str) -> None:
    assert without_year(value, ["", "How many days until Christmas, and until 19 April 2027?"]) == kept

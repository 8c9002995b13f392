import pytest

from chatbot.research.conflicts import differ_in_number


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The Ostermark Bridge was opened in 1931.", "The Ostermark Bridge was opened in 1934."),
        ("Admission to the lido costs 4 crowns.", "Admission to the lido costs 6 crowns for everybody."),
        ("The museum opens at 9:30 on Sundays.", "On Sundays the museum opens at 10:30."),
        ("The bridge is 412 metres long.", "The bridge is some 390 metres long."),
        ("The fair begins on 4 May.", "The fair begins on 11 May."),
    ],
)
def test_the_same_words_with_another_number_or_date_disagree(first: str, second: str) -> None:
    assert differ_in_number(first, second)
    assert differ_in_number(second, first)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The Ostermark Bridge was opened in 1931.", "The Ostermark Bridge was opened in May 1931."),
        ("The Ostermark Bridge was opened in 1931.", "The Venn Bridge was opened in 1934."),
        ("Admission to the lido costs 4 crowns.", "The lido has 6 lanes."),
        ("The museum opens at 9:30.", "The museum opens at half past nine."),
        ("Adults pay 7 crowns and children 3 crowns.", "Adults pay 7 crowns."),
        ("The bridge is 412 metres long.", "The bridge is long."),
        ("Anna Kroll scored for Torn in the 9th minute.", "For Torn, Berta Lind scored in the 31st minute."),
    ],
)
def test_other_things_and_what_only_tells_more_do_not(first: str, second: str) -> None:
    assert not differ_in_number(first, second)

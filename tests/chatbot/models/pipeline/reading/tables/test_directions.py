"""From where to where a question asks, and which columns of a timetable are of that."""

import pytest

from chatbot.models.pipeline.reading.tables.directions import fits_denial, fits_direction, fits_way


@pytest.mark.parametrize(
    ("question", "column", "other"),
    [
        ("when does the last bus leave Vellin for Orla?", "From Vellin market", "From Orla station"),
        ("last boat back from the island", "From the island", "From the quay"),
        ("what time is the first train to Orla", "To Orla", "To Vellin"),
        ("Wann fährt die letzte Fähre von der Insel?", "Ab Insel", "Ab Hafen"),
        ("à quelle heure part le bateau de l'île ?", "Du port", ""),
    ],
)
def test_a_column_of_the_way_that_is_asked_for_is_told_from_the_other(question: str, column: str, other: str) -> None:
    if other:
        assert fits_direction(question, column) > fits_direction(question, other)
    else:
        assert fits_direction(question, column) == 0


def test_a_heading_tells_the_way_by_both_of_its_places() -> None:
    asked = "when does the last bus leave Vellin station"
    assert fits_way(asked, "From Vellin to Orla") == 1
    assert fits_way(asked, "From Orla to Vellin") == -1
    assert fits_way("last bus to Orla", "Night bus: from Vellin to Orla") == 1
    assert fits_way(asked, "Fares") == 0


def test_a_column_of_no_way_says_nothing() -> None:
    assert fits_direction("what do we pay per head for 12 people?", "From 10 people") == 0
    assert fits_direction("what does it cost for a week in June", "From June") == 0
    assert fits_direction("hoe laat gaat de boot naar de haven?", "Van de haven") == -1
    assert fits_direction("when does the last bus leave Vellin?", "Saturday") == 0
    assert fits_direction("when does it close?", "From the quay") == 0


def test_a_column_for_those_who_have_none_is_not_theirs_who_have_one() -> None:
    asked = "what do residents with the card pay for a freezer?"
    assert fits_denial(asked, "Residents without card") == -1.0
    assert fits_denial(asked, "Residents (with card)") == fits_denial(asked, "Businesses without number") == 0.0
    assert fits_denial("what do I pay without a card?", "Residents without card") == 1.0
    assert fits_denial("was zahlen Mitglieder?", "Nichtmitglieder") == -1.0
    assert fits_denial("im not a member, what do i pay?", "Non-members") == 1.0
    assert fits_denial("im not a member, what do i pay?", "Members") == -1.0


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("no, how much is the ticket for adults?", "Adults"),
        ("is it not free for children?", "Children"),
        ("how much is room no. 5 per night?", "Room per night"),
        ("how much for adults without children?", "Adults"),
        ("I have no card, how much do adults pay?", "Adults"),
        ("ile kosztuje bilet w niedziele dla dzieci?", "Dzieci"),
    ],
)
def test_what_is_denied_of_something_else_says_nothing_of_a_name(asked: str, name: str) -> None:
    assert fits_denial(asked, name) == 0.0


@pytest.mark.parametrize(
    ("asked", "name", "fits"),
    [
        ("what is a family ticket at peak times?", "Off-peak", -1.0),
        ("what is a family ticket off peak?", "Off-peak", 1.0),
        ("what is a family ticket off-peak?", "Peak", -1.0),
        ("how do I get off at the Peak?", "Price", 0.0),
    ],
)
def test_off_peak_is_not_peak(asked: str, name: str, fits: float) -> None:
    assert fits_denial(asked, name) == fits

"""Whose price a row is, by the ages in its name."""

import pytest

from chatbot.models.pipeline.worked_out.age_groups import is_of_age


@pytest.mark.parametrize(
    ("name", "of", "not_of"),
    [
        ("Single, under 16", (3, 15), (16, 40)),
        ("Child 5 to 15", (5, 15), (4, 16)),
        ("Kinder von 6 bis 13", (6, 13), (5, 14)),
        ("Up to 12", (0, 12), (13,)),
        ("Seniors, 65 and over", (65, 90), (64,)),
        ("65+", (65,), (64,)),
        ("Over 60", (61,), (60,)),
        ("Moins de 18 ans", (17,), (18,)),
        ("Ab 14", (14,), (13,)),
        ("Adult", (), (40,)),
        ("Groups 10-20 persons", (), (12,)),
        ("Zone 1-12", (), (12,)),
        ("bis 14 Uhr", (), (12,)),
        ("from 14:00", (), (20,)),
    ],
)
def test_the_ages_of_a_name_are_read(name: str, of: tuple[int, ...], not_of: tuple[int, ...]) -> None:
    assert all(is_of_age(name, age) for age in of)
    assert not any(is_of_age(name, age) for age in not_of)

"""How old something is now, worked out of the day or the year that was read."""

from datetime import date

import pytest

from chatbot.models.pipeline.worked_out.age import tell_age

TODAY = date(2026, 11, 29)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Ada Brink was born on 12 March 1961 in Oslo. [1]", "March 12, 1961 → November 29, 2026: 65 years"),
        ("She was born on 30 November 1961. [2]", "November 30, 1961 → November 29, 2026: 64 years"),
        ("The mill was built in 1887. [1]", "1887 → 2026: 139 years"),
        ("The club was founded in 1950 and celebrates on 24 June. [1]", "1950 → 2026: 76 years"),
        ("She was born in March 1961. [1]", "1961 → 2026: 65 years"),
    ],
)
def test_an_age_is_counted_from_the_day_or_the_year_that_was_read(said: str, told: str) -> None:
    assert tell_age("How old is it?", said, TODAY, "en") == told


def test_it_is_told_in_the_language_of_the_answer() -> None:
    said = "Ada Brink wurde am 12. März 1961 geboren. [1]"
    assert tell_age("How old is Ada Brink?", said, TODAY, "de") == "12. März 1961 → 29. November 2026: 65 Jahre"


def test_a_language_whose_words_for_years_are_not_known_is_told_in_english() -> None:
    assert tell_age("How old is it?", "The mill was built in 1887.", TODAY, "xx").endswith("139 years")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("When was she born?", "She was born on 12 March 1961. [1]"),
        ("How old was she when she married?", "She was born on 12 March 1961. [1]"),
        ("How old must one be to climb there?", "The wall was opened in 1999. [1]"),
        ("How old is she?", "She was born on 12 March 1961 and died in 1999. [1]"),
        ("How old is she?", "Ada Brink (1961) wrote it in 1999. [1]"),
        ("How old is she?", "She died in 1999. [1]"),
        ("How old is she?", "She is 65 and was born in 1961. [1]"),
        ("How old is she?", "She will be born in 2031. [1]"),
        ("How old is the dog?", "It is very old. [1]"),
        ("How old is the oak?", "The oak is 350 years old and stands at 1400 metres. [1]"),
        ("How old is the mayor?", "She has been mayor since 2019. [1]"),
        ("How old is she?", "She was 34 in 2020. [1]"),
        ("What is the age limit?", "Those born in 2018 may run. [1]"),
    ],
)
def test_nothing_is_told_where_no_age_is_asked_or_it_is_not_clear(asked: str, said: str) -> None:
    assert tell_age(asked, said, TODAY, "en") == ""

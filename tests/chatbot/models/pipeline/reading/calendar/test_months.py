import pytest

from chatbot.models.pipeline.reading.calendar.months import (
    IN_SEASON,
    OUT_OF_SEASON,
    month_bonus,
    months_in,
    word_of_season,
)


@pytest.mark.parametrize(
    ("text", "months", "word"),
    [
        ("November to March", {11, 12, 1, 2, 3}, ""),
        ("1. April bis 31. Oktober", {4, 5, 6, 7, 8, 9, 10}, ""),
        ("Juillet et août", {7, 8}, ""),
        ("Nov-Mar", {11, 12, 1, 2, 3}, ""),
        ("de junio a septiembre", {6, 7, 8, 9}, ""),
        ("4月至10月", {4, 5, 6, 7, 8, 9, 10}, ""),
        ("When does it close on a Saturday in winter?", {12, 1, 2}, "winter"),
        ("Combien coûte une nuit en août ?", {8}, "août"),
        ("зимой", {12, 1, 2}, "зимой"),
        ("It opens in May.", {5}, "May"),
        ("May I bring my dog?", set(), ""),
        ("Quand le pont a été construit ?", set(), ""),
        ("Sat and Sun", set(), ""),
    ],
)
def test_months_and_seasons_are_known_by_their_names_in_many_languages(text: str, months: set[int], word: str) -> None:
    assert months_in(text) == months
    assert word_of_season(text) == word


@pytest.mark.parametrize(
    ("question", "sentence", "bonus"),
    [
        ("May I row alone in January?", "Winter (November to March): nobody rows alone.", IN_SEASON),
        ("May I row alone in January?", "Summer (April to October): members row alone.", OUT_OF_SEASON),
        ("May I row alone in January?", "The regatta is in May.", 0.0),
        ("May I row alone?", "Winter (November to March): nobody rows alone.", 0.0),
    ],
)
def test_what_is_said_of_half_a_year_counts_for_its_months_alone(question: str, sentence: str, bonus: float) -> None:
    assert month_bonus(months_in(question), months_in(sentence)) == bonus

import pytest

from chatbot.models.pipeline.reading.calendar.months import (
    IN_SEASON,
    OUT_OF_SEASON,
    month_bonuses,
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


WINTER_RULE, SUMMER_RULE = "Winter (November to March): nobody rows alone.", "Summer (April to October): members do."


@pytest.mark.parametrize(
    ("question", "sentences", "bonuses"),
    [
        ("Am I to row alone in January?", [WINTER_RULE, SUMMER_RULE, "A day in May."], [IN_SEASON, OUT_OF_SEASON, 0.0]),
        ("Am I to row alone in January?", [SUMMER_RULE, "Vår båt kostar 20."], [0.0, 0.0]),
        ("Am I to row alone?", [WINTER_RULE, SUMMER_RULE], [0.0, 0.0]),
    ],
)
def test_what_is_said_of_half_a_year_counts_for_its_months_where_both_halves_are_told(
    question: str, sentences: list[str], bonuses: list[float]
) -> None:
    assert month_bonuses(question, sentences) == bonuses

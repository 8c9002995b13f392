import pytest

from chatbot.models.pipeline.reading.calendar.months import months_in, word_of_season


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

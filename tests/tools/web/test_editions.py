"""Results of last year, and those of the present beside them."""

from datetime import date

import pytest

from tools.web.editions import with_present_editions
from tools.web.fallback import SearchResult

OLD = SearchResult("Opening times and tickets 2025 (archive) | Odo Park", "https://odo.test/visit-2025", "Adults £9.")
NEW = SearchResult("Visit us: opening times and tickets 2026/27 | Odo Park", "https://odo.test/visit", "Adults £10.")
FEEDING = SearchResult("Feeding times | Odo Park", "https://odo.test/feeding", "At three.")
OTHER = SearchResult("Opening times and tickets | Vellin Zoo", "https://vellin.test/visit", "Adults £8.")
RESULTS = [OLD, FEEDING, OTHER, NEW]


@pytest.mark.parametrize(
    ("question", "results", "opened"),
    [
        ("What do adults pay at Odo Park?", RESULTS, [OLD, FEEDING, NEW]),
        ("What did adults pay at Odo Park?", RESULTS, [OLD, FEEDING]),
        ("What did adults pay at Odo Park in 2025?", RESULTS, [OLD, FEEDING]),
        ("What do adults pay at Odo Park?", [OLD, OTHER], [OLD, FEEDING]),
    ],
)
def test_beside_last_years_page_this_years_of_the_same_site_is_opened(
    question: str, results: list[SearchResult], opened: list[SearchResult]
) -> None:
    assert with_present_editions([OLD, FEEDING], results, question, date(2026, 5, 1)) == opened


def test_the_year_of_a_film_and_a_page_that_shares_the_sites_name_alone_are_no_editions() -> None:
    film = SearchResult("Odo (2021 film) - Cinema Pages", "https://films.test/wiki/Odo_2021", "A film.")
    novel = SearchResult("Odo (novel) - Cinema Pages", "https://films.test/wiki/Odo", "A novel.")
    storm = SearchResult("Storm hits Odo in 2025 | Odo News", "https://news.test/storm", "A storm.")
    cat = SearchResult("Cat wins a prize | Odo News", "https://news.test/cat", "A cat.")
    today = date(2026, 5, 1)
    assert with_present_editions([film], [film, novel], "Who plays Odo?", today) == [film]
    assert with_present_editions([storm], [storm, cat], "What does the storm break?", today) == [storm]


def test_what_is_of_this_year_is_no_past_edition() -> None:
    assert with_present_editions([OLD, FEEDING], RESULTS, "What do adults pay?", date(2025, 5, 1)) == [OLD, FEEDING]

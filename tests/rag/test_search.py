import math

import numpy as np
import pytest

from rag.search import COVERED, Mode, SearchOptions, relevance
from rag.settings import RagSettings

SETTINGS = RagSettings()
FLOOR = SETTINGS.relevance_floor
NONE = math.nan


def relevant(mode: Mode, options: SearchOptions, *candidates: tuple[float, float]) -> list[bool]:
    """Of cosine and covered share of each candidate."""
    meaning, covered = np.array(candidates, np.float64).T
    return relevance(meaning, covered, mode, options, SETTINGS).tolist()


def test_a_near_meaning_or_all_of_the_words_make_a_passage_relevant_and_some_of_both_do() -> None:
    half = FLOOR - COVERED / 2
    candidates = [(FLOOR, NONE), (FLOOR - 0.01, NONE), (0.01, 1.0), (NONE, 0.9), (half, 0.5), (half - 0.01, 0.5)]
    assert relevant("hybrid", SearchOptions(), *candidates) == [True, False, True, False, True, False]


def test_words_that_come_again_and_again_count_no_more_than_once() -> None:
    assert relevant("hybrid", SearchOptions(), (FLOOR - COVERED - 0.01, 7.0)) == [False]


@pytest.mark.parametrize(
    ("mode", "options", "expected"),
    [
        ("bm25", SearchOptions(), [True, True]),
        ("bm25", SearchOptions(min_similarity=0.9), [True, True]),
        ("vector", SearchOptions(), [True, False]),
        ("hybrid", SearchOptions(relevant_only=False), [True, True]),
        ("hybrid", SearchOptions(min_similarity=0.3), [False, False]),
        ("vector", SearchOptions(min_similarity=0.26), [True, False]),
    ],
)
def test_each_mode_has_a_floor_of_its_own(mode: Mode, options: SearchOptions, expected: list[bool]) -> None:
    assert relevant(mode, options, (0.26, 0.0), (0.1, 0.0)) == expected

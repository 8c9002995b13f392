import math

import numpy as np
import pytest

from rag.search.search import COVERED_WEIGHT, Candidates, Mode, SearchOptions, judge_relevance, rank_candidates
from rag.settings import RagSettings

SETTINGS = RagSettings()
FLOOR = SETTINGS.relevance_floor
NONE = math.nan


def relevant(mode: Mode, options: SearchOptions, *candidates: tuple[float, float]) -> list[bool]:
    """Of cosine and covered share of each candidate."""
    meaning, covered = np.array(candidates, np.float64).T
    return judge_relevance(meaning, covered, mode, options, SETTINGS).tolist()


def test_a_near_meaning_or_all_of_the_words_make_a_passage_relevant_and_some_of_both_do() -> None:
    half = FLOOR - COVERED_WEIGHT / 2
    candidates = [(FLOOR, NONE), (FLOOR - 0.01, NONE), (0.01, 1.0), (NONE, 0.9), (half, 0.5), (half - 0.01, 0.5)]
    assert relevant("hybrid", SearchOptions(), *candidates) == [True, False, True, False, True, False]


def test_words_that_come_again_and_again_count_no_more_than_once() -> None:
    assert relevant("hybrid", SearchOptions(), (FLOOR - COVERED_WEIGHT - 0.01, 7.0)) == [False]


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


def found(*chunks: tuple[float, float], exact: int = -1, least: float = 0.0, count: int = 1, legible: bool = True):
    """A collection's candidates, of cosine and BM25 each, which are both of the whole documents."""
    meaning, words = np.array(chunks, np.float64).T
    marked = np.arange(len(chunks)) == exact
    ids = range(len(chunks))
    return Candidates("c", ids, meaning, words, words, lambda _: {}, marked, (least, least), count, legible)


def order(candidates: Candidates, mode: Mode = "hybrid") -> list[int]:
    return [one.chunk for one in rank_candidates([candidates], mode, SearchOptions(relevant_only=False), SETTINGS)]


def test_the_only_passage_that_has_a_word_gains_by_it():
    assert order(found((0.5, NONE), (0.4, 1.0))) == [1, 0]


def test_a_passage_that_the_words_did_not_name_may_have_as_much_of_them_as_the_last_that_they_did():
    assert order(found((0.5, NONE), (0.4, 1.0), least=1.0)) == [0, 1]


def test_the_same_share_of_the_words_says_more_in_a_long_question():
    assert order(found((0.5, 0.1), (0.4, 0.3), count=1)) == [0, 1]
    assert order(found((0.5, 0.1), (0.4, 0.3), count=16)) == [1, 0]


def test_meaning_counts_little_where_the_model_cannot_read_the_question():
    assert order(found((0.9, 0.2), (0.4, 0.6))) == [0, 1]
    assert order(found((0.9, 0.2), (0.4, 0.6), legible=False)) == [1, 0]
    assert order(found((0.9, 0.2), (0.4, 0.6), legible=False), "vector") == [0, 1]


def test_what_is_to_be_found_exactly_comes_first_and_is_relevant():
    candidates = found((0.9, 2.0), (-0.1, 0.1), exact=1)
    assert order(candidates) == order(candidates, "bm25") == [1, 0] and order(candidates, "vector") == [0, 1]
    assert [one.relevant for one in rank_candidates([candidates], "hybrid", SearchOptions(), SETTINGS)] == [True, True]
    strict = SearchOptions(min_similarity=0.3)
    assert [one.relevant for one in rank_candidates([candidates], "hybrid", strict, SETTINGS)] == [False, True]

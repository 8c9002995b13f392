from dataclasses import replace

import pytest

from chatbot.citations.stream import CitationCheck
from chatbot.conversation.sources import SourceTable, describe_nearness
from rag.documents import Passage


def passage(text: str) -> Passage:
    return Passage(text, "https://example.org/", "Example", "web")


@pytest.fixture
def table() -> SourceTable:
    table = SourceTable()
    for text in ("one", "two", "three"):
        table.add_passage(passage(text))
    return table


def test_a_passage_keeps_its_number(table: SourceTable) -> None:
    assert [table.add_passage(passage(text)).number for text in ("two", "four", "one")] == [2, 4, 1]


def test_numbers_never_handed_out_have_no_source(table: SourceTable) -> None:
    assert [table.get(number) for number in (0, -1, 4)] == [None, None, None]


CASES = [
    ("Built in 1871 [1] and [3].", "Built in 1871 [1] and [3].", [1, 3], []),
    ("So [9].", "So ~~[9]~~.", [], [9]),
    ("Both [1, 2] and [2, 7].", "Both [1, 2] and [2]~~[7]~~.", [1, 2], [7]),
    ("Ends with [2]", "Ends with [2]", [2], []),
    ("Ends with [", "Ends with [", [], []),
    ("A link [9](https://example.org) stays.", "A link [9](https://example.org) stays.", [], []),
    ("`x[9]` and ``y`[8]`` stay, [7] goes.", "`x[9]` and ``y`[8]`` stay, ~~[7]~~ goes.", [], [7]),
    ("```py\na[9]\n\nb[8]\n```\nthen [1]", "```py\na[9]\n\nb[8]\n```\nthen [1]", [1], []),
    ("a stray ` tick\n\nthen [9]", "a stray ` tick\n\nthen ~~[9]~~", [], [9]),
    ("the interval [0, 1] and the list [7, 8, 9]", "the interval [0, 1] and the list [7, 8, 9]", [], []),
    ("[[1]] [note] [1234]", "[[1]] [note] [1234]", [1], []),
]


@pytest.mark.parametrize(("text", "shown", "cited", "unknown"), CASES)
@pytest.mark.parametrize("size", [1, 2, 5, 1000])
async def test_citations_are_checked_however_the_answer_is_cut(
    table: SourceTable, text: str, shown: str, cited: list[int], unknown: list[int], size: int
) -> None:
    check = CitationCheck(table)
    parts = [await check.feed(text[start : start + size]) for start in range(0, len(text), size)]
    assert ("".join(parts) + await check.finish(), check.cited, check.unknown) == (shown, cited, unknown)


def test_a_hit_of_a_search_by_words_has_a_score_and_what_is_not_known_is_no_zero() -> None:
    found = replace(passage("t"), score=1.436)
    assert [describe_nearness(found, by_words) for by_words in (True, False)] == ["1.44", "–"]
    assert describe_nearness(replace(found, score=0.0004), True) == "4e-04"
    assert describe_nearness(replace(found, similarity=0.31), False) == "0.31"

import pytest

from rag.documents import Chunk
from rag.postgres.search.terms import find_terms, place_of, round_length, storable_term


@pytest.mark.parametrize(
    ("length", "rounded"),
    # The lengths that tantivy can tell apart: 40, 42, 44, ... 54, 56, 60, ... 84, 88, 96, ...
    [(0, 0), (24, 24), (40, 40), (41, 40), (42, 42), (55, 54), (59, 56), (60, 60), (87, 84), (95, 88), (1048, 1048)],
)
def test_lengths_are_rounded_as_the_keyword_index_rounds_them(length: int, rounded: int) -> None:
    assert round_length(length) == rounded


def test_a_document_says_how_often_it_and_its_chunks_have_each_term() -> None:
    chunks = [Chunk("Owls hear.", 0, 0, 10, ()), Chunk("Mice fear owls, owls.", 1, 10, 31, ())]
    found = find_terms("Owls", "Owls hear. Mice fear owls, owls.", chunks, "en")
    assert (found.terms, found.chunk_terms) == (7, 8)
    rows = {term: (count, length, places) for term, count, length, places in found.rows}
    assert rows["owl"] == (4, 7, [place_of(0, 2, 3), place_of(1, 3, 5)])
    assert rows["mice"] == (1, 7, [place_of(1, 1, 5)])


def test_a_term_that_no_index_can_hold_stands_for_itself_by_its_digest() -> None:
    long, other = "a" * 5000, "a" * 5001
    assert storable_term("owl") == "owl" and len(storable_term(long)) < 300
    assert storable_term(long) != storable_term(other)

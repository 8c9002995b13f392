import pytest

from rag.indexes.keywords import KeywordIndex
from rag.stored import Removal, TextEntry

ENTRIES = [
    TextEntry(1, "Magpies build domed nests.", "en", "Birds\nMagpies build domed nests. Herons wait for fish."),
    TextEntry(2, "Herons wait for fish.", "en", None),
    TextEntry(3, "Income tax is due in April.", "en", "Taxes\nIncome tax is due in April."),
]


@pytest.fixture(params=["on disk", "in memory"])
def index(request, tmp_path):
    made = KeywordIndex(tmp_path if request.param == "on disk" else None)
    made.add(ENTRIES)
    made.settle()
    yield made
    made.close()


def test_chunks_are_found_by_any_of_the_words_the_rarest_first(index):
    assert [key for key, _ in index.chunks.query(["fish", "nest", "heron"], 5)] == [2, 1]


def test_a_document_is_known_by_all_of_its_words_under_its_first_chunk(index):
    assert [key for key, _ in index.documents.query(["fish"], 5)] == [1]


def test_what_was_removed_is_not_found(index):
    index.delete([Removal(1, 1, 1), Removal(2, 99, 1)])
    index.settle()
    assert index.chunks.query(["nest"], 5) == [] and index.documents.query(["fish"], 5) == []
    assert index.ids() == {2, 3}


def test_a_word_may_count_more_than_another(index):
    (_, nests), (_, fishing) = index.chunks.query({"nest": 3.0, "fish": 1.0}, 5)
    assert nests == pytest.approx(3 * index.chunks.query(["nest"], 5)[0][1])
    assert fishing == pytest.approx(index.chunks.query(["fish"], 5)[0][1])


def test_only_what_has_every_one_of_the_words_is_found_where_that_is_asked(index):
    assert [key for key, _ in index.chunks.query(["heron", "fish"], 5, every=True)] == [2]
    assert index.chunks.query(["heron", "absent"], 5, every=True) == []


def test_no_words_find_nothing(index):
    assert index.chunks.query([], 5) == [] and index.chunks.query(["absent"], 5) == []


def test_a_word_that_nobody_uses_is_the_rarest(index):
    rarity = index.chunks.term_rarity(["fish", "absent"])
    assert rarity["absent"] > rarity["fish"] > 0


def test_what_is_on_disk_is_there_after_reopening(tmp_path):
    index = KeywordIndex(tmp_path)
    index.add(ENTRIES)
    index.settle()
    index.close()
    again = KeywordIndex(tmp_path)
    assert again.ids() == {1, 2, 3}
    again.close()


def test_among_very_many_records_what_most_of_them_say_finds_nothing_that_rarer_words_do_not(index):
    index.add([TextEntry(10 + n, f"the record {n}", "en", None) for n in range(10_000)])
    index.settle()
    assert index.chunks.query(["the", "fish"], 5) == index.chunks.query(["fish"], 5) != []
    assert len(index.chunks.query(["the"], 5)) == 5


def test_only_the_words_that_are_looked_up_are_weighed(index):
    words = ["the", "fish", "absent"]
    index.add([TextEntry(10 + n, f"the record {n}", "en", None) for n in range(5_000)])
    index.settle()
    assert set(index.chunks.term_rarity(words)) == set(words)
    index.add([TextEntry(6_000 + n, f"the record {n}", "en", None) for n in range(5_000)])
    index.settle()
    assert set(index.chunks.term_rarity(words)) == {"fish", "absent"}
    assert set(index.chunks.term_rarity(["the"])) == {"the"}

import random

from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz import fuzz

from rag.documents import Passage
from rag.search.near_duplicates import SAME_EDIT_SIMILARITY
from rag.search.selection import collapse_duplicates, distinct_passages

LETTERS = "abcdefghijklmnopqrstuvwxyz     "


def passage(text: str, source: str = "/a", index: int = 0) -> Passage:
    return Passage(text, source, "", "file", chunk_index=index)


def changed(text: str, edits: int, seed: int) -> str:
    """The text with some letters replaced."""
    dice = random.Random(seed)
    letters = list(text)
    for _ in range(edits):
        letters[dice.randrange(len(letters))] = dice.choice(LETTERS)
    return "".join(letters)


@given(st.text(LETTERS, min_size=1, max_size=300), st.integers(0, 40), st.integers(0, 1000))
def test_texts_are_collapsed_exactly_where_their_letters_say_so(text, edits, seed):
    other = changed(text, edits, seed)
    same = fuzz.ratio(" ".join(text.split()), " ".join(other.split())) >= SAME_EDIT_SIMILARITY
    assert len(collapse_duplicates([passage(text), passage(other, "/b")])) == (1 if same else 2)


def test_many_texts_are_compared_with_all_before_them():
    texts = [f"{changed('x' * 80, 80, seed)}" for seed in range(100)]
    found = collapse_duplicates([passage(text, str(i)) for i, text in enumerate([*texts, *reversed(texts)])])
    assert [p.text for p in found] == texts


def test_what_is_left_out_for_its_document_does_not_hide_its_copy_in_another():
    first, second, copy = passage("one text"), passage("second words", index=2), passage("second words", "/copy")
    assert list(distinct_passages([first, second, copy], per_document=1)) == [first, copy]

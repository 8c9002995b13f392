from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from rag.chunking import split

WORDS = st.lists(
    st.sampled_from(["a", "aa", "ab", " ", "  ", "\n", "\n\n", "word ", "猫", "\t", "x" * 60]), max_size=400
)
TEXTS = WORDS.map("".join) | st.text(max_size=2000)


@given(text=TEXTS, size=st.integers(10, 120), share=st.floats(0, 0.9))
@settings(max_examples=300, deadline=None)
def test_every_chunk_stands_where_it_says_and_nothing_is_left_out(text, size, share):
    chunks = split(text, size, int(size * share))
    assert [chunk.text for chunk in chunks] == [text[chunk.start : chunk.end] for chunk in chunks]
    assert [chunk.index for chunk in chunks] == list(range(len(chunks)))
    assert all(len(chunk.text) <= size for chunk in chunks)
    covered = set()
    for chunk in chunks:
        covered.update(range(chunk.start, chunk.end))
    assert [i for i, letter in enumerate(text) if not letter.isspace() and i not in covered] == []


def test_paragraphs_stay_whole_where_they_fit():
    first, second = "First paragraph. " * 20, "Second paragraph. " * 20
    chunks = split(f"{first.strip()}\n\n{second.strip()}")
    assert [chunk.text for chunk in chunks] == [first.strip(), second.strip()]


def test_neighbouring_chunks_share_the_overlap():
    chunks = split(" ".join(f"word{i}" for i in range(500)))
    assert all(0 < a.end - b.start <= 100 for a, b in pairwise(chunks))


def test_white_space_has_no_chunks():
    assert split(" \n\n\t ") == []

"""What holds for every text that is cut, and how prose is cut."""

import re
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rag.chunk_size import ChunkShape
from rag.chunking import CODE, split_text

PROSE = [
    "A sentence. ",
    "Is it? ",
    "no end ",
    "word ",
    "x" * 60,
    "猫が好き。",
    "「はい。」",
    "，",
    "...",
    "\n",
    "\n\n",
    "\f",
    " ",
]
MARKDOWN = [
    "# One\n",
    "\n## Two ##\n",
    "Set\n===\n",
    "- item\n",
    "\n1. item\n",
    "  more\n",
    "| a | b |\n",
    "|---|---|\n",
]
MARKDOWN += [
    "```\n",
    "```python\n",
    "~~~~\n",
    "---\n",
    "<!-- ",
    "-->",
    "<pre>",
    "</pre>\n",
    "    # code\n",
    "> quote\n",
]
CODE_PARTS = [
    "\nclass A:\n",
    "\ndef f(x):\n",
    "    return x\n",
    "\tif (a) {\n",
    "}\n",
    "// note\n",
    "a = b + c\n",
    "\n\n",
]
ODD = [
    "\ud800",
    "\u200b",
    "e\u0301",
    "\U0001f469\u200d\U0001f680",
    "\u2029",
    "\x85",
    "\x1c",
    "\r\n",
    "\t",
    "\u0e44\u0e17\u0e22",
]


def texts(*parts: str):
    return st.lists(st.sampled_from(parts), max_size=200).map("".join)


TEXTS = texts(*PROSE) | texts(*PROSE, *MARKDOWN) | texts(*CODE_PARTS) | texts(*PROSE, *MARKDOWN, *ODD) | st.text()
TYPES = st.sampled_from(["text/plain", "text/markdown", *sorted(CODE)])
SHAPES = st.builds(
    lambda size, share, unit: ChunkShape(size, int(size * share), unit),
    st.integers(10, 120),
    st.floats(0, 0.9),
    st.sampled_from(["characters", "tokens"]),
)


def count_tokens(text: str) -> int:
    """Like word pieces: six letters at most, and every sign and ideograph by itself."""
    return sum((len(run) + 5) // 6 if run.isascii() else 1 for run in re.findall(r"[!-~]+|\S", text))


@given(text=TEXTS, media_type=TYPES, shape=SHAPES)
@example(f"{'x' * 60}猫が好き。", "text/plain", ChunkShape(25, 0, "tokens"))
@settings(max_examples=600, deadline=None)
def test_every_chunk_stands_where_it_says_and_nothing_is_left_out(text, media_type, shape):
    chunks = split_text(text, media_type, shape, count_tokens)
    assert [chunk.text for chunk in chunks] == [text[chunk.start : chunk.end] for chunk in chunks]
    assert [chunk.index for chunk in chunks] == list(range(len(chunks)))
    assert all(chunk.text == chunk.text.strip() != "" for chunk in chunks)
    measure = len if shape.unit == "characters" else count_tokens
    most = 2 * shape.size if shape.unit == "tokens" or media_type == "text/markdown" else shape.size
    assert all(measure(chunk.text) <= most for chunk in chunks)
    assert all(a.start <= b.start and a.end < b.end for a, b in pairwise(chunks))
    covered: set[int] = set()
    for chunk in chunks:
        covered.update(range(chunk.start, chunk.end))
    assert [i for i, letter in enumerate(text) if not letter.isspace() and i not in covered] == []


def test_paragraphs_stay_whole_where_they_fit():
    first, second = "First paragraph. " * 20, "Second paragraph. " * 20
    chunks = split_text(f"{first.strip()}\n\n{second.strip()}")
    assert [chunk.text for chunk in chunks] == [first.strip(), second.strip()]


def test_a_page_of_a_pdf_ends_a_paragraph():
    first, second = "First page. " * 30, "Second page. " * 30
    assert [chunk.text for chunk in split_text(f"{first.strip()}\f{second.strip()}")] == [first.strip(), second.strip()]


@pytest.mark.parametrize(
    "sentence",
    [
        "The heron waits by the water, and nobody knows for how long it will. ",
        "“Does it wait (as they say) for the fish that never comes?” ",
        "猫が好きです。",
        "他说：“我们明天再来看苍鹭，它总是站在同一个地方。”",
        "बगुला पानी के पास इंतज़ार करता है।",
        "Ο ερωδιός περιμένει δίπλα στο νερό, και κανείς δεν ξέρει. ",
    ],
)
def test_sentences_of_any_language_stay_whole_and_chunks_share_some(sentence):
    chunks = split_text(sentence * 60)
    assert all(chunk.text.startswith(sentence[:4]) and chunk.text.endswith(sentence.strip()[-2:]) for chunk in chunks)
    assert all(0 < a.end - b.start <= 100 for a, b in pairwise(chunks))
    assert all(len(chunk.text) > 400 for chunk in chunks[:-1])


def test_a_line_that_was_wrapped_ends_no_sentence():
    text = "A heron that waits at the edge of the water all day long\nand does not move at all is not asleep. " * 10
    assert all(chunk.text.endswith("asleep.") for chunk in split_text(text))


def test_a_sentence_too_long_is_cut_between_words_and_chunks_share_some():
    chunks = split_text(" ".join(f"word{i}" for i in range(500)))
    assert all(0 < a.end - b.start <= 100 for a, b in pairwise(chunks))
    assert all(chunk.text.startswith("word") and len(chunk.text) > 400 for chunk in chunks[:-1])


def test_what_has_neither_words_nor_sentences_is_cut_anywhere():
    assert [(chunk.start, chunk.end) for chunk in split_text("ก" * 1000, shape=ChunkShape(500, 0))] == [
        (0, 500),
        (500, 1000),
    ]


def test_white_space_has_no_chunks():
    assert split_text(" \n\n\t ") == []


def test_tokens_are_counted_by_the_measure_that_is_handed_in():
    text = "heron " * 100
    chunks = split_text(text, shape=ChunkShape(10, 0, "tokens"), measure=lambda words: 2 * len(words.split()))
    assert [chunk.text for chunk in chunks] == ["heron heron heron heron heron"] * 20
    with pytest.raises(ValueError, match="need a measure"):
        split_text(text, shape=ChunkShape(10, 0, "tokens"))


def test_functions_stay_whole_where_they_fit():
    functions = [f"def f{i}(x):\n    # Adds {i}.\n\n" + "    x += 1\n\n" * 30 + "    return x" for i in range(4)]
    assert [chunk.text for chunk in split_text("\n\n\n".join(functions), "text/x-python")] == functions


@pytest.mark.parametrize("media_type", sorted(CODE))
def test_every_language_is_known_to_the_splitter(media_type):
    text = "value = other + 1;\n" * 60
    assert 3 <= len(split_text(text, media_type)) <= 4


def test_a_chunk_of_a_pdf_knows_the_page_that_it_begins_on():
    text = "First page.\fSecond page. " + "More of it. " * 60 + "\f\fFourth page. " + "And more. " * 60
    chunks = split_text(text, "application/pdf", ChunkShape(200, 0))
    pages = [text.count("\f", 0, chunk.start) + 1 for chunk in chunks]
    assert {1, 2, 4} == set(pages)
    assert [chunk.heading for chunk in chunks] == [(f"page {page}",) for page in pages]

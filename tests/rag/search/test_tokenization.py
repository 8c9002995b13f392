import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.search.tokenization import detect_language, query_terms, text_terms


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The bridge over the river is long and very old."),
        ("de", "Die Brücke über den Fluss ist lang und sehr alt."),
        ("zh", "这座桥很长,也很古老。"),
        ("en", "x"),
    ],
)
def test_a_language_is_told_where_it_can_be(language, text):
    assert detect_language(text) == language


def test_words_are_brought_to_their_stems():
    assert text_terms("Running runners ran", "en") == ["run", "runner", "ran"]
    assert text_terms("Die Brücken", "de") == ["die", "bruck"]
    assert text_terms("untouched words", "xx") == ["untouched", "words"]


def test_an_identifier_is_found_whole_and_by_its_parts():
    assert text_terms("max_tokens", "en") == ["max_token", "max", "token"]
    assert text_terms("maxTokens", "en") == ["maxtoken", "max", "token"]


def test_scripts_without_spaces_are_cut_into_pairs():
    assert text_terms("東京タワー 2024", "ja") == ["東京", "京タ", "タワ", "ワー", "2024"]
    assert text_terms("水", "zh") == ["水"]
    assert text_terms("ภาษาไทย", "th")[:2] == ["ภา", "าษ"]


def test_full_width_letters_are_ordinary_ones():
    assert text_terms("Ｆｕｌｌ　２０２４", "en") == ["full", "2024"]


def test_a_question_is_stemmed_as_the_texts_of_each_language_are():
    assert query_terms("the bridges bridges 石橋", ["en", "xx"]) == [
        ["the", "bridg", "石橋"],
        ["the", "bridges", "石橋"],
    ]


@given(st.text("abIJ_ß1 東京İ-.", max_size=30), st.sampled_from(["en", "tr", "xx"]))
def test_plain_texts_have_the_same_terms_by_the_shorter_way(text, language):
    # A Thai letter of its own at the end takes the longer way, and adds nothing but itself.
    assert text_terms(text, language) == text_terms(f"{text} ก", language)[:-1]

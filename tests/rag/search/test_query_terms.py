import pytest

from rag.search.query_terms import MAX_WORDS_BESIDE, exact_parts, read_question


def weights(question: str, *languages: str) -> dict[str, float]:
    return read_question(question, languages or ("en",)).term_weights


def test_a_word_that_is_said_again_counts_more_and_ever_less_so():
    said = weights("wing wing wing flutter flutter drag")
    assert said["drag"] == 1.0 and said["flutter"] == pytest.approx(1.8)
    assert said["wing"] - said["flutter"] < said["flutter"] - said["drag"]


@pytest.mark.parametrize(
    ("language", "question", "left"),
    [
        (
            "en",
            "What is the effect of a shock wave on the boundary layer?",
            ["effect", "shock", "wave", "boundari", "layer"],
        ),
        ("de", "Wie ist die Wirkung auf das Wetter?", ["wirkung", "wett"]),
        ("ru", "Что такое погода?", ["так", "погод"]),
        ("xx", "what is the weather", ["what", "is", "the", "weather"]),
    ],
)
def test_words_that_say_nothing_in_the_language_of_the_question_are_left_out(language, question, left):
    assert list(weights(question, language)) == left


def test_a_question_of_nothing_but_such_words_keeps_them_all():
    assert list(weights("To be or not to be")) == ["to", "be", "or", "not"]
    assert list(weights("The Who")) == ["the", "who"]


def test_in_a_library_of_several_languages_one_such_word_does_not_tell_that_of_the_question():
    assert list(weights("world war two", "de", "en")) == ["world", "war", "two"]
    assert list(weights("who won the war", "de", "en")) == ["won", "war"]


def test_an_identifier_counts_whole_and_in_parts():
    assert list(weights("how is max_tokens set")) == ["max_token", "max", "token", "set"]
    assert list(weights("readTimeout")) == ["readtimeout", "read", "timeout"]


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("Xylophia", ["Xylophia"]),
        ("What is Xylophia?", ["Xylophia"]),
        ("what does error E4012 mean", ["E4012"]),
        ("SN-48213-X", ["SN-48213-X"]),
        ("where is max_tokens read", ["max_tokens"]),
        ("who calls readTimeout", ["readTimeout"]),
        ('who wrote "the old bridge"', ["the old bridge"]),
        ("the bridges of the 19th century", []),
        ("domed nests", []),
        ("The Who", []),
        ("", []),
    ],
)
def test_codes_quotations_and_the_only_word_are_to_be_found_exactly(question, parts):
    assert exact_parts(question, ["en"]) == parts


def test_a_code_that_a_long_question_mentions_is_not_what_it_asks_for():
    others = ["pumps", "valves", "pipes", "tanks", "gauges", "hoses"]
    assert exact_parts(" ".join(["E4012", *others[:MAX_WORDS_BESIDE]]), ["en"]) == ["E4012"]
    assert exact_parts(" ".join(["E4012", *others[: MAX_WORDS_BESIDE + 1]]), ["en"]) == []

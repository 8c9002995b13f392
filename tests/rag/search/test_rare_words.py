import pytest

from rag.search.rare_words import RareWords, telling_words, word_stems


def test_rare_words_weigh_more_than_common_ones() -> None:
    texts = ["the ferry to Ostrey", "the bus to town", "the bus to Calder"]
    rare = RareWords("the bus or ferry", texts)
    assert rare.share_of("the bus, the ferry") == 1
    assert rare.share_of("ferry") > rare.share_of("bus") > rare.share_of("the") == 0


def test_forms_of_a_word_and_pairs_of_characters_are_alike() -> None:
    assert word_stems("Öffnungszeiten") == word_stems("Öffnungszeit")
    assert word_stems("图书馆") == {"图书", "书馆"}


def test_a_question_without_words_covers_nothing() -> None:
    assert RareWords("?", ["text"]).share_of("text") == 0


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("How high was the deposit?", {"high", "deposi"}),
        ("Wann hat die Sternwarte im Winter geöffnet?", {"sternw", "winter", "geöffn"}),
        ("Who is it?", {"who", "is", "it"}),
        ("E4471", {"e4471"}),
    ],
)
def test_words_that_say_nothing_are_left_out_of_a_question_that_has_others(question: str, words: set[str]) -> None:
    assert telling_words(question) == words


def test_a_word_that_was_typed_without_its_accents_is_the_same_word() -> None:
    assert word_stems("ultimo sabados lodz sonra acik") == word_stems("Último Sábados Łódź Sonra Açık")
    assert word_stems("ταβερνα") == word_stems("ταβέρνα")
    # Letters of their own, and marks that are no accents: who has no ü writes ue.
    assert word_stems("Küche") == {"küche"}
    assert word_stems("мой ガイド") == {"мой", "ガイ", "イド"}
    assert telling_words("a que hora sale el ultimo tren los sabados") == {"hora", "sale", "ultimo", "tren", "sabado"}


def test_a_word_with_an_accent_is_no_stop_word_without_it_unless_no_accent_was_typed_at_all() -> None:
    assert telling_words("¿Cuánto cuesta el té?") == {"cuesta", "te"}
    assert "byt" in telling_words("Kolik stojí byt?")
    assert telling_words("cuando sale el tren") == {"sale", "tren"}


def test_a_short_word_and_its_plural_are_one_word() -> None:
    assert word_stems("dogs fares hens") == word_stems("dog fare hen")
    assert word_stems("glass bus 1990s") == {"glass", "bus", "1990s"}


def test_signs_of_vowels_belong_to_their_words() -> None:
    assert word_stems("वयस्क का टिकट") == {"वयस्क", "का", "टिकट"}
    assert word_stems("كِتَاب") == {"كِتَاب"[:6]}

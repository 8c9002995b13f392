from rag.rare_words import RareWords, beginnings


def test_rare_words_weigh_more_than_common_ones() -> None:
    texts = ["the ferry to Ostrey", "the bus to town", "the bus to Calder"]
    rare = RareWords("the ferry", texts)
    assert rare.share("the ferry") == 1
    assert rare.share("ferry") > rare.share("the")


def test_forms_of_a_word_and_pairs_of_characters_are_alike() -> None:
    assert beginnings("Öffnungszeiten") == beginnings("Öffnungszeit")
    assert beginnings("图书馆") == {"图书", "书馆"}


def test_a_question_without_words_covers_nothing() -> None:
    assert RareWords("?", ["text"]).share("text") == 0

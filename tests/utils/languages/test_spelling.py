from utils.languages.spelling import nearest_name

NAMES = ("search", "remove", "ollama.host")


def test_a_misspelt_name_is_likely_the_one_that_it_resembles_most() -> None:
    assert nearest_name("serch", NAMES) == "search"
    assert nearest_name("host", NAMES) == "ollama.host"
    assert nearest_name("serch", NAMES, 75, whole=True) == "search"


def test_what_resembles_none_means_none() -> None:
    assert nearest_name("xyz", NAMES) == ""
    assert nearest_name("host", NAMES, 75, whole=True) == ""
    assert nearest_name("serch", ()) == ""

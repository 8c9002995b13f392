from utils.languages.accents import without_accents


def test_accents_of_latin_and_greek_letters_are_left_out_and_other_marks_stay() -> None:
    assert without_accents("último ł ø ı çarşamba ταβέρνα") == "ultimo l o i carsamba ταβερνα"
    assert without_accents("мой ガイド हिन्दी") == "мой ガイド हिन्दी"
    assert without_accents("plain") == "plain"

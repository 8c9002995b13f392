"""What Magpie says by itself is there in every language, whole, and in that language."""

from datetime import UTC, datetime, time, timedelta, timezone
from string import Formatter

import pytest

from chatbot.prompts.phrases import FALLBACK, _load_phrases, date_in_words, fill_phrase, phrase_languages, time_in_words
from utils.languages.detection import language_of

LANGUAGES = [
    *("en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "no", "fi", "pl", "cs"),
    *("ro", "hu", "ru", "uk", "el", "tr", "ar", "he", "hi", "zh", "ja", "ko", "vi"),
]
LONGER = 25
"""Letters from which a phrase is to be known by its language."""
MONDAY = datetime(2026, 11, 23, 9, 5, tzinfo=UTC)


def places(text: str) -> list[str]:
    return sorted(name for _, name, _, _ in Formatter().parse(text) if name)


def test_there_are_phrases_in_26_languages() -> None:
    assert phrase_languages() == frozenset(LANGUAGES) and len(LANGUAGES) == 26


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_phrase_with_the_same_places(language: str) -> None:
    english, words = _load_phrases()[FALLBACK], _load_phrases()[language]
    assert {name: places(text) for name, text in words.items()} == {
        name: places(text) for name, text in english.items()
    }
    assert all(text == text.strip() and text for text in words.values())


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_no_phrase_is_left_in_english(language: str) -> None:
    english, words = _load_phrases()[FALLBACK], _load_phrases()[language]
    assert [name for name, text in words.items() if text == english[name]] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_can_be_done_is_a_list_that_names_the_commands(language: str) -> None:
    lines = fill_phrase("what_i_can_do", language).splitlines()
    assert 5 <= sum(line.startswith("- ") for line in lines) <= 7
    assert "/help" in lines[-1] and any("/rag-index" in line for line in lines) and any("@" in line for line in lines)
    assert "/offline" in fill_phrase("offline_switched", language) and "Magpie" in fill_phrase(
        "who_i_am", language, model="m"
    )


def test_the_longer_phrases_are_known_by_their_language() -> None:
    longer = [(code, text) for code, words in _load_phrases().items() for text in words.values() if len(text) >= LONGER]
    wrong = [(code, language_of(text), text) for code, text in longer if language_of(text) != code]
    print(f"{1 - len(wrong) / len(longer):.1%} of {len(longer)}: {wrong}")  # noqa: T201
    assert len(longer) > 450
    assert len(wrong) <= 0.05 * len(longer), wrong


def test_values_stand_in_their_places_and_an_unknown_language_gets_english() -> None:
    assert fill_phrase("remembered", "de", fact="Rex {ist} ein Hund") == "Das merke ich mir: Rex {ist} ein Hund"
    assert fill_phrase("greeting", "xx") == fill_phrase("greeting", "") == "Hello! How can I help you?"


def test_a_phrase_that_is_none_or_lacks_a_value_is_a_mistake() -> None:
    with pytest.raises(KeyError):
        fill_phrase("nonsense", "en")
    with pytest.raises(KeyError):
        fill_phrase("remembered", "en")


@pytest.mark.parametrize(
    ("language", "written"),
    [("de", "Montag, 23. November 2026"), ("en", "Monday, 23 November 2026"), ("fr", "lundi 23 novembre 2026"),
     ("ja", "2026年11月23日月曜日"), ("xx", "Monday, 23 November 2026"), ("no", "mandag 23. november 2026")],
)  # fmt: skip
def test_a_day_is_written_as_the_language_does(language: str, written: str) -> None:
    assert date_in_words(MONDAY, language) == written
    assert date_in_words(MONDAY.date(), language) == written


def test_a_time_is_the_one_that_the_moment_shows() -> None:
    assert time_in_words(MONDAY, "de") == "09:05"
    assert time_in_words(MONDAY.astimezone(timezone(timedelta(hours=9))), "de") == "18:05"
    assert time_in_words(time(18, 5), "en") == "18:05"
    assert time_in_words(time(18, 5), "da") == "18.05"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_words_for_days_and_times(language: str) -> None:
    assert "2026" in date_in_words(MONDAY, language) and "5" in time_in_words(MONDAY, language)

"""Yesterday, today and tomorrow, in a text and in its translation."""

import pytest

from utils.languages.relative_days import with_relative_day_of


@pytest.mark.parametrize(
    ("source", "translation", "told"),
    [
        ("De trein rijdt morgen niet.", "The train is not running today.", "The train is not running tomorrow."),
        ("The train is not running today.", "Morgen fährt der Zug nicht.", "Heute fährt der Zug nicht."),
        ("Le train ne roule pas demain.", "Oggi il treno non viaggia.", "Domani il treno non viaggia."),
        ("The train did not run yesterday.", "火车今天没有开。", "火车昨天没有开。"),
        ("The train is not running tomorrow.", "El tren no circula mañana.", "El tren no circula mañana."),
    ],
)
def test_a_translation_tells_the_day_of_its_text(source: str, translation: str, told: str) -> None:
    assert with_relative_day_of(source, translation) == told


@pytest.mark.parametrize(
    ("source", "translation"),
    [
        ("Der Zug fährt am Morgen.", "The train runs today."),
        ("The train runs today, not tomorrow.", "Der Zug fährt heute, nicht heute."),
        ("The train is late.", "Der Zug kommt heute zu spät."),
        ("The train is not running tomorrow.", "Der Zug fährt nicht."),
    ],
)
def test_where_a_text_names_none_or_several_the_translation_stays(source: str, translation: str) -> None:
    assert with_relative_day_of(source, translation) == translation

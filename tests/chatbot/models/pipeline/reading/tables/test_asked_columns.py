import pytest

from chatbot.models.pipeline.reading.tables.asked_columns import asks_day, columns_asked, measures_asked
from rag.search.rare_words import word_stems


@pytest.mark.parametrize(
    ("question", "named", "not_named"),
    [
        ("which evening is the lace class", "Day", "Evenings or mornings"),
        ("An welchem Tag ist der Kurs?", "Wochentag Tag", "Uhrzeit"),
        ("when does the lace class start", "Begins", "Ends"),
        ("wann fängt der Kurs an", "Beginn", "Ende"),
        ("a qué hora empieza la clase", "Inicio", "Fin"),
        ("who teaches lace?", "Name", "Room"),
        ("where is the lace class", "Room", "Name"),
        ("until when is the hall open", "Closes", "Opens"),
    ],
)
def test_columns_are_asked_for_by_what_tables_call_them(question: str, named: str, not_named: str) -> None:
    asked = columns_asked(question)
    assert asked & word_stems(named)
    assert not asked & word_stems(not_named)


def test_which_days_somebody_is_open_is_no_hour_and_a_day_off_is_no_day() -> None:
    assert asks_day("which days are you open?") and asks_day("quel jour est le cours ?")
    assert not asks_day("when are you open?")
    for other in ("what night rate do you charge?", "What evening class costs £40?", "op welke verdieping is het?"):
        assert not asks_day(other)
    assert measures_asked("how heavy is it?") == {"weight"}

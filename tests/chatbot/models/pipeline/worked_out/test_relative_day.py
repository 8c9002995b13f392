"""Which day it is the day after tomorrow, in the user's language."""

from datetime import date

import pytest

from chatbot.models.pipeline.worked_out.relative_day import tell_relative_day

SUNDAY = date(2026, 11, 29)


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("Welchen Wochentag haben wir übermorgen?", "Übermorgen: Dienstag, 1. Dezember 2026"),
        ("Welches Datum ist morgen?", "Morgen: Montag, 30. November 2026"),
        ("Quel jour serons-nous après-demain ?", "Après-demain: mardi 1 décembre 2026"),
        ("¿Qué día es pasado mañana?", "Pasado mañana: martes, 1 de diciembre de 2026"),
        ("Che giorno è dopodomani?", "Dopodomani: martedì 1 dicembre 2026"),
        ("Welke dag was het gisteren?", "Gisteren: zaterdag 28 november 2026"),
        ("Which day of the week was it yesterday?", "Yesterday: Saturday, 28 November 2026"),
        ("and what date is the day after tomorrow", "Day after tomorrow: Tuesday, 1 December 2026"),
        ("What day did you say the choir sings, tomorrow?", ""),
        ("What day will she be here, tomorrow?", ""),
        ("Which date is not before tomorrow?", ""),
        ("Welcher Film läuft übermorgen?", ""),
        ("Welchen Tag hat das Museum übermorgen zu?", ""),
        ("Welchen Wochentag haben wir am 3. Mai?", ""),
        ("¿Qué día juega el Vellin mañana o pasado mañana?", ""),
        ("What day is it?", ""),
        ("Was für ein Tag heute!", ""),
    ],
)
def test_a_day_that_is_told_from_today_is_named(message: str, told: str) -> None:
    assert tell_relative_day(message, SUNDAY) == told

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from utils.languages.moments import MomentReader, Named, languages_of

NOW = datetime(2026, 11, 22, 9, 30, tzinfo=UTC)  # a Sunday, 10:30 in Berlin


@pytest.fixture(autouse=True)
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The system's time zone and language are fixed."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def found(text: str, now: datetime = NOW) -> tuple[str, str] | None:
    """The local time and the rest."""
    result = MomentReader(now).find_moment(text)
    return (f"{result[0].astimezone():%a %d %b %Y %H:%M}", result[1]) if result else None


@pytest.mark.parametrize(
    ("text", "due", "rest"),
    [
        ("in 20 minutes call mum", "Sun 22 Nov 2026 10:50", "call mum"),
        ("in 20 minutes 3 eggs", "Sun 22 Nov 2026 10:50", "3 eggs"),
        ("20m tea", "Sun 22 Nov 2026 10:50", "tea"),
        ("in 1 hour 30 minutes tea", "Sun 22 Nov 2026 12:00", "tea"),
        ("tomorrow 9:00 buy bread", "Mon 23 Nov 2026 09:00", "buy bread"),
        ("tomorrow 9:00 2 tickets", "Mon 23 Nov 2026 09:00", "2 tickets"),
        ("tomorrow at 9 pm: tea", "Mon 23 Nov 2026 21:00", "tea"),
        ("tonight at 8 film", "Sun 22 Nov 2026 20:00", "film"),
        ("call 555 1234 at 17:00", "Sun 22 Nov 2026 17:00", "call 555 1234"),
        ("me in 5 minutes to stretch", "Sun 22 Nov 2026 10:35", "to stretch"),
        ("call mum tomorrow at 9", "Mon 23 Nov 2026 09:00", "call mum"),
        ("tomorrow call mum at 9", "Mon 23 Nov 2026 09:00", "call mum"),
        ("at 17:30 go home", "Sun 22 Nov 2026 17:30", "go home"),
        ("at 9 stand up", "Mon 23 Nov 2026 09:00", "stand up"),
        ("on Friday at 8 water the plants", "Fri 27 Nov 2026 08:00", "water the plants"),
        ("on Friday water the plants", "Fri 27 Nov 2026 09:00", "water the plants"),
        ("amanhã às 8h ligar para a mãe", "Mon 23 Nov 2026 08:00", "ligar para a mãe"),
        ("demain à 8h appeler maman", "Mon 23 Nov 2026 08:00", "appeler maman"),
        ("dans 2h appeler maman", "Sun 22 Nov 2026 12:30", "appeler maman"),
        ("demain à 20 h 30 dîner", "Mon 23 Nov 2026 20:30", "dîner"),
        ("amanhã às 8 da noite jantar", "Mon 23 Nov 2026 20:00", "jantar"),
        ("mañana a las 8 y media llamar", "Mon 23 Nov 2026 08:30", "llamar"),
        ("tra 2 ore 15 minuti chiamare", "Sun 22 Nov 2026 12:45", "chiamare"),
        ("domani alle ore 8 chiamare", "Mon 23 Nov 2026 08:00", "chiamare"),
        ("pasado mañana a las 9 llamar a Ana", "Tue 24 Nov 2026 09:00", "llamar a Ana"),
        ("dopodomani alle 8 chiamare", "Tue 24 Nov 2026 08:00", "chiamare"),
        ("depois de amanhã às 20h30 jantar", "Tue 24 Nov 2026 20:30", "jantar"),
        ("2026-12-01 10:00 dentist", "Tue 01 Dec 2026 10:00", "dentist"),
        ("Dec 5 pay rent", "Sat 05 Dec 2026 09:00", "pay rent"),
        ("Dec 5 at 8 pay rent", "Sat 05 Dec 2026 08:00", "pay rent"),
        ("in 2 months pay", "Fri 22 Jan 2027 10:30", "pay"),
        ("buy milk in a week", "Sun 29 Nov 2026 10:30", "buy milk"),
        ("in 20 Minuten Mama anrufen", "Sun 22 Nov 2026 10:50", "Mama anrufen"),
        ("morgen um 9 Uhr Müll rausbringen", "Mon 23 Nov 2026 09:00", "Müll rausbringen"),
        ("um 18 Uhr essen", "Sun 22 Nov 2026 18:00", "essen"),
        ("am Freitag um 8 Uhr Zahnarzt", "Fri 27 Nov 2026 08:00", "Zahnarzt"),
        ("01.12.2026 10:00 Zahnarzt", "Tue 01 Dec 2026 10:00", "Zahnarzt"),
        ("1.12. 10:00 zahlen", "Tue 01 Dec 2026 10:00", "zahlen"),
        ("1.2. zahlen", "Mon 01 Feb 2027 09:00", "zahlen"),
        ("24. Dezember um 8 Uhr Baum", "Thu 24 Dec 2026 08:00", "Baum"),
        ("dans 20 minutes appeler maman", "Sun 22 Nov 2026 10:50", "appeler maman"),
        ("demain à 9 heures acheter du pain", "Mon 23 Nov 2026 09:00", "acheter du pain"),
        ("à 17h30 sortir", "Sun 22 Nov 2026 17:30", "sortir"),
        ("in 20 minutes", "Sun 22 Nov 2026 10:50", ""),
        ("yesterday run", "Sat 21 Nov 2026 10:30", "run"),
    ],
)
def test_a_time_in_words_is_told_from_the_text(text: str, due: str, rest: str) -> None:
    assert found(text) == (due, rest)


@pytest.mark.parametrize(
    "text",
    [
        "call mum",
        "buy 2 tickets",
        "2 tickets",
        "may I go",
        "march to the shop",
        "",
        "9 9",
        "Z ; last may",
        "0001-01-01 x",
        "9999-12-31 x",
    ],
)
def test_a_text_without_a_time_has_none(text: str) -> None:
    assert found(text) is None


def test_a_text_is_read_as_the_country_writes_dates(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found("12/05/2027 rent") == ("Sun 05 Dec 2027 09:00", "rent")
    monkeypatch.setenv("LC_ALL", "en_GB.UTF-8")
    assert found("12/05/2027 rent") == ("Wed 12 May 2027 09:00", "rent")


def test_the_systems_language_is_understood_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found("jutro 9:00 chleb") is None
    monkeypatch.setenv("LC_ALL", "pl_PL.UTF-8")
    assert found("jutro 9:00 chleb") == ("Mon 23 Nov 2026 09:00", "chleb")


def test_a_written_offset_is_kept() -> None:
    assert found("2026-11-22T17:30:00+05:00 call") == ("Sun 22 Nov 2026 13:30", "call")


def test_minutes_are_minutes_when_the_clock_is_put_back_meanwhile() -> None:
    before = datetime(2026, 10, 25, 0, 50, tzinfo=UTC)  # 02:50 summer time; at 03:00 it is 02:00 again
    moment, _ = MomentReader(before).find_moment("in 20 minutes tea") or (None, "")
    assert moment == datetime(2026, 10, 25, 1, 10, tzinfo=UTC)
    assert os.environ["TZ"] == "Europe/Berlin"


def test_a_day_later_is_the_same_hour_when_the_clock_is_put_back_meanwhile() -> None:
    before = datetime(2026, 10, 24, 10, 0, tzinfo=UTC)  # 12:00 summer time
    moment, _ = MomentReader(before).find_moment("in 1 day tea") or (None, "")
    assert moment == datetime(2026, 10, 25, 11, 0, tzinfo=UTC)


def test_a_day_is_named_as_a_day_and_a_clock_time_as_that() -> None:
    reader = MomentReader(NOW)
    assert reader.name_moment("25 décembre") == Named(datetime(2026, 12, 24, 23, tzinfo=UTC).astimezone(), timed=False)
    assert reader.name_moment("tomorrow at 9 pm") == Named(
        datetime(2026, 11, 23, 20, tzinfo=UTC).astimezone(), timed=True
    )
    assert reader.name_moment("call mum") is None


def test_a_date_without_its_year_can_be_the_last_one() -> None:
    last = MomentReader(NOW, past=True)
    named = [last.name_moment(phrase) for phrase in ("25 December", "1.12.", "1.2.")]
    assert [f"{found.at:%Y-%m-%d}" for found in named if found] == ["2025-12-25", "2025-12-01", "2026-02-01"]


def test_the_script_of_a_date_tells_in_which_languages_it_may_be() -> None:
    for phrase in ("5 мая 2020", "2020年5月5日", "5 Mayıs 2020", "٥ مايو ٢٠٢٠"):
        found = MomentReader(NOW, languages=languages_of(phrase)).name_moment(phrase)
        assert found and f"{found.at:%Y-%m-%d}" == "2020-05-05"

from datetime import datetime, timedelta

import pytest
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.utils import get_cwidth

from chatbot.frontends.terminal.browsing.browser import SIDE_BY_SIDE_COLUMNS, pane_sizes
from chatbot.frontends.terminal.browsing.session_list import (
    FOUND_STYLE,
    SELECTED,
    Look,
    day_of,
    fit_text,
    list_lines,
    mark_words,
    pattern_of,
)
from chatbot.history.search.sessions import SessionInfo

NOW = datetime(2026, 11, 22, 15, 0).astimezone()
QUIET = "class:quiet"


def kept(name: str, title: str, days: int = 0, messages: int = 2, snippet: str = "") -> SessionInfo:
    moment = (NOW - timedelta(days=days)).isoformat()
    return SessionInfo(name, title, moment, moment, messages, snippet=snippet)


def text(lines: list[StyleAndTextTuples]) -> list[str]:
    return ["".join(part[1] for part in line).rstrip() for line in lines]


def found(words: str, said: str) -> list[str]:
    """What of a text is set off."""
    return [part[1] for part in mark_words(said, pattern_of(words), "") if FOUND_STYLE in part[0]]


@pytest.mark.parametrize(
    ("days", "said"), [(0, "today 15:00"), (1, "yesterday"), (2, "Friday"), (6, "Monday"), (7, "2026-11-15")]
)
def test_a_day_is_said_as_one_says_it(days: int, said: str) -> None:
    assert day_of((NOW - timedelta(days=days)).isoformat(), NOW) == said


def test_a_time_that_is_yet_to_come_is_a_date() -> None:
    assert day_of("2027-01-01T12:00:00.000000Z", NOW) == "2027-01-01"
    assert day_of("9999-99-99T99:99:99.999999Z", NOW) == "9999-99-9…"
    assert day_of("", NOW) == ""


def test_a_text_is_cut_or_filled_to_its_cells() -> None:
    assert fit_text("Nests", 7) == "Nests  "
    assert fit_text("Nests of storks", 7) == "Nests …"
    assert fit_text("日本の鳥の巣", 7) == "日本の…"
    assert [get_cwidth(fit_text("日本の鳥の巣", width)) for width in (6, 7, 20)] == [6, 7, 20]


def test_rows_have_mark_day_title_and_number_of_messages() -> None:
    rows = [kept("a", "Of storks"), kept("b", "Of \x1b[31mferries\n by night", 1, 1234), kept("c", "", 3)]
    lines = list_lines(rows, 1, 0, Look(50, 10, now=NOW, current="a"))
    assert text(lines) == [
        "  last        title                      messages",
        "  now         Of storks                         2",
        "▸ yesterday   Of ferries by night           1,234",
        "  Thursday    (no title)                        2",
    ]
    assert {get_cwidth("".join(part[1] for part in line)) for line in lines[1:]} == {49}


def test_only_what_fits_is_drawn() -> None:
    rows = [kept(str(number), f"Number {number}") for number in range(1000)]
    look = Look(50, 6, now=NOW)
    assert look.rows_that_fit == 5
    drawn = text(list_lines(rows, 500, 498, look))[1:]
    assert [line.split("Number")[1].split()[0] for line in drawn] == ["498", "499", "500", "501", "502"]


def test_found_words_are_set_off_in_a_line_of_their_own() -> None:
    row = kept("a", "Of storks", snippet="… a stork's nest\nof twigs")
    look = Look(50, 6, pattern_of("twi"), NOW)
    lines = list_lines([row], 0, 0, look)
    assert look.rows_that_fit == 2
    assert text(lines)[1:] == [
        "▸ today 15:00 Of storks                         2",
        "              … a stork's nest of twigs",
    ]
    assert [part for part in lines[2] if FOUND_STYLE in part[0]] == [(f"{QUIET} {FOUND_STYLE}", "twi")]
    assert lines[1][0] == ("class:selected", f"{SELECTED}today 15:00 ")


def test_words_are_found_as_the_search_finds_them() -> None:
    assert found("cafe", "Das CAFÉ im cafe, nicht Cafeteria") == ["CAFÉ", "cafe", "Cafe"]
    assert found("cafe zürich", "Cafeteria in Zürichberg, ein Café") == ["Zürich", "Café"]
    assert found("cafe ", "Cafeteria") == []
    assert found("鳥の巣", "日本の鳥の巣") == ["鳥の巣"]
    assert found("straße", "In der STRASSE und der Straße") == ["STRASSE", "Straße"]
    assert found("", "anything") == []


def test_list_and_preview_share_a_screen() -> None:
    assert pane_sizes(SIDE_BY_SIDE_COLUMNS, 24) == ((45, 21), (54, 21))
    assert pane_sizes(60, 24) == ((60, 8), (60, 12))
    assert pane_sizes(20, 4) == ((20, 1), (20, 1))

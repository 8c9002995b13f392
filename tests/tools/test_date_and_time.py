import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.base import ToolContext, tool
from tools.date_and_time import DateAndTime, Moment, read_moment, reckon_time
from tools.reckoning.spans import Between, Span, days_between, read_span
from tools.reckoning.zones import zones_of
from utils.errors import ToolError

NOW = datetime(2026, 11, 22, 9, 30, tzinfo=UTC)  # a Sunday, 10:30 in Berlin


@pytest.fixture(autouse=True, scope="module")
def berlin() -> Iterator[None]:
    """The system's time zone and language are fixed."""
    patch = pytest.MonkeyPatch()
    patch.setenv("TZ", "Europe/Berlin")
    patch.setenv("LC_ALL", "C.UTF-8")
    time.tzset()
    yield
    patch.undo()
    time.tzset()


BORN = "Wednesday, 14 March 1990; ISO week 11, day 73 of the year; 36 years, 8 months and 8 days (13,402 days) ago."


def test_with_nothing_it_tells_the_day_the_time_and_the_week() -> None:
    assert (
        reckon_time(NOW)
        == "Today is Sunday, 22 November 2026, 10:30 (CET, UTC+01:00); ISO week 47, day 326 of the year."
    )


@pytest.mark.parametrize(
    ("start", "told"),
    [
        ("1990-03-14", BORN),
        ("2026-03-04", "Wednesday, 4 March 2026; ISO week 10, day 63 of the year; 263 days ago."),
        ("14. März 1990", BORN),
        ("14 mars 1990", BORN),
        ("14 de marzo de 1990", BORN),
        ("14 marzo 1990", BORN),
        ("14 de março de 1990", BORN),
        ("14 maart 1990", BORN),
        ("14 марта 1990", BORN),
        ("1990年3月14日", BORN),
        ("next Friday", "Friday, 27 November 2026; ISO week 48, day 331 of the year; 5 days from now."),
        ("today", "Today is Sunday, 22 November 2026; ISO week 47, day 326 of the year."),
        ("Easter 2027", "Sunday, 28 March 2027; ISO week 12, day 87 of the year; 126 days from now."),
    ],
)
def test_a_day_is_told_with_its_weekday(start: str, told: str) -> None:
    assert reckon_time(NOW, start) == told


@pytest.mark.parametrize(
    ("start", "plus", "told"),
    [
        ("9:48", "2:35", "09:48 plus 2 hours and 35 minutes is 12:23."),
        ("9:48", "2 h 35 min", "09:48 plus 2 hours and 35 minutes is 12:23."),
        ("22:40", "2 hours and 35 minutes", "22:40 plus 2 hours and 35 minutes is 01:15 the next day."),
        ("9:48", "-10 hours", "09:48 minus 10 hours is 23:48 the day before."),
        ("2 pm", "49 h", "14:00 plus 49 hours is 15:00 2 days later."),
        ("17h30", "half an hour", "17:30 plus 30 minutes is 18:00."),
        ("today", "10 days", "Sunday, 22 November 2026 plus 10 days is Wednesday, 2 December 2026."),
        ("today", "3 weeks ago", "Sunday, 22 November 2026 minus 21 days is Sunday, 1 November 2026."),
        ("today", "zwei Wochen", "Sunday, 22 November 2026 plus 14 days is Sunday, 6 December 2026."),
        ("today", "10 business days", "Sunday, 22 November 2026 plus 10 working days is Friday, 4 December 2026."),
        ("2027-01-31", "1 month", "Sunday, 31 January 2027 plus 1 month is Sunday, 28 February 2027."),
        (
            "now",
            "1.5 hours",
            "Sunday, 22 November 2026, 10:30 plus 1 hour and 30 minutes is Sunday, 22 November 2026, 12:00.",
        ),
        (
            "2026-10-24 12:00",
            "24 h",
            "Saturday, 24 October 2026, 12:00 plus 24 hours is Sunday, 25 October 2026, 11:00.",
        ),
        (
            "2026-10-24 12:00",
            "1 day",
            "Saturday, 24 October 2026, 12:00 plus 1 day is Sunday, 25 October 2026, 12:00.",
        ),
    ],
)
def test_a_moment_is_moved_by_a_length(start: str, plus: str, told: str) -> None:
    assert reckon_time(NOW, start, plus=plus) == told


@pytest.mark.parametrize(
    ("start", "until", "told"),
    [
        ("9:40", "13:05", "From 09:40 until 13:05: 3 hours and 25 minutes."),
        ("22:40", "06:15", "From 22:40 until 06:15 the next day: 7 hours and 35 minutes."),
        ("noon", "5 pm", "From 12:00 until 17:00: 5 hours."),
        ("now", "09:00", "Sunday, 22 November 2026, 10:30 until Monday, 23 November 2026, 09:00: 22 hours and 30 min"),
        ("1990-03-14", "today", "36 years, 8 months and 8 days; 13,402 days; 1,914 weeks and 4 days."),
        ("now", "1990-03-14", "14 March 1990 is before Sunday, 22 November 2026, by 36 years, 8 months and 8 days;"),
        ("now", "Christmas", "until Friday, 25 December 2026: 1 month and 3 days; 33 days; 4 weeks and 5 days."),
        ("now", "Ostern", "until Sunday, 28 March 2027: 4 months and 6 days; 126 days; 18 weeks."),
        ("3 March", "now", "From Tuesday, 3 March 2026 until"),
        ("3 March", "20 June", "From Wednesday, 3 March 2027 until Sunday, 20 June 2027: 3 months and 17 days;"),
        ("20 December", "3 January", "From Sunday, 20 December 2026 until Sunday, 3 January 2027: 14 days; 2 weeks."),
        ("2026-11-22 10:00", "2026-11-24 13:30", "2 days, 3 hours and 30 minutes (51 hours and 30 minutes)."),
        ("today", "today", ": 0 days."),
    ],
)
def test_the_time_between_two_moments_is_told(start: str, until: str, told: str) -> None:
    assert told in reckon_time(NOW, start, until)


@pytest.mark.parametrize(
    ("zone", "told"),
    [
        ("Tokyo", "Sunday, 22 November 2026, 18:30 in Asia/Tokyo (UTC+09:00); here it is Sunday, 10:30."),
        ("東京", "18:30 in Asia/Tokyo"),
        ("America/New_York", "04:30 in America/New_York (UTC-05:00)"),
        ("san francisco", "01:30 in America/Los_Angeles"),
        ("Mailand", "10:30 in Europe/Rome"),
        ("Japon", "18:30 in Asia/Tokyo"),
        ("Paris, France", "10:30 in Europe/Paris"),
        ("London time", "09:30 in Europe/London"),
        ("UTC+5:30", "15:00 in UTC+05:30"),
        ("USA", "03:30 in America/Chicago (UTC-06:00); Sunday, 22 November 2026, 04:30 in America/New_York"),
    ],
)
def test_the_time_elsewhere_is_told(zone: str, told: str) -> None:
    assert told in reckon_time(NOW, zone=zone)


def test_a_day_is_no_time_of_a_place_and_a_country_of_several_zones_has_no_clock() -> None:
    assert "24 December 2026" in reckon_time(NOW, "24 December in Germany")
    with pytest.raises(ToolError, match="several time zones"):
        reckon_time(NOW, "9 am US time", zone="London")
    assert "2 hours" in reckon_time(NOW, "16:00 in Tokyo", "18:00")


@pytest.mark.parametrize(
    ("start", "told"),
    [
        ("16:00 Tokyo time", "Madrid: Sunday, 22 November 2026, 08:00 in Europe/Madrid (UTC+01:00); in Tokyo it is"),
        ("9 am in New York", "15:00 in Europe/Madrid (UTC+01:00); in New York it is Sunday, 09:00."),
        ("3 July 16:00 London time", "Saturday, 3 July 2027, 17:00 in Europe/Madrid (UTC+02:00)"),
    ],
)
def test_a_time_is_by_the_clock_of_the_place_that_it_names(start: str, told: str) -> None:
    assert told in reckon_time(NOW, start, zone="Madrid")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"start": "blah"}, '"blah" is no date or time: write it like'),
        ({"start": "25:00"}, "no date or time"),
        ({"start": "2026-02-30"}, "no date or time"),
        ({"plus": "blah"}, "no length of time"),
        ({"plus": "5 parsecs"}, "no length of time"),
        ({"plus": "1.3 months"}, "counted whole"),
        ({"plus": "99999 years"}, "beyond the calendar"),
        ({"plus": "99999999999999 days"}, "beyond the calendar"),
        ({"plus": "20000 working days"}, "beyond the calendar"),
        ({"start": "9999-12-30", "plus": "9 days"}, "beyond the calendar"),
        ({"start": "9:00", "until": "2026-12-01"}, "both as dates or both as times"),
        ({"zone": "Atlantis"}, 'No zone is known for "Atlantis"'),
    ],
)
def test_what_is_no_time_is_refused_in_words_that_help(arguments: dict[str, str], said: str) -> None:
    with pytest.raises(ToolError) as refused:
        reckon_time(NOW, **arguments)
    assert said in str(refused.value)


def test_the_parts_can_be_used_by_other_code() -> None:
    assert read_span("1 year, 2 months and 3 days") == Span(months=14, days=3)
    assert read_span("-2:35") == Span(seconds=-9300)
    assert days_between(NOW.date(), NOW.date() + timedelta(days=40)) == Between(0, 1, 10, 40)
    assert read_moment("9:48", NOW) == Moment(datetime(2026, 11, 22, 8, 48, tzinfo=UTC), "clock")
    assert list(zones_of("Germany", NOW)) == ["Europe/Berlin"]


async def test_a_model_calls_it_with_nothing_or_with_flat_texts() -> None:
    made = tool(DateAndTime(lambda: NOW).date_and_time)
    assert list(made.schema.parameters["properties"]) == ["start", "until", "plus", "zone"]
    assert made.schema.parameters["required"] == []
    assert (await made.run({}, ToolContext("?"))).text.startswith("Today is Sunday, 22 November 2026, 10:30")


PIECES = st.sampled_from(
    ["1", "12", "0", "99", "2026", "-", ":", ".", "/", " ", "h", "min", "days", "years", "March", "ago", "and", "next",
     "Friday", "in", "pm", "T", "+", "half an ", "½", "%", "e", "1e9", "noon", "Easter ", "UTC", "Asia/", "٣", "月"]
)  # fmt: skip
TEXTS = st.one_of(st.just(""), st.text(max_size=12), st.lists(PIECES, max_size=7).map("".join))


@given(TEXTS, TEXTS, TEXTS, TEXTS)
@settings(max_examples=120, deadline=None)
def test_no_arguments_raise_anything_but_a_tool_error(start: str, until: str, plus: str, zone: str) -> None:
    try:
        told = reckon_time(NOW, start, until, plus, zone)
    except ToolError as error:
        assert str(error)
    else:
        assert told

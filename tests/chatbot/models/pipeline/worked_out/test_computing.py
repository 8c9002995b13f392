"""What a small model fills in for the calculator and the calendar."""

from typing import Any

import pytest

from chatbot.conversation.messages import Message
from chatbot.models.dialogue import read_turns
from chatbot.models.pipeline.worked_out.computing import (
    by_clock_said,
    by_time_said,
    compute_answer,
    in_figures,
    is_grounded,
    lacking_numbers,
    may_mean_place,
    without_year,
)
from tests.fakes.deciding import DecidingModel
from tests.fakes.model import ScriptedModel


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("2023-12-25", "25 December"),
        ("2027-04-19", "2027-04-19"),
        ("2023-12-25 16:00", "25 December 16:00"),
        ("2023-12-25T09:30:00", "25 December 09:30"),
        ("now", "now"),
        ("13:05", "13:05"),
        ("2023-13-45", "2023-13-45"),
    ],
)
def test_a_year_that_nobody_said_is_left_to_the_calendar(value: str, kept: str) -> None:
    assert without_year(value, ["", "How many days until Christmas, and until 19 April 2027?"]) == kept


@pytest.mark.parametrize(
    ("expression", "said", "grounded"),
    [
        ("17 % of 1250", "what is 17 percent of 1,250?", True),
        ("35 % of 480", "What is thirty-five percent of 480?", True),
        ("12 * 3", "combien font douze fois trois ?", True),
        ("25 % of 640", "640的百分之二十五是多少？", True),
        ("19 % of 1250", "what is 17 percent of 1,250?", False),
        ("price * rate", "what is 17 percent of 1,250?", False),
        ("3 * 100 * 3", "if we go three times off peak, how much is that?", False),
    ],
)
def test_an_expression_is_worked_out_where_all_its_numbers_were_said_in_figures_or_in_words(
    expression: str, said: str, grounded: bool
) -> None:
    assert is_grounded(expression, ["", said]) == grounded


@pytest.mark.parametrize(
    ("message", "filled", "start", "zone"),
    [
        (
            "a call to new york on 12 january, 16:00 berlin time. what time is it there?",
            {"start": "12 January 16:00", "zone": "Berlin"},
            "12 January 16:00 berlin time",
            "new york",
        ),
        (
            "Quelle heure est-il à Lima quand il est 15 h, heure de Paris ?",
            {"start": "now", "zone": "Lima"},
            "15 h Paris time",
            "Lima",
        ),
        (
            "Is it late in Lima at 16:00 Berlin time?",
            {"start": "16:00 Berlin time", "zone": "Lima"},
            "16:00 Berlin time",
            "Lima",
        ),
        (
            "At 4 pm Berlin time I fly; what time is it in Lima now?",
            {"start": "now", "zone": "Lima"},
            "now",
            "Lima",
        ),
        ("When is 9 am Tokyo time?", {"start": "9:00", "zone": ""}, "9:00", ""),
        ("I have 20 minutes of spare time. What time is it in Lima?", {"start": "now", "zone": "Lima"}, "now", "Lima"),
    ],
)
def test_a_time_by_the_clock_of_one_place_is_asked_for_in_another(
    message: str, filled: dict[str, str], start: str, zone: str
) -> None:
    arguments = by_clock_said(filled, message)
    assert (arguments["start"], arguments["zone"]) == (start, zone)


@pytest.mark.parametrize(
    ("tool", "filled", "message", "lacking"),
    [
        ("calculate", "44.1 / 3", "We add that to the 245 and split it between 3 of us.", ["245"]),
        ("calculate", "3 * 12.50", "Order no. 4711 has 3 shirts at £12.50, what is the total?", []),
        ("calculate", "15 % of 3200", "I'm 34 and earn €3,200, what is 15 % of that?", []),
        ("calculate", "80 - 30 % of 80", "a coat at 80 euros with 30% off", []),
        ("calculate", "15 % of 1250", "Ich verdiene 1.250 € im Monat, was sind 15 % davon?", []),
        ("calculate", "20 % of 80", "With the 2026 rate of 20 %, what is it of 80?", []),
        (
            "date_and_time",
            "7:45 8 hours 20 minutes",
            "i start at 7:45, work 8 hours 20 minutes and have a 40 minute break",
            ["40 minute"],
        ),
        ("date_and_time", "21:50 0:15", "Le train part à 21h50 et arrive à 7h15, combien de temps ?", ["7h15"]),
        ("date_and_time", "21:50 7:15", "Le train part à 21h50 et arrive à 7h15, combien de temps ?", []),
        ("date_and_time", "14:05 18:30", "How long is it from 2:05 pm to 6:30 pm?", []),
        ("date_and_time", "14 May plus 3 weeks", "It costs £240. When is it 3 weeks after the 14th of May?", []),
    ],
)
def test_numbers_of_something_that_were_left_out_are_found(
    tool: str, filled: str, message: str, lacking: list[str]
) -> None:
    assert lacking_numbers({"expression": filled}, message, tool) == lacking


@pytest.mark.parametrize(
    ("second", "sent"),
    [("(245 + 44.1) / 3", "(245 + 44.1) / 3"), ("(245 + 99) / 3", "44.1 / 3"), ("44.1 / 3", "44.1 / 3")],
)
async def test_what_leaves_out_a_number_is_set_up_once_more(second: str, sent: str) -> None:
    turns = read_turns(
        [
            Message("user", "what is 18% of 245?"),
            Message("assistant", "18 % of 245 = 44.1"),
            Message("user", "We add that to the 245 and split it between 3 of us."),
        ]
    )
    model = ScriptedModel([], filled=[{"expression": "44.1 / 3"}, {"expression": second}])

    async def run(tool: str, arguments: dict[str, str]) -> str:
        return arguments["expression"]

    assert await compute_answer(model, turns, "calculate", True, run) == sent


@pytest.mark.parametrize(
    ("message", "sent"),
    [
        ("and split it between 4 of us, how much is that each?", "54.5 / 4"),
        ("take off the 12 again and split it between 4", "(54.5 + 12) / 4"),
    ],
)
async def test_what_was_added_before_is_not_added_to_the_result_again(message: str, sent: str) -> None:
    turns = read_turns(
        [
            Message("user", "add a tip of 12 to the 42.5"),
            Message("assistant", "42.5 + 12 = 54.5"),
            Message("user", message),
        ]
    )
    model = ScriptedModel([], filled=[{"expression": "(54.5 + 12) / 4"}, {"expression": "54.5 / 4"}])

    async def run(tool: str, arguments: dict[str, str]) -> str:
        return arguments["expression"]

    assert await compute_answer(model, turns, "calculate", True, run) == sent


async def test_until_when_something_is_open_no_calendar_is_asked() -> None:
    async def run(name: str, arguments: dict[str, Any]) -> str:
        return "364 days"

    model = DecidingModel([], filled={"start": "1 January 2026", "end": "31 December 2026"})
    for message, told in (
        ("e fino a quando è aperto il rifugio nel 2026?", ""),
        ("how many days are there from 1 January 2026 to 31 December 2026?", "364 days"),
    ):
        turns = read_turns([Message("user", message)])
        assert await compute_answer(model, turns, "date_and_time", False, run) == told


@pytest.mark.parametrize(
    ("start", "message", "begins"),
    [
        ("20:50", "电影晚上7点50分开始，片长118分钟。几点结束？", "19:50"),
        ("7:50", "映画は午後7時50分に始まり、118分です。何時に終わりますか。", "19:50"),
        ("19:50", "The film starts at 7:50 in the evening and runs two hours. When does it end?", "19:50"),
        ("2027-04-19 20:50", "电影4月19日晚上7点50分开始，两个小时。", "2027-04-19 19:50"),
        ("14:15", "映画は午後8時15分に始まり、2時間10分です。何時に終わりますか。", "20:15"),
        ("10:00", "From 9:40 to 13:05, how long is that?", "10:00"),
        ("now", "How long is it until 13:05?", "now"),
        ("09:00", "How long is it from 9 to 17:30?", "09:00"),
        ("06:30", "It leaves half an hour before 7:00. When is that?", "06:30"),
    ],
)
def test_the_one_time_that_was_said_is_the_one_that_is_reckoned_from(start: str, message: str, begins: str) -> None:
    assert by_time_said({"start": start, "plus": "118 minutes"}, message)["start"] == begins


@pytest.mark.parametrize(
    ("place", "said", "meant"),
    [
        ("Tokyo", ["", "and on which day and at what time is he coming"], False),
        ("Tokyo", ["", "what time is it in tokyo"], True),
        ("Lisbon", ["What time is it in Lisbon?", "and what time will it be there in two hours?"], True),
        ("Munich", ["", "what time is it in bavaria"], True),
        ("Vienna", ["", "wie spät ist es in wien"], True),
        ("Tokyo", ["", "сколько сейчас времени в токио?"], True),
        ("Tokyo", ["", "东京现在几点"], True),
        ("", ["", "what time is it"], True),
    ],
)
def test_the_time_is_told_of_no_place_that_nobody_named(place: str, said: list[str], meant: bool) -> None:
    assert may_mean_place(place, said) is meant


@pytest.mark.parametrize(
    ("told", "short"),
    [
        ("19:50 plus 1 hour and 58 minutes is 21:48.", "19:50 + 1 h 58 min = 21:48"),
        ("21:48 plus 15 minutes is 22:03.", "21:48 + 15 min = 22:03"),
        ("22:30 plus 3 hours is 01:30, the next day.", "22:30 plus 3 hours is 01:30, the next day."),
        ("Today is Monday, 30 November 2026.", "Today is Monday, 30 November 2026."),
    ],
)
def test_a_sum_of_times_is_told_in_figures_where_no_sentence_is(told: str, short: str) -> None:
    assert in_figures(told) == short

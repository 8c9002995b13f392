from typing import Annotated

import pytest
from pydantic import Field

from tools.base import Outcome, Toolbox, ToolContext, ToolResult, tool
from utils.errors import ToolError


async def weather(context: ToolContext, place: str, days: Annotated[int, Field(ge=1, le=5)] = 1) -> str:
    """Tell the weather
    of a place.

    Args:
        place: Where, for instance a town
            or a country.
        days: How many days ahead, 1 to 5.
    """
    if place == "Atlantis":
        raise ToolError("Atlantis is not on the map. Name another place.")
    context.report("asking")
    return f"{place}, {days}: sun"


def test_a_function_becomes_a_schema_without_the_context() -> None:
    schema = tool(weather).schema
    assert (schema.name, schema.description) == ("weather", "Tell the weather of a place.")
    assert schema.parameters == {
        "type": "object",
        "properties": {
            "place": {"type": "string", "description": "Where, for instance a town or a country."},
            "days": {
                "type": "integer",
                "description": "How many days ahead, 1 to 5.",
                "default": 1,
                "minimum": 1,
                "maximum": 5,
            },
        },
        "required": ["place"],
    }


def test_an_undescribed_parameter_is_refused() -> None:
    async def bare(place: str) -> str:
        """Do it."""
        return place

    with pytest.raises(TypeError, match="no line under Args"):
        tool(bare)


async def test_a_call_is_carried_out_with_its_defaults_and_reports() -> None:
    reports: list[str] = []
    context = ToolContext("q", report=reports.append)
    outcome = await Toolbox([tool(weather)]).execute_call("weather", {"place": "Lisbon", "mood": "x"}, context)
    assert outcome == Outcome(ToolResult("Lisbon, 1: sun"), True, outcome.seconds)
    assert reports == ["asking"]


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("wether", {}, "There is no tool 'wether'. The tools are: weather."),
        ("weather", {"place": "Atlantis"}, "Atlantis is not on the map. Name another place."),
        ("weather", {"place": "Rome", "days": 9}, "Wrong arguments for weather: days: "),
        ("weather", {}, "Wrong arguments for weather: place: Field required."),
    ],
)
async def test_a_bad_call_is_told_to_the_model(name: str, arguments: dict[str, object], told: str) -> None:
    outcome = await Toolbox([tool(weather)]).execute_call(name, arguments, ToolContext("q"))
    assert not outcome.ok
    assert outcome.result.text.startswith(told)


async def test_a_call_that_takes_too_long_is_ended_and_told() -> None:
    import asyncio

    async def slow() -> str:
        """Never answer."""
        await asyncio.sleep(60)
        return ""

    outcome = await Toolbox([tool(slow)], seconds=0.01).execute_call("slow", {}, ToolContext("q"))
    assert (outcome.ok, outcome.result.text) == (False, "slow took longer than 0 s. Try something narrower.")


@pytest.mark.parametrize("error", [ValueError("x"), OSError(5, "I/O"), MemoryError(), RecursionError(), KeyError("x")])
async def test_what_nobody_foresaw_in_a_tool_ends_that_call_alone(error: Exception) -> None:
    async def look() -> str:
        """Look."""
        raise error

    outcome = await Toolbox([tool(look)]).execute_call("look", {}, ToolContext("?"))
    assert (outcome.ok, outcome.result.text[:13]) == (False, "look failed: ")
    assert outcome.result.text.endswith(" Do without it.")

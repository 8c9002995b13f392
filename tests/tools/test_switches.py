"""Which tools of a toolbox are on."""

from tools.base import Toolbox, tool
from tools.switches import ToolSwitches


async def measure(what: str) -> str:
    """Measure something.

    Args:
        what: What.
    """
    return f"{what}: 3 cm"


def test_all_tools_are_on_unless_some_are_named() -> None:
    switches = ToolSwitches()
    assert switches.is_on("measure")
    switches.allow_only(["count"])
    assert (switches.is_on("measure"), switches.is_on("count")) == (False, True)
    switches.allow_only(None)
    assert switches.is_on("measure")


def test_what_was_switched_off_by_hand_stays_off_and_what_was_switched_on_is_forgotten() -> None:
    switches = ToolSwitches()
    switches.allow_only(["count"])
    switches.switch_tool("count", on=False)
    switches.switch_tool("measure", on=True)
    assert (switches.is_on("measure"), switches.is_on("count")) == (True, False)
    switches.allow_only(["count"])
    assert (switches.is_on("measure"), switches.is_on("count")) == (False, False)
    switches.switch_tool("count", on=True)
    assert switches.is_on("count")


def test_a_tool_that_there_is_nothing_for_is_never_on() -> None:
    switches = ToolSwitches()
    switches.allow_only(None, useless=["measure"])
    switches.switch_tool("measure", on=True)
    assert not switches.is_on("measure")


def test_a_tool_is_known_by_each_of_its_names() -> None:
    switches = ToolSwitches()
    switches.allow_only(["notes.find"])
    assert switches.is_on("notes_find", "notes.find")
    switches.switch_tool("notes_find", on=False)
    assert not switches.is_on("notes_find", "notes.find")


def test_a_tool_that_is_off_keeps_its_name() -> None:
    toolbox = Toolbox([tool(measure)])
    toolbox.switches.allow_only([])
    assert (toolbox.schemas, toolbox.taken_names) == ((), {"measure"})


def test_what_was_switched_off_before_is_on_again_where_others_are_named() -> None:
    switches = ToolSwitches()
    switches.switch_off_only(["count"])
    switches.switch_off_only(["measure"])
    assert (switches.is_on("measure"), switches.is_on("count")) == (False, True)
    switches.allow_only(["measure"])
    switches.switch_off_only([])
    assert (switches.is_on("measure"), switches.is_on("count")) == (True, False)

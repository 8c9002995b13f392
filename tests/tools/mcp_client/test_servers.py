from pathlib import Path

from tests.fakes.mcp_servers import connected, good
from tools.mcp_client.servers import Limits

TOOLS = ("forecast", "shout", "refuse", "environment")


async def left_out(folder: Path, limits: Limits) -> list[tuple[str, str]]:
    """Names and reasons of the tools that are not offered."""
    async with connected(folder, [good()], limits=limits) as there:
        offered = [schema.name for schema in there.toolbox.schemas]
        tools = list(there.servers.tools.values())
    assert offered == [tool.name for tool in tools if tool.name]
    assert [tool.shown for tool in tools] == [f"weather.{name}" for name in TOOLS]
    return [(tool.shown, tool.left_out) for tool in tools if not tool.name]


async def test_so_many_tools_are_offered_as_are_set(tmp_path: Path) -> None:
    why = "more than 2 tools (mcp.max_tools)"
    assert await left_out(tmp_path, Limits(2, 8192)) == [("weather.refuse", why), ("weather.environment", why)]


async def test_a_small_window_holds_fewer(tmp_path: Path) -> None:
    why = "the window is too small for more (context_window)"
    # 300 characters, at four to a token.
    assert await left_out(tmp_path, Limits(40, 256)) == [("weather.refuse", why), ("weather.environment", why)]


async def test_servers_have_their_tools_apart_and_no_name_twice(tmp_path: Path) -> None:
    async with connected(tmp_path, [good("web"), good("we b"), good("we_b")]) as there:
        names = {(tool.shown, tool.name) for tool in there.servers.tools.values() if tool.shown.endswith("shout")}
        assert {shown for shown, _ in names} == {"web.shout", "we b.shout", "we_b.shout"}
        assert {name for _, name in names} == {"web_shout", "we_b_shout", "we_b_shout_2"}
        for _, name in names:
            assert await there.call(name, text="a") == (True, "A")
        assert {there.servers.shown_name(name) for _, name in names} == {shown for shown, _ in names}
        assert there.servers.shown_name("web_search") == ""

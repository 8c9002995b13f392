import sys
from pathlib import Path

from tests.fakes.mcp_servers import GOOD, connected, good
from tools.mcp_client.config import ServerSpec
from tools.mcp_client.tool_selection import ToolLimits

TOOLS = ("forecast", "shout", "refuse", "environment")


async def test_the_tools_of_a_server_have_its_name_for_the_user_and_a_safe_one_for_the_model(tmp_path: Path) -> None:
    async with connected(tmp_path, [good("the web")]) as there:
        names = [schema.name for schema in there.toolbox.schemas]
        assert names == [f"the_web_{name}" for name in TOOLS]
        assert [there.offers.shown_name(name) for name in names] == [f"the web.{name}" for name in TOOLS]
        assert there.offers.shown_name("web_search") == ""
        assert await there.call("the_web_shout", text="a") == (True, "A")


async def test_the_same_server_twice_is_called_where_it_can_be_reached(tmp_path: Path) -> None:
    async with connected(tmp_path, [good("one"), good("two")]) as there:
        assert [schema.name for schema in there.toolbox.schemas] == [f"one_{name}" for name in TOOLS]
        assert await there.call("one_shout", text="a") == (True, "A")
        await there.servers.all["one"].stop()
        assert there.offers.shown_name("one_shout") == "two.shout"
        assert await there.call("one_shout", text="b") == (True, "B")
        assert [server.calls for server in there.servers.all.values()] == [1, 1]
        there.servers.all["one"].start()
        await there.servers.settled()
        assert there.offers.shown_name("one_shout") == "one.shout"


async def test_a_server_that_cannot_be_used_keeps_nothing_from_being_offered(tmp_path: Path) -> None:
    broken = ServerSpec("broken", "stdio", (sys.executable, "-c", "import time; time.sleep(0.5)"))
    async with connected(tmp_path, [good(), broken], limits=ToolLimits(4, 10_000)) as there:
        assert there.told == ["The MCP server broken cannot be used: it ended with exit code 0."]
        assert len(there.toolbox.schemas) == 4


async def test_what_the_file_allows_is_known_by_the_server_that_would_be_called(tmp_path: Path) -> None:
    specs = [good("one"), ServerSpec("two", "stdio", (sys.executable, str(GOOD)), allowed=("shout",))]
    async with connected(tmp_path, specs) as there:
        assert [there.offers.allowed(name) for name in ("one_shout", "web_search")] == [False, False]
        await there.servers.all["one"].stop()
        assert [there.offers.allowed(name) for name in ("one_shout", "one_refuse")] == [True, False]

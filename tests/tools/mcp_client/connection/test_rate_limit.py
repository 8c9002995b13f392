import asyncio
from pathlib import Path

import pytest

from tests.fakes.mcp_flooding import flooding
from tests.fakes.mcp_servers import connected
from tools.mcp_client.config import Kind, ServerSpec
from tools.mcp_client.connection.rate_limit import BYTES, ENDLESS, MESSAGES, Flood


def test_so_much_a_minute_is_taken_and_no_more() -> None:
    minute = 0.0
    flood = Flood(lambda: minute)
    assert (flood.is_within_limits(BYTES), flood.is_within_limits(1)) == (True, False)
    minute = 61.0
    assert (flood.is_within_limits(BYTES, MESSAGES), flood.is_within_limits(0, 1)) == (True, False)


@pytest.mark.parametrize(
    ("kind", "path", "flood", "where"),
    [
        ("http", "mcp", "notes", "get"),
        ("http", "mcp", "notes", "call"),
        ("http", "mcp", "requests", "call"),
        ("http", "mcp", "large", "get"),
        ("http", "mcp", "nothing", "call"),
        ("sse", "sse", "notes", "get"),
        ("sse", "sse", "requests", "get"),
    ],
)
async def test_a_server_that_sends_events_without_end_is_not_listened_to(
    tmp_path: Path, kind: Kind, path: str, flood: str, where: str
) -> None:
    async with flooding(flood, where) as port, asyncio.timeout(60):
        spec = ServerSpec("flood", kind, url=f"http://127.0.0.1:{port}/{path}", timeout=60)
        async with connected(tmp_path, [spec]) as there:
            await there.call("flood_echo")
            while not there.told:
                await asyncio.sleep(0.02)
            assert there.told == [f"The MCP server flood cannot be used: {ENDLESS}."]

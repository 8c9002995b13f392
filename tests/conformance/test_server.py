"""The official suite for servers."""

import asyncio
import re
import sys
from asyncio.subprocess import PIPE, create_subprocess_exec

from tests.conformance.suite import PATIENCE, needs_suite, run_suite
from tests.fakes import conformance_server
from tests.fakes.mcp_client import over_http

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

pytestmark = needs_suite


async def test_a_server_that_offers_all_that_is_asked_for_passes_every_scenario():
    server = await create_subprocess_exec(sys.executable, conformance_server.__file__, "0", stderr=PIPE)
    try:
        assert server.stderr
        address = (await asyncio.wait_for(server.stderr.readline(), PATIENCE)).decode().split()[-1]
        told = await run_suite("server", "--url", address, "--suite", "all", "--spec-version", "2025-11-25")
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
            told = await run_suite("server", "--url", url, "--scenario", scenario)
            assert re.search(r"Passed: (\d+)/\1, 0 failed, 0 warnings", told), told

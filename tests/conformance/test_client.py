"""The official suite for clients, put to Magpie's own: the code with which a chat uses a server."""

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.conformance.suite import needs_suite, run_suite
from tests.fakes import conformance_client

VERSION = "2025-11-25"
OTHERS = ("initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry")
"""The scored scenarios beside those of `auth/`; none of either has no verdict."""
EXTENSIONS = ("auth/client-credentials-jwt", "auth/client-credentials-basic")
"""Of the protocol's extensions those that Magpie has; it does not sign in with the token of an enterprise."""

HANDOVER = Path(conformance_client.__file__).with_name("conformance_handover.py")
TRIES = 3
"""For the scenario that measures how long a client waits: on a busy machine it may be found late."""

pytestmark = needs_suite


@asynccontextmanager
async def handing_over(folder: Path) -> AsyncIterator[str]:
    """The command of a client that runs in this process."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        well = await conformance_client.main(*json.loads(await reader.readline()))
        writer.write(b"0" if well else b"1")
        writer.close()

    place = str(folder / "client")
    async with await asyncio.start_unix_server(serve, place):
        yield f"{sys.executable} -I -S {HANDOVER} {place}"


def failures(told: str) -> list[str]:
    """The scenarios of a suite that did not pass all, with a verdict."""
    counts = re.findall(r"^. ([a-z0-9/-]+): (\d+) passed, (\d+) failed", told, re.MULTILINE)
    assert len(counts) == 14
    return [name for name, passed, failed in counts if failed != "0" or passed == "0"]


async def test_every_scored_scenario_of_a_sign_in_passes(tmp_path: Path) -> None:
    async with handing_over(tmp_path) as command:
        told = await run_suite("client", "--command", command, "--suite", "auth", "--spec-version", VERSION)
    assert failures(told) == []
    assert "0 failed, 0 warnings" in told


@pytest.mark.parametrize("scenario", [*OTHERS, *EXTENSIONS])
async def test_every_other_scored_scenario_passes(tmp_path: Path, scenario: str) -> None:
    async with handing_over(tmp_path) as command:
        for left in reversed(range(TRIES if scenario == "sse-retry" else 1)):
            try:
                told = await run_suite("client", "--command", command, "--scenario", scenario)
                break
            except AssertionError:
                if not left:
                    raise
    assert re.search(r"Passed: (\d+)/\1, 0 failed, 0 warnings", told), told

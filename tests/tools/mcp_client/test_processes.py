import asyncio
import dataclasses
import sys
import uuid
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from tests.fakes.mcp_servers import GOOD, connected, good, none_left, running
from tests.fakes.places import FAKES

HOST = FAKES / "mcp_host.py"
FAMILY = HOST.with_name("mcp_family.py")
needs_proc = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="processes are found in /proc")


@needs_proc
@pytest.mark.parametrize("time", range(3))
async def test_nothing_is_left_of_a_server_whose_magpie_was_killed(tmp_path: Path, time: int) -> None:
    mark = uuid.uuid4().hex
    host = await asyncio.create_subprocess_exec(sys.executable, str(HOST), str(tmp_path), mark, stdout=PIPE)
    assert host.stdout
    assert await host.stdout.readline() == b"ready\n"
    # The supervisor, the server, its child and its daemon, and the host itself.
    assert len(running(mark)) == 5
    host.kill()
    await host.communicate()
    assert await none_left(mark) == []


@needs_proc
async def test_nothing_is_left_of_a_server_that_was_stopped(tmp_path: Path) -> None:
    mark = uuid.uuid4().hex
    spec = dataclasses.replace(good(), command=(sys.executable, str(FAMILY)), env={"MARK": mark, "SERVER": str(GOOD)})
    async with connected(tmp_path, [spec]) as there:
        assert there.servers.all["weather"].state == "ready"
        assert len(running(mark)) == 4
    assert await none_left(mark) == []


async def test_a_server_gets_the_environment_that_is_listed_and_no_other(tmp_path: Path) -> None:
    given = {"PATH": "/usr/bin:/bin", "HOME": "/home/me", "AWS_SECRET_ACCESS_KEY": "secret", "TOKEN": "mine"}
    spec = good(env={"API_TOKEN": "${TOKEN}", "PLAIN": "1"})
    async with connected(tmp_path, [spec], environment=given) as there:
        ok, names = await there.call("weather_environment")
    own = {"LC_CTYPE"}  # which Python sets for itself
    assert (ok, set(names.split()) - own) == (True, {"PATH", "HOME", "API_TOKEN", "PLAIN"})


async def test_a_program_that_there_is_not_is_said(tmp_path: Path) -> None:
    spec = dataclasses.replace(good(), command=("no-such-program", "x"))
    async with connected(tmp_path, [spec]) as there:
        assert there.told == ["The MCP server weather cannot be used: there is no program no-such-program to run."]


async def test_a_variable_that_is_not_set_is_said(tmp_path: Path) -> None:
    async with connected(tmp_path, [good(env={"A": "${NO_SUCH_VARIABLE}"})]) as there:
        why = "the environment variable NO_SUCH_VARIABLE is not set"
        assert there.told == [f"The MCP server weather cannot be used: {why}."]

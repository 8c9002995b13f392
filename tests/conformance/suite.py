"""The official suite as a program; `make conformance` fetches it from the npm registry."""

import asyncio
from asyncio.subprocess import DEVNULL, PIPE, STDOUT, create_subprocess_exec

import pytest

from tests.fakes.node import NODE, SUITE, needs

PATIENCE = 150.0

needs_suite = [needs(SUITE), pytest.mark.timeout(300)]


async def run_suite(*arguments: str) -> str:
    """What it says where nothing failed."""
    process = await create_subprocess_exec(NODE, SUITE, *arguments, stdin=DEVNULL, stdout=PIPE, stderr=STDOUT)
    try:
        out, _ = await asyncio.wait_for(process.communicate(), PATIENCE)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode == 0, out.decode()
    return out.decode()

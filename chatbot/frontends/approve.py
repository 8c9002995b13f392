"""`magpie mcp approve NAME`: lets the command of an MCP server run from now on."""

import argparse
import asyncio
import sys

from chatbot.engine.engine import Engine
from chatbot.frontends.plain import say
from chatbot.mcp.servers import approve


async def run(engine: Engine, arguments: argparse.Namespace) -> int:
    """Approve and say what; the exit code. Raises `MagpieError`."""
    say(await asyncio.to_thread(approve, engine.configuration, arguments.name), sys.stdout)
    return 0

"""`magpie mcp approve NAME`: lets the command of an MCP server run from now on."""

import argparse
import asyncio
import sys

from chatbot.engine.engine import Engine
from chatbot.frontends.plain import print_clean
from chatbot.mcp.servers import approve_server


async def run(engine: Engine, arguments: argparse.Namespace) -> int:
    """Approve and say what; the exit code. Raises `MagpieError`."""
    print_clean(await asyncio.to_thread(approve_server, engine.configuration, arguments.name), sys.stdout)
    return 0

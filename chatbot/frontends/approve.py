"""`magpie mcp approve NAME`: lets the command of an MCP server run from now on."""

import asyncio
import sys

from chatbot.config import Configuration
from chatbot.frontends.plain import say
from chatbot.mcp.servers import approve


async def run(configuration: Configuration, name: str) -> int:
    """Approve and say what; the exit code. Raises `MagpieError`."""
    say(await asyncio.to_thread(approve, configuration, name), sys.stdout)
    return 0

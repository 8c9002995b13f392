"""A process that connects to an MCP server with a family, says so, and waits to be killed: `FOLDER MARK`."""

import asyncio
import dataclasses
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.fakes.mcp_servers import GOOD, connected, good

FAMILY = Path(__file__).parent / "mcp_family.py"


async def main() -> None:
    """Connect and wait."""
    folder, mark = Path(sys.argv[1]), sys.argv[2]
    spec = dataclasses.replace(good(), command=(sys.executable, str(FAMILY)), env={"MARK": mark, "SERVER": str(GOOD)})
    async with connected(folder, [spec]) as there:
        sys.stdout.write(there.servers.all["weather"].state + "\n")
        sys.stdout.flush()
        await asyncio.sleep(600)


asyncio.run(main())

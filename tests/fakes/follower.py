"""A process that follows a folder until its standard input ends: `python -m tests.fakes.follower DATA FOLDER`."""

import asyncio
import sys
from pathlib import Path

from tests.fakes.watching import following


async def main(data: Path, folder: Path) -> None:
    """Follow it."""
    async with following(data, folder):
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main(*map(Path, sys.argv[1:])))

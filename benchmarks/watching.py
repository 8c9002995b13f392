"""How soon a library follows a file that is written, moved or deleted, beside the bare notice of the system."""

import argparse
import asyncio
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from watchfiles import awatch

from tests.fakes.watching import FollowingLibrary, following

FILES = 50
"""In the folder, beside the one that changes."""


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=20, help="how often each is done")
    asyncio.run(measure(parser.parse_args().times))


async def measure(times: int) -> None:
    """Each change so many times, from its last write until the library has it."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "notes"
        folder.mkdir()
        for number in range(FILES):
            (folder / f"{number}.txt").write_text(f"Note {number}.")
        notice = await notice_seconds(folder, times)
        print(f"notice of the system    {notice * 1000:8.0f} ms", flush=True)
        async with following(Path(place) / "data", folder) as follows:
            await follows.until_equal(folder)
            await measure_changes(follows, folder, times, notice)


async def notice_seconds(folder: Path, times: int) -> float:
    """The median until watchfiles tells of a file that was written."""
    spent, stop = [], asyncio.Event()
    notices = aiter(awatch(folder, stop_event=stop))
    for number in range(times):
        heard = asyncio.ensure_future(anext(notices))
        # Its watch begins with the first call.
        await asyncio.sleep(0.5)
        began = time.perf_counter()
        (folder / "0.txt").write_text(f"Note {number}, changed.")
        await heard
        spent.append(time.perf_counter() - began)
    stop.set()
    return float(np.median(spent))


async def measure_changes(follows: FollowingLibrary, folder: Path, times: int, notice: float) -> None:
    """A file that is written, moved and deleted, again and again."""
    spent = defaultdict[str, list[float]](list)
    for number in range(times):
        here, there = folder / f"new {number}.txt", folder / f"moved {number}.txt"
        changes = {
            "written": partial(here.write_text, f"Newest {number}."),
            "moved": partial(here.rename, there),
            "deleted": there.unlink,
        }
        for name, change in changes.items():
            spent[name].append(await followed(follows, folder, change))
    for name, seconds in spent.items():
        middle, slowest = np.median(seconds), max(seconds)
        print(
            f"{name:23} {middle * 1000:8.0f} ms {middle / notice:6.1f} times that, at most {slowest:.2f} s", flush=True
        )


async def followed(follows: FollowingLibrary, folder: Path, change: Callable[[], object]) -> float:
    """Seconds from a change until the library has what the folder has."""
    change()
    began = time.perf_counter()
    await follows.until_equal(folder)
    return time.perf_counter() - began


if __name__ == "__main__":
    main()

"""What must be true of a library that follows a folder in which files change, move and go at random."""

import asyncio
import os
import random
import time
from pathlib import Path

import pytest

from tests.fakes.watching import FollowingLibrary, Vandal, following

# `make torture` sets it; `make test` does it for a moment, with few files.
FULL = bool(os.environ.get("TORTURE"))
FILES = int(os.environ.get("TORTURE_FILES", 10_000)) if FULL else 60
SECONDS = float(os.environ.get("TORTURE_SECONDS", 300)) if FULL else 2.0
RESTARTS = 4 if FULL else 1
CATCHING_UP = 1800.0 if FULL else 60.0


async def let_loose(vandal: Vandal, seconds: float, rng: random.Random) -> None:
    """Have files changed for some time, in bursts, by a thread that waits for nobody."""

    def work() -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            for _ in range(rng.choice([1, 5, 50, 500])):
                vandal.act()
            time.sleep(rng.uniform(0, 0.3))

    await asyncio.to_thread(work)


async def compared(follows: FollowingLibrary, folder: Path) -> tuple[int, float]:
    """Files once the library has what the folder has, and the seconds that it took after the last change."""
    ended = time.monotonic()
    files = await follows.until_equal(folder, CATCHING_UP)
    return files, time.monotonic() - ended


@pytest.mark.timeout(SECONDS + 3 * CATCHING_UP)
async def test_after_changes_at_random_the_library_has_what_the_folder_has(tmp_path: Path, torture_report) -> None:
    seed = int(os.environ.get("TORTURE_SEED", 7))
    folder, rng = tmp_path / "folder", random.Random(seed)
    folder.mkdir()
    vandal = Vandal(folder, FILES, seed)
    async with following(tmp_path / "data", folder) as follows:
        vandal.fill()
        filled, filling = await compared(follows, folder)
    assert filled == FILES
    last = 0.0
    for _ in range(RESTARTS + 1):
        # In between nobody watches.
        for _ in range(FILES // 100):
            vandal.act()
        async with following(tmp_path / "data", folder) as follows:
            await let_loose(vandal, SECONDS / (RESTARTS + 1), rng)
            files, last = await compared(follows, folder)
    torture_report(
        f"watching: {FILES} files at once in {filling:.0f} s; then {vandal.done} changes in {SECONDS:.0f} s with"
        f" {RESTARTS} restarts: all {files} files as in the folder, {last:.0f} s after the last change"
    )

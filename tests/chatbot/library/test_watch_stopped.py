"""What changes while whoever watches is stopped, as by Ctrl-Z: more than the system keeps for it."""

import asyncio
import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rag.library import Library
from rag.watching.notifier import STANDSTILL
from tests.fakes.embedder import WordEmbedder
from tests.fakes.watching import PATIENCE, SETTINGS, FollowingLibrary, texts_in

MORE_THAN_ARE_KEPT = 20_000
"""Notices: the system keeps 16,384 for whoever does not take them, and drops what comes then."""


@contextmanager
def follower(data: Path, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that follows a folder."""
    command = [sys.executable, "-m", "tests.fakes.follower", str(data), str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        yield process
        assert process.stdin
        process.stdin.close()
        assert process.wait(PATIENCE) == 0


async def until_equal(library: Library, folder: Path) -> None:
    """Wait until another process has put all of a folder in."""
    seen, wanted = FollowingLibrary(library, WordEmbedder()), await texts_in(folder)
    async with asyncio.timeout(PATIENCE):
        while await seen.texts(folder) != wanted:
            await asyncio.sleep(0.05)


async def test_what_changed_while_it_was_stopped_is_followed_when_it_goes_on(tmp_path: Path) -> None:
    data, folder = tmp_path / "data", tmp_path / "notes"
    folder.mkdir()
    for name in ("heron", "owl", "wren", "rook"):
        (folder / f"{name}.txt").write_text(f"The {name} sits.")
    library = await Library.open(data, SETTINGS, WordEmbedder())
    with follower(data, folder) as process:
        await until_equal(library, folder)
        os.kill(process.pid, signal.SIGSTOP)
        begun = time.monotonic()
        # Two by turns: the same notice twice is one.
        for number, name in enumerate(itertools.cycle(["heron", "owl"])):
            if number >= MORE_THAN_ARE_KEPT // 2 and time.monotonic() - begun > 2 * STANDSTILL:
                break
            (folder / f"{name}.txt").write_text(f"The {name} flies.")
        (folder / "heron.txt").unlink()
        (folder / "wren.txt").rename(folder / "moved.txt")
        (folder / "rook.txt").write_text("The rook calls.")
        (folder / "new").mkdir()
        (folder / "new" / "crane.txt").write_text("The crane dances.")
        os.kill(process.pid, signal.SIGCONT)
        await until_equal(library, folder)
    await library.close()

"""A process whose disk is full for a while: `python full_disk.py FOLDER tmpfs|limit`; prints what came of it as JSON.

`tmpfs`: the folder is a small file system, filled by a ballast. `limit`: files of this process cannot grow past a size,
a little larger at every attempt, so that another write of a transaction fails each time.
"""

import asyncio
import json
import resource
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from chatbot.conversation.messages import Message
from chatbot.history.sessions import Sessions
from utils.errors import SessionError

FIRST = 5
REFUSED = 3
BALLAST = 300_000


def turn(number: int) -> tuple[Message, Message]:
    return Message("user", f"question{number}"), Message("assistant", f"answer{number} " + "word " * 2000)


def fill(folder: Path) -> None:
    """Use all that is left of the disk, down to a page."""
    with (folder / "ballast").open("wb", buffering=0) as file:
        for size in (65_536, 4096):
            try:
                while True:
                    file.write(bytes(size))
            except OSError:
                continue


async def fail_and_go_on(folder: Path, fail: Callable[[], None], mend: Callable[[], None]) -> dict[str, object]:
    """Turns before, during and after the trouble; what was said, and what a fresh process would read."""
    path = folder / "data" / "sessions.db"
    sessions = await Sessions.open(path, copy_after=1e9)
    assert sessions._copying is not None
    await sessions._copying
    for number in range(FIRST):
        await sessions.append("one", *turn(number))
    fail()
    told: list[str] = []
    drafted = await sessions.draft("one", "word " * 5000)
    for number in range(FIRST, FIRST + REFUSED):
        try:
            await sessions.append("one", *turn(number))
        except SessionError as error:
            told.append(str(error))
    unsaved = sessions.unsaved_count
    meanwhile = len((await sessions.load("one")).messages)
    mend()
    await sessions.append("one", *turn(FIRST + REFUSED))
    await sessions.close()
    again = await Sessions.open(path, copy_after=1e9)
    read = (await again.load("one")).messages
    await again.close()
    expected = [message for number in range(FIRST + REFUSED + 1) for message in turn(number)]
    return {
        "told": told, "drafted": drafted, "unsaved": unsaved, "meanwhile": meanwhile, "all there": read == expected
    }  # fmt: skip


async def main(folder: Path, kind: str) -> None:
    if kind == "tmpfs":
        done = await fail_and_go_on(folder, lambda: fill(folder), (folder / "ballast").unlink)
        sys.stdout.write(json.dumps([done]))
        return
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)

    def limit(log: Path, size: int) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (log.stat().st_size + size, unlimited[1]))

    results = []
    for size in range(0, 200_000, 8_000):
        place = folder / str(size)
        place.mkdir()
        fail = partial(limit, place / "data" / "sessions.db-wal", size)
        results.append(await fail_and_go_on(place, fail, partial(resource.setrlimit, resource.RLIMIT_FSIZE, unlimited)))
    sys.stdout.write(json.dumps(results))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))

"""A chat whose disk is full: `full_chat.py FOLDER`, which becomes a small file system of this process alone.

The first turn is kept; then the disk is filled, and the log, the inputs and the conversation find no room.
"""

import asyncio
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

SMALL = 'mount -t tmpfs -o size=2m tmpfs "$0" && exec "$@"'


async def main(folder: Path) -> int:
    from chatbot.frontends import terminal
    from chatbot.history.sessions import Sessions
    from tests.chatbot.frontends.terminal.chat import EchoModel
    from tests.fakes.app import FakeApp
    from tests.fakes.full_disk import fill
    from utils.log import start_log

    start_log(folder, verbose=True)
    sessions = await Sessions.open(folder / "sessions.db")
    await asyncio.sleep(1)
    fill(folder)
    return await terminal.run_chat(FakeApp(EchoModel([]), folder, sessions=sessions).engine)


if __name__ == "__main__":
    if sys.argv[2:] == ["inside"]:
        raise SystemExit(asyncio.run(main(Path(sys.argv[1]))))
    inside = ["unshare", "-rm", "sh", "-c", SMALL, sys.argv[1]]
    os.execvp("unshare", [*inside, sys.executable, __file__, sys.argv[1], "inside"])

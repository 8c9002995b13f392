"""What must be true of conversations whose process is killed at random moments, and which several write at once."""

import itertools
import os
import random
import time
from pathlib import Path
from typing import Any

import pytest

from chatbot.conversation.messages import Message
from chatbot.conversation.turns import INTERRUPTED_MARK
from chatbot.history.sessions import Sessions
from tests.fakes.conversations import said
from tests.fakes.processes import FAILED, Worker
from tests.fakes.talking import BEGUN, DONE, DRAFT, READ, converse, write

# `make torture` sets it; `make test` runs a tenth.
FULL = bool(os.environ.get("TORTURE"))
KILLS = 500 if FULL else 50
WRITERS = 4
TURNS = 100 if FULL else 25


class Heard:
    """What must be read back, from what processes have said of it."""

    def __init__(self) -> None:
        self.kept: list[Any] = []
        """Acknowledged, in order."""
        self.begun: list[Any] = []
        """May be there, or may not."""
        self.draft = ""
        self.acknowledged = 0
        self.interrupted = 0

    def hear(self, told: Any) -> None:
        match told:
            case (kind, values) if kind == BEGUN:
                self.begun = values
            case (kind, values) if kind == DONE:
                self.kept += values
                self.begun, self.draft = [], ""
                self.acknowledged += 1
            case (kind, text) if kind == DRAFT:
                self.draft = text
            case (kind, read) if kind == READ:
                self.compare(read)
            case (kind, what) if kind == FAILED:
                pytest.fail(what)

    def compare(self, read: list[Any]) -> None:
        """All that was acknowledged is there; an unfinished turn has what arrived of its reply, and an end."""
        expected = list(self.kept)
        assert read[: len(expected)] == expected
        rest = read[len(expected) :]
        if self.begun and rest[: len(self.begun)] == self.begun:
            rest = rest[len(self.begun) :]
        for message in rest:
            assert message.interrupted
        if rest:
            self.interrupted += 1
            # The piece after the last one that was acknowledged may have been written as well.
            assert rest[-1].content == INTERRUPTED_MARK or rest[-1].content.startswith(self.draft)
        self.kept, self.begun, self.draft = read, [], ""


@pytest.mark.timeout(20 * KILLS)
def test_kills_at_random_moments_lose_at_most_the_unfinished_reply(tmp_path: Path, torture_report) -> None:
    rng, heard = random.Random(5), Heard()
    for seed in range(KILLS):
        worker = Worker(converse, tmp_path / "sessions.db", seed)
        heard.hear(worker.hear())
        time.sleep(rng.uniform(0, 0.25))
        worker.kill()
        for told in worker.rest():
            heard.hear(told)
        assert worker.exit_code == -9
    worker = Worker(converse, tmp_path / "sessions.db", KILLS)
    heard.hear(worker.hear())
    worker.kill()
    assert heard.acknowledged > KILLS
    assert heard.interrupted > KILLS // 4
    torture_report(
        f"{KILLS} kills during streamed replies, {heard.acknowledged} writes acknowledged, none lost;"
        f" {heard.interrupted} unfinished turns came back with what had arrived"
    )


async def test_a_kill_leaves_what_had_arrived_of_the_reply(tmp_path: Path) -> None:
    heard = Heard()
    for seed in itertools.count():
        worker = Worker(converse, tmp_path / "sessions.db", seed)
        heard.hear(worker.hear())
        while not heard.draft:
            heard.hear(worker.hear())
        worker.kill()
        for told in worker.rest():
            heard.hear(told)
        # On a busy machine a kill comes late, and the process may have been at the end of its reply.
        if heard.draft and not heard.begun:
            break
    before = heard.interrupted
    sessions = await Sessions.open(tmp_path / "sessions.db")
    heard.compare(said(await sessions.load("one")))
    assert heard.interrupted == before + 1
    await sessions.close()


@pytest.mark.timeout(120)
async def test_several_processes_that_write_at_once_all_save(tmp_path: Path, torture_report) -> None:
    names = ["ada", "bob", "eve", "joe"][:WRITERS]
    workers = [Worker(write, tmp_path / "sessions.db", name, TURNS) for name in names]
    assert [worker.rest() for worker in workers] == [[(DONE, number) for number in range(TURNS)]] * WRITERS
    sessions = await Sessions.open(tmp_path / "sessions.db")
    for name in names:
        own = [Message("user", f"{name}{number}") for number in range(TURNS)]
        assert (await sessions.load(name)).messages[::2] == own
        shared = (await sessions.load("shared")).messages
        assert [message for message in shared if message.content.startswith(name)] == own
    assert {info.id: info.messages for info in await sessions.list()} == {
        **dict.fromkeys(names, 2 * TURNS), "shared": 2 * TURNS * WRITERS
    }  # fmt: skip
    await sessions.close()
    torture_report(f"{WRITERS} processes at once, {2 * TURNS * WRITERS} turns, also into one session: all there")

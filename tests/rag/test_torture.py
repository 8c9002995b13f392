"""What must be true of a library whose processes are killed at random moments, and which several write at once."""

import os
import random
import time
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.kept_in import KeptIn
from tests.fakes.postgres import PostgresServer
from tests.fakes.processes import FAILED, Worker
from tests.fakes.torture import ABSENT, AWAY, BEGUN, DONE, FAULT, OPENED, STATE, check, ingest, read, write

# `make torture` sets it; `make test` runs a tenth and less.
FULL = bool(os.environ.get("TORTURE"))
KILLS = {"sqlite": 200 if FULL else 20, "postgres": 200 if FULL else 4}
CROWDS = {"sqlite": 10 if FULL else 2, "postgres": 10 if FULL else 1}
TURNS = 60 if FULL else 20
VICTIMS = WRITER, SERVER, _ = "the writer", "the server", "both"
NAMES = [f"ada{number}" for number in range(12)]


class State:
    """Which versions of each document may be there, from what processes have said of them."""

    def __init__(self, names: list[str]) -> None:
        self.versions: dict[str, tuple[int, ...]] = dict.fromkeys(names, (ABSENT,))
        self.acknowledged = 0

    def hear(self, said: Any) -> None:
        match said:
            case (kind, name, version) if kind == BEGUN and name in self.versions:
                self.versions[name] = (*self.versions[name], version)
            case (kind, name, version) if kind == DONE and name in self.versions:
                self.versions[name] = (version,)
                self.acknowledged += 1
            case (kind, _, found) if kind == OPENED:
                assert {name: wrong for name, wrong in found.items() if isinstance(wrong, list)} == {}
                self.versions = {name: (version,) for name, version in found.items()}
            case (kind, *what) if kind in (FAULT, FAILED):
                pytest.fail(f"{what}")


def killed(worker: Worker, state: State, rng: random.Random, server: PostgresServer | None, victim: str) -> float:
    """Let a process work for a while, in every third case into a rebuild or a close, and kill it, its server or both;
    seconds to open.
    """
    first = worker.hear()
    state.hear(first)
    aim, delay = rng.choice(["", "", "", "", "rebuild", "close"]), rng.uniform(0, 0.5)
    while aim:
        said = worker.hear()
        state.hear(said)
        if said[:2] == (BEGUN, aim):
            aim, delay = "", rng.uniform(0, 0.3)
    time.sleep(delay)
    if server and victim != WRITER:
        server.kill()
    if victim != SERVER:
        worker.kill()
    said = worker.rest()
    for one in said:
        state.hear(one)
    if victim == SERVER:
        # It was told, and had not to be killed.
        assert said[-1][0] == AWAY and said[-1][1].startswith("The library's PostgreSQL "), said[-1]
    assert worker.exit_code == (0 if victim == SERVER else -9)
    if server and victim != WRITER:
        server.revive()
    return float(first[1])


@pytest.mark.timeout(60 * KILLS["sqlite"])
def test_kills_at_random_moments_lose_nothing_that_was_acknowledged(
    tmp_path: Path, kept_in: KeptIn, torture_report
) -> None:
    rng, state, slowest = random.Random(4), State(NAMES), 0.0
    kills, victims = KILLS[kept_in.backend], VICTIMS if kept_in.server else VICTIMS[:1]
    for seed in range(kills):
        worker = Worker(ingest, tmp_path, state.versions, seed)
        slowest = max(slowest, killed(worker, state, rng, kept_in.server, victims[seed % len(victims)]))
    [last] = Worker(check, tmp_path, state.versions).rest()
    state.hear(last)
    slowest = max(slowest, last[1])
    torture_report(
        f"{kept_in.backend}: {kills} kills ({', '.join(victims)} by turns), {state.acknowledged} changes acknowledged,"
        f" none lost; slowest opening with its first search: {slowest:.2f} s"
    )


class Crowd:
    """Four processes that write and two that read, until the writers are done."""

    def __init__(self, folder: Path, seed: int) -> None:
        own = {writer: [f"{writer}{number}" for number in range(6)] for writer in ("ada", "bob", "eve", "joe")}
        self.state = State([name for mine in own.values() for name in mine])
        self.searches = 0
        self.owners: list[Worker] = []
        self._stop = folder / "stop"
        self._writers = [Worker(write, folder, mine, TURNS, seed * 10 + i) for i, mine in enumerate(own.values())]
        readers = [Worker(read, folder, list(self.state.versions), self._stop) for _ in range(2)]
        self._running: dict[Any, Worker] = {worker.pipe: worker for worker in [*self._writers, *readers]}

    def run(self, kill_owner: bool) -> None:
        killed: Worker | None = None
        while self._running:
            for pipe in wait(list(self._running)):
                self._hear(self._running[pipe], killed)
            if kill_owner and not killed and self.owners and self.state.acknowledged > TURNS:
                killed = self.owners[-1]
                killed.kill()
        assert len(self.owners) > 1 or not kill_owner

    def _hear(self, worker: Worker, killed: Worker | None) -> None:
        try:
            said = worker.hear()
        except EOFError:
            del self._running[worker.pipe]
            assert worker.exit_code == (-9 if worker is killed else 0)
            if not set(self._writers) & set(self._running.values()):
                self._stop.touch()
            return
        self.state.hear(said)
        if said[:2] == (DONE, "searches"):
            self.searches += said[2]
        if said[0] == STATE and said[1] in ("ready", "building") and worker not in self.owners:
            self.owners.append(worker)


@pytest.mark.timeout(120 * CROWDS["sqlite"])
def test_four_processes_that_write_and_two_that_read_lose_nothing(
    tmp_path: Path, kept_in: KeptIn, torture_report
) -> None:
    changes = searches = owners = 0
    runs = CROWDS[kept_in.backend]
    for seed in range(runs):
        folder = tmp_path / str(seed)
        folder.mkdir()
        kept_in.begin(folder)
        crowd = Crowd(folder, seed)
        crowd.run(kill_owner=seed % 2 == 1)
        [last] = Worker(check, folder, crowd.state.versions).rest()
        crowd.state.hear(last)
        changes, searches = changes + crowd.state.acknowledged, searches + crowd.searches
        owners += len(crowd.owners)
    torture_report(
        f"{kept_in.backend}: {runs} runs of six processes, the owner of the indexes killed in {runs // 2} of them:"
        f" {changes} changes acknowledged, none lost; {searches} searches beside them, none failed; {owners} owners one"
        " after another"
    )

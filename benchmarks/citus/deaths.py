"""A worker that is killed while documents are added and while they are searched, and one that is added."""

import asyncio
import itertools
import random
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

from benchmarks.citus.cluster import Cluster, Server
from rag.library import Library
from tests.fakes.torture import document, faults, opened, put_into_postgres
from utils.errors import LibraryError

PARTS = 2
TOLD_WITHIN = 60
"""Seconds after which what a library says of a worker that is away is waited for no longer."""


async def kill_while_adding(cluster: Cluster, folder: Path, kills: int) -> None:
    """Kill a worker at random moments while two libraries add documents; all that was acknowledged has to be there."""
    machines = await _machines(cluster, folder)
    rng, told, acknowledged = random.Random(1), set[str](), list[str]()
    for turn in range(kills):
        worker = rng.choice(cluster.servers[1:])
        writing = [
            asyncio.create_task(_write(one, f"t{turn}m{number}", acknowledged)) for number, one in enumerate(machines)
        ]
        while len(acknowledged) < 20 * (turn + 1):
            await asyncio.sleep(0.005)
        await asyncio.sleep(rng.uniform(0, 0.3))
        worker.kill()
        told |= {await task for task in writing}
        await asyncio.to_thread(worker.start)
    wrong = [fault for one in machines for name in acknowledged for fault in await faults(one, name, 2)]
    found = (await machines[0].examine()).findings
    await _report_adding(machines, kills, acknowledged, wrong, found)
    print("  told: " + "\n        ".join(sorted(told)))
    for one in machines:
        await one.close()


async def _report_adding(
    machines: list[Library], kills: int, acknowledged: list[str], wrong: list[str], found: object
) -> None:
    stats = await machines[0].stats()
    print(
        f"a worker killed {kills} times while two machines add: {len(acknowledged)} documents acknowledged,"
        f" {stats.documents} there, of those acknowledged wrong: {wrong or 'none'}; found by the doctor:"
        f" {found or 'nothing'}",
        flush=True,
    )


async def _machines(cluster: Cluster, folder: Path) -> list[Library]:
    """Two, each with its own indexes."""
    machines = list[Library]()
    for name in ("here", "there"):
        place = folder / name
        place.mkdir(exist_ok=True)
        put_into_postgres(place, cluster.coordinator.address)
        machines.append(await opened(place))
    return machines


async def _write(library: Library, name: str, acknowledged: list[str]) -> str:
    """Add documents until that fails; what is said then."""
    for number in itertools.count():
        try:
            await library.add(document(f"{name}n{number}", 2))
        except LibraryError as error:
            return str(error)
        acknowledged.append(f"{name}n{number}")
    raise AssertionError


async def kill_while_searching(cluster: Cluster, folder: Path, kills: int) -> None:
    """Kill a worker while a library is searched: how long it takes until that is told, and until it goes on."""
    here, there = await _machines(cluster, folder)
    told, before, after, silent = set[str](), list[float](), list[float](), 0
    for turn in range(kills):
        worker: Server = cluster.servers[1 + turn % 2]
        for _ in range(5):
            await here.search("t0m0n1v000002p1")
        worker.kill()
        killed = time.monotonic()
        while time.monotonic() < killed + TOLD_WITHIN:
            try:
                await here.search(f"t0m0n{random.randint(0, 9)}v000002p1")
            except LibraryError as error:
                told.add(str(error))
                before.append(time.monotonic() - killed)
                break
        else:
            silent += 1
        await asyncio.to_thread(worker.start)
        revived = time.monotonic()
        while True:
            with suppress(LibraryError):
                if await here.search("t0m0n1v000002p1"):
                    break
        after.append(time.monotonic() - revived)
    print(
        f"a worker killed {kills} times while it is searched: told after {_range(before)}, {silent} times not within"
        f" {TOLD_WITHIN} s; searches answer again {_range(after)} after it is back",
        flush=True,
    )
    print("  told: " + "\n        ".join(sorted(told)))
    for one in (here, there):
        await one.close()


def _range(seconds: list[float]) -> str:
    return f"{min(seconds):.2f} to {max(seconds):.2f} s" if seconds else "never"


async def add_third_worker(cluster: Cluster, folder: Path) -> None:
    """Add a worker and move shards to it while one machine adds and the other one searches."""
    here, there = await _machines(cluster, folder)
    before = cluster.shards()
    worker = await asyncio.to_thread(cluster.add_worker)
    moving = asyncio.create_task(asyncio.to_thread(_rebalance, cluster))
    added, told, times = list[str](), list[str](), list[float]()

    async def add(number: int) -> None:
        await here.add(document(f"moved{number}", 2))
        added.append(f"moved{number}")

    async def search(number: int) -> None:
        began = time.monotonic()
        await there.search(f"t0m0n{number % 9}v000002p1")
        times.append(time.monotonic() - began)

    await asyncio.gather(_repeat(add, moving, told), _repeat(search, moving, told))
    seconds = await moving
    wrong = [fault for one in (here, there) for name in added for fault in await faults(one, name, 2)]
    print(
        f"a third worker: {before} shards by port became {cluster.shards()} in {seconds:.1f} s (the new one is"
        f" {worker.port}); meanwhile {len(added)} documents added, wrong of them: {wrong or 'none'}; {len(times)}"
        f" searches, the slowest {max(times, default=0):.2f} s; failed: {sorted(set(told)) or 'nothing'}",
        flush=True,
    )
    for one in (here, there):
        await one.close()


def _rebalance(cluster: Cluster) -> float:
    began = time.monotonic()
    cluster.coordinator.execute("SELECT rebalance_table_shards()")
    return time.monotonic() - began


async def _repeat(step: Callable[[int], Awaitable[None]], moving: "asyncio.Task[float]", told: list[str]) -> None:
    """Do it until the shards are moved, and note what failed."""
    for number in itertools.count():
        if moving.done():
            return
        try:
            await step(number)
        except LibraryError as error:
            told.append(str(error))

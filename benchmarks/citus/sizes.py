"""How fast a library of generated chunks and vectors is put in and searched, and how large it is."""

import asyncio
import multiprocessing
import os
import time
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor

import numpy as np

from benchmarks.citus.cluster import Server
from benchmarks.citus.generated import (
    CHUNKS_OF_DOCUMENT,
    SETTINGS,
    Done,
    drop_index,
    kept_chunks,
    make_index,
    put_in,
    search,
)
from benchmarks.speed import MODES
from rag.postgres.backend import PostgresBackend
from rag.search.search import Mode
from utils.network.offline import OfflineSwitch

WRITERS, READERS, PROCESSES_OF_READERS = 4, 16, 4
ALONE = 500
"""Documents that one writer puts in alone, before the others."""
LISTENING = 30.0
"""Seconds that searches of a kind are measured for."""
FOREVER = 1e6


def measure(name: str, entry: Server, servers: Sequence[Server], sizes: Sequence[int], minutes: float) -> None:
    """Print what was measured on these servers, at each of the sizes, or at what was put in within the minutes."""
    os.environ["MAGPIE_POSTGRES_URL"] = entry.address
    # Each in a process of its own, whose memory is its own.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(WRITERS + PROCESSES_OF_READERS, context, max_tasks_per_child=1) as processes:
        measured = Measured(servers, processes)
        print(name, flush=True)
        measured.put_in(0, ALONE, 1, FOREVER)
        done = ALONE
        for size in sizes:
            documents = size // CHUNKS_OF_DOCUMENT
            drop_index()
            measured.put_in(done, documents - done, WRITERS, minutes * 60)
            done = documents
            measured.look_after(kept_chunks())
            for mode in MODES:
                for readers in (1, READERS):
                    measured.search(mode, readers)
            measured.crowd(10 * documents)


class Measured:
    """Servers on which is measured."""

    def __init__(self, servers: Sequence[Server], processes: ProcessPoolExecutor) -> None:
        self._servers = servers
        self._processes = processes

    def put_in(self, first: int, documents: int, writers: int, seconds: float) -> None:
        """Put in so many documents from a number on."""
        share, before = documents // writers, self._work()
        writing = [self._processes.submit(put_in, first + n * share, share, seconds) for n in range(writers)]
        self._tell_writers(writing, before)

    def look_after(self, chunks: int) -> None:
        """Make the index of the vectors; tell sizes."""
        self._tell_size(chunks)
        before, spent = self._work(), asyncio.run(make_index())
        print(f"  HNSW made in {spent:,.0f} s, {self._work() - before:,.0f} s of a processor", flush=True)
        self._tell_size(chunks)

    def search(self, mode: Mode, readers: int) -> None:
        """Search with so many at once."""
        before = self._work()
        reading = self._begin_searches(mode, readers, LISTENING)
        self._tell_readers(mode, readers, reading, before)

    def crowd(self, first: int) -> None:
        """Writers and readers at once."""
        print("  writers and readers at once:", flush=True)
        many, seconds = 10**6, 2 * LISTENING
        writing = [self._processes.submit(put_in, first + n * many, many, seconds) for n in range(WRITERS)]
        reading = self._begin_searches("hybrid", READERS, seconds)
        self._tell_writers(writing)
        self._tell_readers("hybrid", READERS, reading)

    def _begin_searches(self, mode: Mode, readers: int, seconds: float) -> list[Future[Done]]:
        count = min(readers, PROCESSES_OF_READERS)
        return [self._processes.submit(search, mode, readers // count, n, seconds) for n in range(count)]

    def _work(self) -> float:
        return sum(server.work_seconds() for server in self._servers)

    def _tell_writers(self, writing: Sequence[Future[Done]], before: float | None = None) -> None:
        done = [each.result() for each in writing]
        chunks = sum(each.chunks for each in done)
        seconds = max(sum(each.seconds) for each in done)
        print(
            f"  {chunks:,} chunks put in by {len(done)} writers: {chunks / seconds:,.0f} a second"
            f"{self._tell_work(done, before, chunks)}",
            flush=True,
        )

    def _tell_readers(
        self, mode: Mode, readers: int, reading: Sequence[Future[Done]], before: float | None = None
    ) -> None:
        done = [each.result() for each in reading]
        spent = np.array([seconds for each in done for seconds in each.seconds])
        p50, p95 = np.quantile(spent, [0.5, 0.95]) * 1000
        print(
            f"  {mode}, {readers} readers in {len(done)} processes: {p50:,.0f} ms (p50), {p95:,.0f} ms (p95),"
            f" {readers * len(spent) / spent.sum():,.1f} a second{self._tell_work(done, before, len(spent))}"
            f" ({len(spent):,} searches)",
            flush=True,
        )

    def _tell_work(self, done: Sequence[Done], before: float | None, count: int) -> str:
        """Memory, and what each of so many took of a processor: other programs do not change that."""
        told = f", memory of a Magpie at most {max(each.megabytes for each in done):,.0f} MB"
        if before is None:
            return told
        here, there = sum(each.work for each in done), self._work() - before
        return (
            f"{told}; each took {here / count * 1000:.2f} ms of a processor here and {there / count * 1000:.2f} there"
        )

    def _tell_size(self, chunks: int) -> None:
        """Of the tables with their indexes, and of the servers' files but their logs."""
        backend = PostgresBackend(SETTINGS, OfflineSwitch())
        size = backend.size() / chunks
        backend.close()
        files = [sum(file.stat().st_size for file in (server.folder / "base").rglob("*")) for server in self._servers]
        told = ", ".join(f"{one / 1e6:,.0f}" for one in files)
        moment = time.strftime("%H:%M")
        print(f"  {moment}: {chunks:,} chunks, {size:,.0f} bytes a chunk; files of the servers, MB: {told}", flush=True)

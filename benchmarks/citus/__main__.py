"""Run the library over Citus: its tests, a worker that is killed, a worker that is added, and how fast it is.

    python -m benchmarks.citus ~/citus ~/pgvector --chunks 100000 1000000

The two folders are the sources of Citus 13 and pgvector; nothing is downloaded. Debian's postgresql-15 and
postgresql-server-dev-15 have to be installed, with what ./configure of Citus asks for. What is built is installed for
that PostgreSQL: as root, or by whoever may write there. `--built` leaves that out. The servers run on loopback, as
`--user` where root starts them, and are gone afterwards.
"""

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.citus.cluster import Server, build, own_folder, running_cluster
from benchmarks.citus.deaths import add_third_worker, kill_while_adding, kill_while_searching
from benchmarks.citus.sizes import measure
from tests.fakes.postgres import SERVER_VARIABLE

SUITE = (
    "tests/rag/postgres",
    "tests/rag/records",
    "tests/rag/chunking/test_kept_shape.py",
    "tests/rag/search/test_exact_words.py",
    "tests/rag/search/test_filters.py",
    "tests/rag/test_catalogue.py",
    "tests/rag/test_library.py",
    "tests/rag/test_model_change.py",
    "tests/rag/test_torture.py",
    "tests/chatbot/frontends/test_library_copying.py",
)
# A library of an older form was never on Citus.
NOT_THERE = "not sqlite and not older_library"


def run_suite(address: str) -> None:
    """The tests of the library on a database."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *SUITE, "-k", NOT_THERE]
    subprocess.run(command, check=False, env={**os.environ, SERVER_VARIABLE: address})


async def run_deaths(user: str, kills: int) -> None:
    """Workers that are killed, and one that is added, each said in a line."""
    with running_cluster(user) as cluster, tempfile.TemporaryDirectory() as folder:
        await kill_while_adding(cluster, Path(folder), kills)
        await kill_while_searching(cluster, Path(folder), kills)
        await add_third_worker(cluster, Path(folder))


def measure_alone(user: str, sizes: Sequence[int], minutes: float) -> None:
    """A library of so many chunks on one server without Citus."""
    with own_folder(user) as folder:
        alone = Server(folder / "alone", user, citus=False)
        try:
            measure("one server", alone, [alone], sizes, minutes)
        finally:
            alone.stop()


def measure_spread(user: str, sizes: Sequence[int], minutes: float) -> None:
    """The same on a coordinator with two workers."""
    with running_cluster(user) as cluster:
        measure("coordinator and two workers", cluster.coordinator, cluster.servers, sizes, minutes)


def main() -> None:
    """Run what is asked for, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("citus", type=Path)
    parser.add_argument("pgvector", type=Path)
    parser.add_argument("--built", action="store_true", help="both are installed already")
    parser.add_argument("--user", default="postgres", help="runs the servers where root starts this")
    parser.add_argument("--only", choices=("suite", "deaths", "alone", "spread"))
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--chunks", type=int, nargs="+", default=[100_000, 1_000_000], help="generated, with vectors")
    parser.add_argument("--minutes", type=float, default=600.0, help="for putting in those of one size, at most")
    asked = parser.parse_args()
    if not asked.built:
        build(asked.citus.resolve(), asked.pgvector.resolve())
    if asked.only in (None, "suite"):
        with running_cluster(asked.user) as cluster:
            run_suite(cluster.coordinator.address)
    if asked.only in (None, "deaths"):
        asyncio.run(run_deaths(asked.user, asked.kills))
    if asked.only in (None, "alone"):
        measure_alone(asked.user, asked.chunks, asked.minutes)
    if asked.only in (None, "spread"):
        measure_spread(asked.user, asked.chunks, asked.minutes)


if __name__ == "__main__":
    main()

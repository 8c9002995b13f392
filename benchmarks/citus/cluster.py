"""A coordinator and workers of Citus on loopback, built from the sources of Citus and pgvector."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg

PROGRAMS = Path("/usr/lib/postgresql/15/bin")
"""Debian's PostgreSQL 15."""
SHARDS = 8
# Nobody but who measures is on these servers, which listen on loopback and are gone afterwards.
_OPTIONS = {
    "listen_addresses": "127.0.0.1",
    "max_connections": "200",
    "max_prepared_transactions": "200",
    "wal_level": "logical",
    "shared_buffers": "1GB",
    # The graph of a million vectors has room in it.
    "maintenance_work_mem": "3500MB",
    "max_wal_size": "4GB",
    "checkpoint_timeout": "15min",
    "citus.shard_count": str(SHARDS),
    "citus.node_conninfo": "sslmode=disable",
}


def build(citus: Path, pgvector: Path) -> None:
    """Build both from their sources, which are configured here, and install them for PostgreSQL 15."""
    config = f"PG_CONFIG={PROGRAMS / 'pg_config'}"
    steps = (
        (citus, ["./configure", config, "--without-libcurl"]),
        # Without what a compiler at run time would read: it takes as long again.
        (citus, ["make", "-s", "-j2", "with_llvm=no", "extension"]),
        (citus, ["make", "-s", "with_llvm=no", "install-extension"]),
        (pgvector, ["make", "-s", "with_llvm=no", "OPTFLAGS=", config]),
        (pgvector, ["make", "-s", "with_llvm=no", "OPTFLAGS=", config, "install"]),
    )
    for folder, command in steps:
        subprocess.run(command, cwd=folder, check=True)


class Server:
    """One PostgreSQL, with Citus where it is one of several."""

    def __init__(self, folder: Path, user: str, *, citus: bool) -> None:
        self.folder = folder
        self._user = user
        folder.mkdir(mode=0o700)
        if self._runner:
            shutil.chown(folder, user)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.address = f"postgresql://{user}@127.0.0.1:{self.port}/magpie"
        command = [PROGRAMS / "initdb", "-D", folder, "-A", "trust", "-U", user, "-E", "UTF8", "--locale=C.UTF-8"]
        subprocess.run(command, check=True, user=self._runner, cwd=folder, stdout=subprocess.DEVNULL)
        options = {**_OPTIONS, "port": str(self.port), "unix_socket_directories": str(folder)}
        if citus:
            # Of several shards at once: with as much for each, a worker went down.
            options |= {"shared_preload_libraries": "citus", "maintenance_work_mem": "700MB"}
        else:
            options = {name: value for name, value in options.items() if not name.startswith("citus.")}
        with (folder / "postgresql.conf").open("a") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in options.items())
        self.start()
        self.execute("CREATE DATABASE magpie", database="postgres")
        if citus:
            self.execute("CREATE EXTENSION citus")
        self.execute("CREATE EXTENSION vector")

    @property
    def _runner(self) -> str | None:
        """PostgreSQL does not run as root."""
        return self._user if os.geteuid() == 0 else None

    def start(self) -> None:
        """Start it, or start it again."""
        with (self.folder / "server.log").open("a") as log:
            # A child of this process, which sees its end: what is dead and still listed would be in its own way.
            self._process = subprocess.Popen(
                [PROGRAMS / "postgres", "-D", self.folder], user=self._runner, cwd=self.folder, stdout=log, stderr=log
            )
        ready = [PROGRAMS / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        while subprocess.run(ready, check=False).returncode:
            if self._process.poll() is not None:
                raise RuntimeError(f"the server in {self.folder} did not start: see its server.log")
            time.sleep(0.1)

    def kill(self) -> None:
        """Kill it as a machine does that loses its power."""
        for each in (self._process.pid, *self._children()):
            with suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)
        self._process.wait()

    def stop(self) -> None:
        """Stop it at once."""
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait()

    def work_seconds(self) -> float:
        """Seconds of a processor that it has used, those of its connections among them."""
        own, *children = [self._process.pid, *self._children()]
        ticks = sum(sum(_ticks(pid)[:2]) for pid in children) + sum(_ticks(own))
        return ticks / os.sysconf("SC_CLK_TCK")

    def _children(self) -> list[int]:
        command = ["pgrep", "-P", str(self._process.pid)]
        found = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        return [int(pid) for pid in found.split()]

    def execute(
        self, statement: str, values: Sequence[object] = (), *, database: str = "magpie"
    ) -> list[tuple[object]]:
        """The rows of a statement, if it has any."""
        address = psycopg.conninfo.make_conninfo(self.address, dbname=database)
        with psycopg.connect(address, autocommit=True) as connection:
            cursor = connection.execute(statement.encode(), values)
            return cursor.fetchall() if cursor.description else []


def _ticks(pid: int) -> list[int]:
    """What a process has used in its own code and in the kernel, then what those have that ended; none of one gone."""
    try:
        told = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:
        return [0]
    return [int(number) for number in told[11:15]]


class Cluster:
    """A coordinator, which has no shards, and workers, which have them."""

    def __init__(self, folder: Path, user: str, workers: int) -> None:
        self._folder = folder
        self._user = user
        self.servers = [self._begin("coordinator")]
        self.coordinator = self.servers[0]
        self.coordinator.execute("SELECT citus_set_coordinator_host('127.0.0.1', %s)", (self.coordinator.port,))
        for _ in range(workers):
            self.add_worker()

    def _begin(self, name: str) -> Server:
        return Server(self._folder / name, self._user, citus=True)

    def add_worker(self) -> Server:
        """One more, without shards yet."""
        worker = self._begin(f"worker-{len(self.servers)}")
        self.servers.append(worker)
        self.coordinator.execute("SELECT citus_add_node('127.0.0.1', %s)", (worker.port,))
        return worker

    def shards(self) -> dict[int, int]:
        """How many shards each server has, by its port."""
        query = "SELECT nodeport, count(*) FROM citus_shards WHERE citus_table_type = 'distributed' GROUP BY 1"
        return dict(self.coordinator.execute(query))  # type: ignore[arg-type]


@contextmanager
def own_folder(user: str) -> Iterator[Path]:
    """A folder that the user of the servers can get to."""
    folder = Path(tempfile.mkdtemp(prefix="magpie-citus-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def running_cluster(user: str, workers: int = 2) -> Iterator[Cluster]:
    """A cluster that is gone afterwards."""
    with own_folder(user) as folder:
        cluster = Cluster(folder, user, workers)
        try:
            yield cluster
        finally:
            for server in cluster.servers:
                server.stop()

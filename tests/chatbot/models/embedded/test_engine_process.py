"""The keeper of an engine without the engine: who has the key gets a lease, whoever else connects."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from chatbot.models.embedded.engine_process import STRANGERS, WELCOME

FILES = STRANGERS * 2
KEEPER = f"""
import resource, socket, sys
from chatbot.models.embedded.engine_process import LeaseKeeper
resource.setrlimit(resource.RLIMIT_NOFILE, ({FILES}, {FILES}))
LeaseKeeper(socket.socket(fileno=int(sys.argv[1])), "key", int(sys.argv[2])).keep_leases()
"""


@pytest.fixture
def keeper() -> Iterator[tuple[int, int]]:
    """The port of a keeper in a process of its own that may open few files, and where its server tells what it is."""
    told, status = os.pipe()
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        handed = (listener.fileno(), told)
        process = subprocess.Popen(
            [sys.executable, "-c", KEEPER, *map(str, handed)], pass_fds=handed, cwd=Path.cwd(), stderr=subprocess.PIPE
        )
        port = listener.getsockname()[1]
    os.close(told)
    with process:
        yield port, status
        os.close(status)
        assert process.wait(30) == 0
        assert process.stderr and b"Traceback" not in process.stderr.read()


def connect(port: int, said: bytes = b"") -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=30)
    connection.sendall(said)
    return connection


def test_whoever_connects_no_lease_ends_and_who_has_the_key_gets_one(keeper: tuple[int, int]) -> None:
    port, status = keeper
    with ExitStack() as open_ones:
        lease = open_ones.enter_context(connect(port, b"key\n"))
        assert lease.recv(len(WELCOME), socket.MSG_WAITALL) == WELCOME
        for number in range(FILES * 5):
            open_ones.enter_context(connect(port, b"gu" if number % 2 else b""))
        late = open_ones.enter_context(connect(port, b"key\n"))
        assert late.recv(len(WELCOME), socket.MSG_WAITALL) == WELCOME
        os.write(status, b"ready\n")
        assert [one.recv(6, socket.MSG_WAITALL) for one in (lease, late)] == [b"ready\n"] * 2


def test_leases_past_what_may_be_opened_end_none_of_those_that_are_there(keeper: tuple[int, int]) -> None:
    port, status = keeper
    with ExitStack() as open_ones:
        leases = [open_ones.enter_context(connect(port, b"key\n")) for _ in range(FILES)]
        assert leases[0].recv(len(WELCOME), socket.MSG_WAITALL) == WELCOME
        os.write(status, b"ready\n")
        assert leases[0].recv(6, socket.MSG_WAITALL) == b"ready\n"
        leases.pop().close()

"""The engine's own process: llama.cpp's server, and a keeper beside it that ends it when nobody is connected any more.

Two processes: the server loads weights and answers over HTTP on loopback; the keeper holds the clients' leases, because
nothing written in Python runs in the server's process while it loads. A lease is a connection to the listening socket
that the starter hands over: the client sends the key and a newline, is told `WELCOME` at once and `{"port": N}` in one
line as soon as the server answers. A lease that ends tells either side that the other is gone.

Imports nothing of Magpie but `utils.platform`; standard input brings the `EngineOrder` as JSON.
"""

import contextlib
import hmac
import json
import os
import selectors
import signal
import socket
import sys
import threading
import time
from dataclasses import dataclass
from typing import Any, NoReturn
from urllib.parse import urlsplit

from utils.platform import die_with_parent, spare_cores

GRACE_SECONDS = 8.0
"""How long the engine stays without a client, so that two commands in a row load the weights once."""
KEY_LIMIT = 256
STRANGERS = 32
"""Connections that may wait without having sent the key: any user of the machine can make some."""
PAUSE_SECONDS = 0.1
WELCOME = b"welcome\n"
SLOTS = 2
"""Prompts kept evaluated at once: the chat's and a side request's. The rest is kept in `CACHE_MIB`."""
CACHE_MIB = 256
BATCH_TOKENS = 64
"""Tokens read between two looks at the connection: a reply stops within a second, for 5 % of the speed (measured)."""


@dataclass(frozen=True)
class EngineOrder:
    """What an engine is to run; `key` must come with each request and lease, `listener` is a file descriptor."""

    model: str
    window: int
    threads: int
    states: str
    """Folder of saved prompt states."""
    key: str
    listener: int


def run_engine() -> None:
    """Become a process of nobody's, start the server and keep it as long as it is wanted."""
    order = EngineOrder(**json.load(sys.stdin))
    if os.fork():
        os._exit(0)  # the starter waits for this one, so that no finished engine is left for it to collect
    os.setsid()
    status_in, status_out = os.pipe()
    alive_in, alive_out = os.pipe()
    server = os.fork()
    if not server:
        os.close(alive_out)
        os.close(status_in)
        os.close(order.listener)
        serve_model(order, status_out, alive_in)
    os.close(alive_in)
    os.close(status_out)
    try:
        LeaseKeeper(socket.socket(fileno=order.listener), order.key, status_in).keep_leases()
    finally:
        os.kill(server, signal.SIGKILL)
        os.waitpid(server, 0)


def serve_model(order: EngineOrder, status: int, alive: int) -> NoReturn:
    """Load the weights and answer until the keeper is gone; never returns."""
    die_with_parent()
    threading.Thread(target=_exit_at_end_of, args=(alive,), daemon=True).start()
    server = start_server(order)
    line = json.dumps({"port": urlsplit(server.listening_address).port})
    os.write(status, line.encode() + b"\n")
    while True:
        time.sleep(3600)


def start_server(order: EngineOrder) -> Any:
    """llama.cpp's HTTP server, loaded and listening on a free port of the loopback interface.

    Where it cannot, what it raises ends the process: the log has it, the clients see their leases end.
    """
    spare_cores()
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = order.model
    params.n_ctx = order.window * SLOTS
    params.n_parallel = SLOTS
    params.n_batch = params.n_ubatch = BATCH_TOKENS
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = order.threads
    params.cache_ram_mib = CACHE_MIB
    params.slot_save_path = order.states + os.sep
    params.api_keys = [order.key]
    params.ui = False
    params.verbosity = 0
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    return xllamacpp.Server(params)


def _exit_at_end_of(pipe: int) -> None:
    os.read(pipe, 1)
    os._exit(0)


class LeaseKeeper:
    """Holds the leases and passes on what the server says of itself."""

    def __init__(self, listener: socket.socket, key: str, status: int) -> None:
        self._listener = listener
        self._key = key.encode()
        self._pipe = status
        self._status = b""
        self._strangers: dict[socket.socket, bytes] = {}
        self._leases: set[socket.socket] = set()
        self._selector = selectors.DefaultSelector()
        self._selector.register(listener, selectors.EVENT_READ)
        self._selector.register(status, selectors.EVENT_READ)

    def keep_leases(self) -> None:
        """Return when the server has ended or nobody held a lease for `GRACE_SECONDS`."""
        wanted = time.monotonic()
        while time.monotonic() - wanted < GRACE_SECONDS:
            for ready, _ in self._selector.select(timeout=1):
                if ready.fileobj is self._listener:
                    self._accept_client()
                elif ready.fileobj == self._pipe:
                    if not self._hear_server():
                        return
                elif isinstance(ready.fileobj, socket.socket):
                    self._hear_client(ready.fileobj)
            if self._leases:
                wanted = time.monotonic()

    def _accept_client(self) -> None:
        """Take a connection in; of too many strangers the oldest goes, for who has the key is quick."""
        if len(self._strangers) >= STRANGERS:
            self._drop_client(next(iter(self._strangers)))
        try:
            client, _ = self._listener.accept()
        except OSError as error:
            # It was taken back, or the machine has no more files to open: no reason to let the others go.
            sys.stderr.write(f"A connection could not be taken in: {error}\n")
            time.sleep(PAUSE_SECONDS)
            return
        client.setblocking(False)
        self._strangers[client] = b""
        self._selector.register(client, selectors.EVENT_READ)

    def _hear_server(self) -> bool:
        """Pass the server's status on; False at its end."""
        told = os.read(self._pipe, 65536)
        self._status += told
        for client in list(self._leases):
            self._tell_client(client, told)
        return bool(told)

    def _hear_client(self, client: socket.socket) -> None:
        if client.fileno() < 0:
            return  # dropped a moment ago
        try:
            data = client.recv(KEY_LIMIT)
        except OSError:
            data = b""
        if not data:
            self._drop_client(client)
        elif client in self._strangers:
            self._strangers[client] += data
            self._check_key(client)

    def _check_key(self, client: socket.socket) -> None:
        said = self._strangers[client]
        if b"\n" not in said and len(said) < KEY_LIMIT:
            return
        if not hmac.compare_digest(said.split(b"\n")[0], self._key):
            self._drop_client(client)
            return
        del self._strangers[client]
        self._leases.add(client)
        self._tell_client(client, WELCOME + self._status)

    def _tell_client(self, client: socket.socket, line: bytes) -> None:
        with contextlib.suppress(OSError):  # a client that is gone shows up as readable
            client.sendall(line)

    def _drop_client(self, client: socket.socket) -> None:
        self._selector.unregister(client)
        self._strangers.pop(client, None)
        self._leases.discard(client)
        client.close()


if __name__ == "__main__":
    run_engine()

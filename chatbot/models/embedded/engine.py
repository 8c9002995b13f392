"""The embedded engine as its clients see it: started when it is not there, shared, and noticed when it dies.

What runs in the engine's own process is in `engine_process.py`.
"""

import asyncio
import hashlib
import json
import os
import secrets
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from filelock import FileLock

from chatbot.models.embedded.engine_process import WELCOME, EngineOrder
from chatbot.models.embedded.engine_timeout import LOAD_SECONDS
from utils.children import child_environment
from utils.errors import FileUnreadable, ModelUnavailable
from utils.files import read_json
from utils.paths import CODE_FOLDER, private_dir, write_private
from utils.platform import available_memory

ENGINE_START_SECONDS = 30.0
"""How long a fresh Python may take to hand over to the engine."""
WELCOME_SECONDS = 5.0
LOG_LIMIT = 1 << 20
WORK_BYTES = 300 << 20
"""Memory beside a copy of the weights. Measured with 8,192 tokens: the 1.5B takes 1.1 GB beside its mapped file of
1.1 GB, whose pages the kernel can take back; the 0.5B 645 MB with its file."""


@dataclass(frozen=True)
class EngineSpec:
    """What an engine runs. Two specs that differ have engines of their own."""

    model: Path
    digest: str
    """What tells these weights from others."""
    window: int
    threads: int

    @property
    def name(self) -> str:
        """Short digest of all that an engine or a saved prompt state depends on."""
        parts = (self.digest, self.window, self.threads, version("xllamacpp"), _code_digest())
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class EngineAddress:
    """Where an engine answers, and the key that it wants."""

    url: str
    key: str


class EngineShare:
    """A share in a running engine: one lease, taken when first asked for and again after the engine died."""

    def __init__(self, folder: Path, spec: EngineSpec) -> None:
        self.folder = folder
        self.spec = spec
        self._state = folder / f"{spec.name}.json"
        self._log = folder / f"{spec.name}.log"
        self._lease: socket.socket | None = None
        self._address: EngineAddress | None = None
        self._starting = asyncio.Lock()

    @property
    def states_folder(self) -> Path:
        """Folder of saved prompt states."""
        return self.folder / "states"

    async def connect_engine(self) -> EngineAddress:
        """Where the engine answers; starts it when none runs. Raises `ModelUnavailable`."""
        async with self._starting:
            if not self._address or not self._is_alive():
                self.release_lease()
                self._lease, key = await _in_thread(self._take_lease)
                self._address = EngineAddress(await self._wait_until_loaded(), key)
            return self._address

    def release_lease(self) -> None:
        """Let the engine go; it ends by itself when this was its last client."""
        if self._lease:
            self._lease.close()
        self._lease = self._address = None

    async def forget_engine(self) -> None:
        """Let go of an engine that broke off, as soon as its keeper has seen that it is gone and ended, too."""
        loop = asyncio.get_running_loop()
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(WELCOME_SECONDS):
                while self._lease and await loop.sock_recv(self._lease, 4096):
                    pass
        self.release_lease()

    def _is_alive(self) -> bool:
        if not self._lease:
            return False
        try:
            return self._lease.recv(1) != b""
        except BlockingIOError:
            return True
        except OSError:
            return False

    async def _wait_until_loaded(self) -> str:
        """URL of the server behind the lease."""
        assert self._lease
        loop = asyncio.get_running_loop()
        said = b""
        try:
            async with asyncio.timeout(LOAD_SECONDS):
                while not said.endswith(b"\n"):
                    piece = await loop.sock_recv(self._lease, 4096)
                    if not piece:
                        raise self._engine_failure("stopped while it loaded")
                    said += piece
        except TimeoutError as error:
            raise self._engine_failure(f"did not load within {LOAD_SECONDS:.0f} seconds") from error
        except OSError as error:
            raise self._engine_failure("stopped while it loaded") from error
        return f"http://127.0.0.1:{json.loads(said)['port']}"

    def _engine_failure(self, what: str) -> ModelUnavailable:
        self.release_lease()
        return ModelUnavailable(
            f"The engine for the model {self.spec.model.stem} {what}.",
            f"Its log says why: {self._log}. A smaller model (embedded.size, context_window) needs less memory.",
        )

    def _take_lease(self) -> tuple[socket.socket, str]:
        """A lease on the engine that runs, else on one that is started, and the engine's key; blocks."""
        try:
            private_dir(self.folder)
            private_dir(self.states_folder)
            with FileLock(self._state.with_suffix(".lock"), timeout=ENGINE_START_SECONDS * 2):
                return self._join_running() or self._start_engine()
        except OSError as error:
            raise ModelUnavailable(
                f"The engine for the model {self.spec.model.stem} cannot be started: {error.strerror or error}.",
                f"Make room in {self.folder}, or see that it can be written.",
            ) from error

    def _join_running(self) -> tuple[socket.socket, str] | None:
        try:
            state = read_json(self._state)
            return _open_lease(int(state["port"]), str(state["key"])), str(state["key"])
        except (FileUnreadable, OSError, ValueError, TypeError, KeyError):
            return None

    def _start_engine(self) -> tuple[socket.socket, str]:
        self._require_memory()
        key = secrets.token_hex(32)
        with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
            spec = self.spec
            order = EngineOrder(
                str(spec.model), spec.window, spec.threads, str(self.states_folder), key, listener.fileno()
            )
            self._spawn_process(order)
            port = listener.getsockname()[1]
        write_private(self._state, json.dumps({"port": port, "key": key}))
        try:
            return _open_lease(port, key), key
        except OSError as error:
            # It was started, and gave up before anybody could ask it for anything.
            raise self._engine_failure("stopped while it loaded") from error

    def _spawn_process(self, order: EngineOrder) -> None:
        """Start the process that becomes the engine and let go of it."""
        if self._log.exists() and self._log.stat().st_size > LOG_LIMIT:
            self._log.unlink()
        with os.fdopen(os.open(self._log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "wb") as log:
            try:
                subprocess.run(
                    # The folder says in a list of processes whose engine this is.
                    [sys.executable, "-P", "-m", "chatbot.models.embedded.engine_process", str(self.folder)],
                    input=json.dumps(asdict(order)).encode(),
                    stdout=log,
                    stderr=log,
                    pass_fds=[order.listener],
                    env=child_environment(str(CODE_FOLDER), {}),
                    cwd=self.folder,
                    start_new_session=True,
                    timeout=ENGINE_START_SECONDS,
                    check=True,
                )
            except (OSError, subprocess.SubprocessError) as error:
                raise self._engine_failure("could not be started") from error

    def _require_memory(self) -> None:
        """Say it in words before llama.cpp or the kernel does."""
        free = available_memory()
        needed = self.spec.model.stat().st_size + WORK_BYTES
        if free is not None and free < needed:
            raise ModelUnavailable(
                f"The model {self.spec.model.stem} needs about {needed / 1e9:.1f} GB of memory, "
                f"and {free / 1e9:.1f} GB are free.",
                "Close other programs, or choose a smaller model (embedded.size).",
            )


def _code_digest() -> str:
    """Digest of the engine's own code: a newer Magpie does not talk to an older one's engine."""
    return hashlib.sha256(Path(__file__).with_name("engine_process.py").read_bytes()).hexdigest()


def _open_lease(port: int, key: str) -> socket.socket:
    """A lease, welcomed by the engine; raises `OSError` where there is no engine that knows the key."""
    lease = socket.create_connection(("127.0.0.1", port), timeout=WELCOME_SECONDS)
    try:
        lease.sendall(key.encode() + b"\n")
        if lease.recv(len(WELCOME), socket.MSG_WAITALL) != WELCOME:
            raise ConnectionError("no engine of ours")
        lease.setblocking(False)
    except OSError:
        lease.close()
        raise
    return lease


async def _in_thread(function: Callable[[], tuple[socket.socket, str]]) -> tuple[socket.socket, str]:
    """Run what opens a socket in a thread; when cancelled, the socket is closed as soon as it is there."""
    work = asyncio.ensure_future(asyncio.to_thread(function))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        work.add_done_callback(_close_result)
        raise


def _close_result(work: "asyncio.Future[Any]") -> None:
    if not work.cancelled() and not work.exception():
        work.result()[0].close()

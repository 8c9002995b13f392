"""Processes that start in some hundredths of a second, can be killed, and say what they do."""

import asyncio
import multiprocessing
import traceback
from collections.abc import Awaitable, Callable
from multiprocessing.connection import Connection
from typing import Any

# One process has imported what takes long; all others are forked from it, before any thread has begun there.
CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["chromadb", "rag.library", "tests.fakes.torture", "tests.fakes.talking"])

Say = Callable[[Any], None]
FAILED = "failed"


class Worker:
    """A process that runs `await work(say, *arguments)`; what it says comes here in order."""

    def __init__(self, work: Callable[..., Awaitable[None]], *arguments: Any) -> None:
        self.pipe, there = CONTEXT.Pipe(duplex=False)
        self._process = CONTEXT.Process(target=_run, args=(there, work, arguments), daemon=True)
        self._process.start()
        there.close()

    def hear(self) -> Any:
        """What it says next; raises `EOFError` at its end."""
        return self.pipe.recv()

    def rest(self) -> list[Any]:
        """All that it still says until its end."""
        said: list[Any] = []
        try:
            while True:
                said.append(self.hear())
        except EOFError:
            self._process.join()
            return said

    def kill(self) -> None:
        """End it at once, with SIGKILL."""
        self._process.kill()

    @property
    def exit_code(self) -> int | None:
        """Negative: the signal that ended it."""
        self._process.join()
        return self._process.exitcode


def _run(pipe: Connection, work: Callable[..., Awaitable[None]], arguments: tuple[Any, ...]) -> None:
    try:
        asyncio.run(work(pipe.send, *arguments))  # type: ignore[arg-type]
    except BaseException:
        pipe.send((FAILED, traceback.format_exc()))
        raise
    finally:
        pipe.close()

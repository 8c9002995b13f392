"""Ctrl-C while something goes into the library: the first press ends it after the current step, the second at once."""

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from chatbot.frontends.ending import handling_signals
from chatbot.frontends.library_cli.job import Job

INGEST_INTERRUPTED = 130  # 128 + SIGINT, as shells count


@contextmanager
def stop_on_interrupt(stop: Callable[[], None], job: Job, step: str) -> Iterator[list[int]]:
    """Let the first Ctrl-C end the work after the current step of it, and the second at once; collects them."""
    presses: list[int] = []
    task = asyncio.current_task()

    def note_interrupt() -> None:
        presses.append(signal.SIGINT)
        if len(presses) == 1:
            stop()
            job.print_aside(f"\nStopping after {step}; Ctrl-C again stops at once.")
        elif task is not None:
            task.cancel()

    with handling_signals(note_interrupt, signal.SIGINT):
        yield presses

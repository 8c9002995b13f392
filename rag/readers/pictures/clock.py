"""The processor time that is left for a file in the process in which files are read; what its children take counts."""

import math
import resource
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager


def seconds_left() -> float:
    """Processor time until this process is ended; infinite where nothing ends it."""
    return signal.getitimer(signal.ITIMER_PROF)[0] or math.inf


def seconds_used() -> float:
    """Processor time of this process so far, and of the children that it waited for."""
    return time.process_time() + _childrens_seconds()


@contextmanager
def charging_children() -> Iterator[None]:
    """Has what children take within count as what this process takes: the timer that ends it knows of them nothing.

    Where they took all that was left, this process is ended here.
    """
    before = _childrens_seconds()
    try:
        yield
    finally:
        left = seconds_left() - (_childrens_seconds() - before)
        if left <= 0:
            signal.raise_signal(signal.SIGPROF)
        elif left < math.inf:
            signal.setitimer(signal.ITIMER_PROF, left)


def _childrens_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime

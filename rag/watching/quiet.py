"""Waits until what changed is quiet: no file is read half-written, or taken for gone while an editor saves it anew."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from rag.watching.scan import FileSignature

QUIET = 0.5
"""Seconds without a change after which a file is read, or is taken to be gone."""
LONGEST_UNREST = 30.0
"""Seconds after which a file that is written to all the time is read as it stands."""


@dataclass
class Waiting:
    """A file that is not as it was known; `signature` None: it is not there."""

    signature: FileSignature | None
    since: float
    """When it was first seen so."""
    first: float
    """When it was first seen to be another."""


class QuietFiles:
    """The files that changed, until they have been as they are for a while."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._waiting: dict[str, Waiting] = {}

    @property
    def paths(self) -> Iterable[str]:
        """The files that wait."""
        return self._waiting.keys()

    def see(self, path: str, signature: FileSignature | None) -> None:
        """A file was seen, not as it was known."""
        now, waiting = self._clock(), self._waiting.get(path)
        if waiting is None:
            self._waiting[path] = Waiting(signature, now, now)
        elif waiting.signature != signature:
            waiting.signature, waiting.since = signature, now

    def forget(self, path: str) -> None:
        """A file is as it was known, after all, or was dealt with."""
        self._waiting.pop(path, None)

    def clear(self) -> None:
        """Forget all of them."""
        self._waiting.clear()

    def quiet_ones(self) -> dict[str, FileSignature | None]:
        """The files that may be read now, and those that are gone."""
        now, wall = self._clock(), time.time()
        return {path: one.signature for path, one in self._waiting.items() if _is_quiet(one, now, wall)}


def _is_quiet(one: Waiting, now: float, wall: float) -> bool:
    if now - one.since >= QUIET or now - one.first >= LONGEST_UNREST:
        return True
    return one.signature is not None and wall - one.signature.youngest >= QUIET

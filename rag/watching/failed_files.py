"""Files that could not be read as they are, and when each is tried again."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from rag.watching.scan import FileSignature

# Seconds until a file that could not be read is read once more, though it has not changed: the first time, from then on
# twice as long, and at most. What was in the way may be over, as is a machine that had too much to do.
FIRST_PAUSE, LONGEST_PAUSE = 60.0, 86_400.0


@dataclass(frozen=True)
class FailedFile:
    """A file that could not be read when it was so."""

    signature: FileSignature
    pause: float
    again: float
    """When it is tried again, by the clock."""


class FailedFiles:
    """The files of a folder that could not be read."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failures: dict[str, FailedFile] = {}

    def __len__(self) -> int:
        return len(self._failures)

    def __iter__(self) -> Iterator[str]:
        return iter(self._failures)

    def note(self, files: Mapping[str, FileSignature]) -> list[str]:
        """Files could not be read as they are; those of which that is news."""
        news = []
        for path, signature in files.items():
            known = self._find(path, signature)
            pause = min(2 * known.pause, LONGEST_PAUSE) if known else FIRST_PAUSE
            self._failures[path] = FailedFile(signature, pause, self._clock() + pause)
            if not known:
                news.append(path)
        return sorted(news)

    def forget(self, path: str) -> None:
        """A file was read, or is gone."""
        self._failures.pop(path, None)

    def is_left(self, path: str, signature: FileSignature) -> bool:
        """Whether a file is left alone for now: it is as it was when it could not be read."""
        known = self._find(path, signature)
        return known is not None and self._clock() < known.again

    def _find(self, path: str, signature: FileSignature) -> FailedFile | None:
        """The failure of a file that is as it was then."""
        known = self._failures.get(path)
        return known if known and known.signature == signature else None

"""The lock of the one process that may change the indexes in some folders; it dies with its holder."""

import logging
import threading
from collections.abc import Sequence
from pathlib import Path

import filelock

from utils.paths import private_dir

log = logging.getLogger(__name__)


class IndexLock:
    """Whoever holds it owns what lies in the folders; its methods may be called from any thread.

    `elsewhere` says whether another process held it when it was last asked for.
    """

    def __init__(self, path: Path, folders: Sequence[Path]) -> None:
        self.elsewhere = False
        self._path = path
        self._folders = folders
        self._lock = filelock.FileLock(path, thread_local=False)
        self._owning = threading.Lock()
        self._closed = False
        self._refused = False

    @property
    def held(self) -> bool:
        """Whether this process holds it."""
        return self._lock.is_locked

    def own(self) -> bool:
        """Whether this process holds it, from now on if nobody else does."""
        with self._owning:
            return self._lock.is_locked or (not self._closed and self._acquire())

    def release(self) -> None:
        """Leave it to others for good: a thread that is late must not take it again."""
        with self._owning:
            self._closed = True
            self._lock.release()

    def _acquire(self) -> bool:
        try:
            for folder in (self._path, *self._folders):
                private_dir(folder.parent)
            self._lock.acquire(timeout=0)
        except filelock.Timeout:
            self.elsewhere = True
            return False
        except (OSError, NotImplementedError) as error:
            # A full disk, or a folder that is only read: what is in memory answers.
            if not self._refused:
                log.warning("The indexes in %s cannot be owned: %s", self._path.parent, error)
            self._refused = True
            return False
        self.elsewhere = False
        return True

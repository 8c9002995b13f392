"""Which sessions this process is going on with: a lock for each, which dies with its holder."""

from contextlib import suppress
from pathlib import Path

import filelock

from utils.paths import private_dir
from utils.sqlite import MEMORY


class SessionLocks:
    """The locks that a process has for sessions of a file; in memory all sessions are its own."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._held: dict[str, filelock.BaseFileLock] = {}

    def take_lock(self, session: str, wait: float = 0) -> bool:
        """Whether this process has the session, from now on if nobody else does; raises `OSError`.

        Seconds to `wait` are for those who only look whether somebody has it.
        """
        if session in self._held or self._path == MEMORY:
            return True
        lock = lock_of(self._path, session)
        try:
            lock.acquire(timeout=wait, poll_interval=0.01)
        except filelock.Timeout:
            return False
        self._held[session] = lock
        return True

    def holds_lock(self, session: str) -> bool:
        """Whether this process has the session."""
        return session in self._held

    def is_elsewhere(self, session: str) -> bool:
        """Whether another living process has the session."""
        if session in self._held or self._path == MEMORY or not Path(lock_of(self._path, session).lock_file).exists():
            return False
        taken = self.take_lock(session)
        self.drop_lock(session)
        return not taken

    def drop_lock(self, session: str) -> None:
        """Leave the session to others."""
        lock = self._held.pop(session, None)
        if lock is not None:
            # Whoever waits for this file finds that it has no name any longer, and takes another.
            with suppress(OSError):
                Path(lock.lock_file).unlink()
            lock.release()

    def close(self) -> None:
        """Leave all sessions to others."""
        for session in list(self._held):
            self.drop_lock(session)


def lock_of(path: Path, name: str) -> filelock.BaseFileLock:
    """A lock of this name, in the folder of locks beside a file; raises `OSError`."""
    folder = private_dir(path.with_name(f"{path.name}.locks"))
    return filelock.FileLock(folder / f"{name}.lock", thread_local=False, mode=0o600)

"""Which sessions this process is going on with: a lock for each, which dies with its holder."""

from contextlib import suppress
from pathlib import Path

import filelock

from utils.paths import private_dir


class Claims:
    """The locks of a process, in a folder beside sessions.db."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: dict[str, filelock.BaseFileLock] = {}

    def take(self, session: str) -> bool:
        """Whether this process has the session, from now on if nobody else does; raises `OSError`."""
        if session in self._held:
            return True
        lock = filelock.FileLock(self._path(session), thread_local=False, mode=0o600)
        try:
            lock.acquire(timeout=0)
        except filelock.Timeout:
            return False
        self._held[session] = lock
        return True

    def elsewhere(self, session: str) -> bool:
        """Whether another living process has the session."""
        if session in self._held or not self._path(session).exists():
            return False
        taken = self.take(session)
        self.drop(session)
        return not taken

    def drop(self, session: str) -> None:
        """Leave the session to others."""
        lock = self._held.pop(session, None)
        if lock is not None:
            # Whoever waits for this file finds that it has no name any longer, and takes another.
            with suppress(OSError):
                self._path(session).unlink()
            lock.release()

    def close(self) -> None:
        """Leave all sessions to others."""
        for session in list(self._held):
            self.drop(session)

    def _path(self, session: str) -> Path:
        return private_dir(self._folder) / f"{session}.lock"

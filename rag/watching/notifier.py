"""What the system tells of changes, in a thread: it says where to look, and a look says what changed."""

import logging
import threading
import time
from collections.abc import Callable, Collection

from watchfiles import Change, watch

log = logging.getLogger(__name__)

Heard = Callable[[set[tuple[Change, str]] | None], None]
"""Is told what changed, from another thread; None: some of it may be lost, and everything is to be looked at."""

# Milliseconds. What changed is told once nothing changed for a step, and every `TOLD_EVERY` while it goes on.
STEP = 100
TOLD_EVERY = 400
# watchfiles says that it watches only by what it gives: the first time after this at the latest.
BEAT = 200
STANDSTILL = 2.0
"""Seconds without a beat after which the process was stopped, as by Ctrl-Z: what the system had no room for is lost."""
BEGIN_PATIENCE = 60.0
"""Seconds that the system may take to begin."""


class CannotWatch(Exception):
    """The system tells of no changes; says why."""


class ChangeNotifier:
    """Tells what changes in folders, in each alone, not in those below it: links and what is left out are not followed.

    Its methods block.
    """

    def __init__(self, folders: Collection[str], heard: Heard) -> None:
        """Begin; raises `FileNotFoundError` where a folder is gone by now, and `CannotWatch`."""
        self._heard = heard
        self._stopping = threading.Event()
        self._ready = threading.Event()
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._listen, args=(tuple(folders),), name="watching", daemon=True)
        self._thread.start()
        if not self._ready.wait(BEGIN_PATIENCE):
            self.stop()
            raise CannotWatch("the system does not begin to")
        if self._failure is not None:
            raise _told(self._failure)

    def stop(self) -> None:
        """Let go of the folders in a moment; this alone does not block."""
        self._stopping.set()

    def close(self) -> None:
        """Let go of the folders."""
        self.stop()
        self._thread.join()

    def _listen(self, folders: tuple[str, ...]) -> None:
        changes = watch(
            *folders,
            watch_filter=None,
            debounce=TOLD_EVERY,
            step=STEP,
            stop_event=self._stopping,
            rust_timeout=BEAT,
            yield_on_timeout=True,
            raise_interrupt=False,
            force_polling=False,
            recursive=False,
        )
        try:
            beat = None
            for found in changes:
                self._ready.set()
                now = time.monotonic()
                if beat is not None and now - beat > STANDSTILL:
                    self._heard(None)
                beat = now
                if found:
                    self._heard(found)
        except Exception as error:  # noqa: BLE001 - an exception of its own, which has no name outside of it
            self._failure = error
            if self._ready.is_set():
                log.warning("Watching broke off: %s", error)
                self._heard(None)
        finally:
            self._ready.set()


def _told(error: Exception) -> Exception:
    if isinstance(error, FileNotFoundError):
        return error
    if "limit reached" in str(error) or "Too many open files" in str(error):
        return CannotWatch("the system's limit of watched folders (fs.inotify.max_user_watches) is reached")
    return CannotWatch(f"the system says: {error}")

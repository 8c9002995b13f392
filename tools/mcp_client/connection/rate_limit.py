"""How much of a server is listened to: one that sends without end would take all time from the chat."""

import time
from collections.abc import Callable

BYTES = 50_000_000
"""A minute, of what nobody asked for."""
MESSAGES = 3_000
"""A minute: the SDK takes a second and more of a core to read so many, and several to answer so many requests."""
ENDLESS = "what it sends has no end"
_MINUTE = 60.0


class Flood:
    """Counts what comes, minute by minute."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._from = now()
        self._bytes = self._messages = 0.0

    def is_within_limits(self, size: int, messages: float = 0) -> bool:
        """Whether so many bytes more, and messages, are still within the limits of a minute."""
        if self._now() > self._from + _MINUTE:
            self._from, self._bytes, self._messages = self._now(), 0.0, 0.0
        self._bytes += size
        self._messages += messages
        return self._bytes <= BYTES and self._messages <= MESSAGES

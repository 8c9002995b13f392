"""How often somebody may ask: so many requests in any minute."""

import math
import time
from collections import OrderedDict, deque
from collections.abc import Callable

from chatbot.frontends.http_api.errors import ApiRefusal

WINDOW_SECONDS = 60.0
MAX_CLIENTS_COUNTED = 2_000
"""Clients whose requests are counted; of more, who was silent longest is forgotten."""


class RequestRate:
    """Counts the requests of each client."""

    def __init__(self, limit: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = limit
        self._clock = clock
        self._times: OrderedDict[str, deque[float]] = OrderedDict()

    def take(self, client: str) -> None:
        """Count one more; raises `ApiRefusal` with 429, and when to come again, where it is one too many."""
        now = self._clock()
        times = self._times.setdefault(client, deque())
        self._times.move_to_end(client)
        while len(self._times) > MAX_CLIENTS_COUNTED:
            self._times.popitem(last=False)
        while times and times[0] <= now - WINDOW_SECONDS:
            times.popleft()
        if len(times) >= self._limit:
            wait = max(1, math.ceil(times[0] + WINDOW_SECONDS - now))
            raise too_many(f"More than {self._limit:,} requests came in a minute.", wait)
        times.append(now)


def too_many(problem: str, wait: int) -> ApiRefusal:
    """The refusal of one request too many, which may come again after so many seconds."""
    headers = {"retry-after": str(wait)}
    return ApiRefusal(429, problem, f"Ask again in {wait} s.", code="rate_limit_exceeded", headers=headers)

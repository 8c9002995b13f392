"""Sending a request again that a server could not answer now: after growing waits, or when the server says."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from tenacity import RetryCallState

T = TypeVar("T")

MOST_SENDS = 5
"""How often a request is sent at most."""
FIRST_WAIT_SECONDS = 0.5
LONGEST_WAIT_SECONDS = 60.0
"""A server that asks for a longer wait is not waited for."""
RETRIED_STATUSES = frozenset({408, 409, 425, 429})
"""Beside those from 500 on."""


@dataclass(frozen=True)
class RetryableFailure:
    """A failure that may be over soon."""

    problem: str
    """The beginning of a sentence: `api.example.com has too much to do (status 429)`."""
    after: float | None = None
    """Seconds that the server asks to wait; None where it says nothing."""


async def retry_request(
    send: Callable[[], Awaitable[T]],
    failure: Callable[[Exception], RetryableFailure | None],
    tell: Callable[[str], None],
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> T:
    """What `send` brings, called up to `MOST_SENDS` times; raises what the last call raised.

    `failure` says of an exception what may be over soon; None: it is raised at once. Each wait is told in one sentence.
    """
    from tenacity import AsyncRetrying, stop_after_attempt, wait_exponential_jitter

    growing = wait_exponential_jitter(multiplier=FIRST_WAIT_SECONDS, jitter=FIRST_WAIT_SECONDS)
    found = RetryableFailure("")

    def may_pass(state: "RetryCallState") -> bool:
        nonlocal found
        error = state.outcome.exception() if state.outcome else None
        said = failure(error) if isinstance(error, Exception) else None
        found = said or found
        return said is not None and (said.after or 0) <= LONGEST_WAIT_SECONDS

    def choose_wait(state: "RetryCallState") -> float:
        return growing(state) if found.after is None else max(found.after, 0.0)

    def tell_wait(state: "RetryCallState") -> None:
        seconds = f"{state.upcoming_sleep:.0f} s" if state.upcoming_sleep >= 1 else "a moment"
        tell(f"{found.problem}: it is asked again in {seconds} (try {state.attempt_number + 1} of {MOST_SENDS}).")

    retrying = AsyncRetrying(
        sleep=sleep,
        stop=stop_after_attempt(MOST_SENDS),
        wait=choose_wait,
        retry=may_pass,
        before_sleep=tell_wait,
        reraise=True,
    )
    return await retrying(send)


def is_retried(status: int) -> bool:
    """Whether a status says that the same request may be answered later."""
    return status in RETRIED_STATUSES or status >= 500


def read_retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds that the headers of an answer ask to wait: in milliseconds, in seconds or by a date; None for none."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        said = headers.get(name, "").strip()
        if said.replace(".", "", 1).isdecimal() and len(said) < 20:
            return float(said) / unit
    try:
        date = parsedate_to_datetime(headers.get("retry-after", ""))
    except (TypeError, ValueError):
        return None
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (date - (now or datetime.now(UTC))).total_seconds())

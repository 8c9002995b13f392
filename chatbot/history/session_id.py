"""Names of sessions: the day, the time of day in tenths of a second, and chance; they sort by time."""

import secrets
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

# Crockford's base 32: no letter that is taken for a digit.
_BASE32_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
_CHANCE = 32**3
# What a name tells of the time.
_TIME_STEP = timedelta(seconds=0.1)


RESUME_LAST = "last"
"""Names the conversation that was gone on with last."""


class Names:
    """Gives names, each greater than the one before."""

    def __init__(self, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._clock = clock
        self._last = ""
        self._moment = datetime.min.replace(tzinfo=UTC)

    def new_name(self) -> str:
        """A name like `261122-bq4fk2x`."""
        moment = self._clock()
        made = _name_at(moment)
        if made <= self._last:
            # Two within a moment, or the clock was put back: the time of a name goes on from the one before.
            moment = max(moment, self._moment) + _TIME_STEP
            made = _name_at(moment)
        self._last, self._moment = made, moment
        return made


def _name_at(now: datetime) -> str:
    tenths = ((now.hour * 60 + now.minute) * 60 + now.second) * 10 + now.microsecond // 100_000
    return f"{now:%y%m%d}-{_to_base32(tenths, 4)}{_to_base32(secrets.randbelow(_CHANCE), 3)}"


def _to_base32(number: int, width: int) -> str:
    return "".join(_BASE32_DIGITS[number >> 5 * place & 31] for place in reversed(range(width)))

"""Names of sessions: the day, the time of day in tenths of a second, and chance; they sort by time."""

import secrets
from datetime import UTC, datetime

# Crockford's base 32: no letter that is taken for a digit.
_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
_CHANCE = 32**3


class Names:
    """Gives names, each greater than the one before."""

    def __init__(self) -> None:
        self._last = ""

    def new(self) -> str:
        """A name like `261122-bq4fk2x`."""
        made = _name(datetime.now(UTC))
        while made <= self._last:
            made = _name(datetime.now(UTC))
        self._last = made
        return made


def _name(now: datetime) -> str:
    tenths = ((now.hour * 60 + now.minute) * 60 + now.second) * 10 + now.microsecond // 100_000
    return f"{now:%y%m%d}-{_base32(tenths, 4)}{_base32(secrets.randbelow(_CHANCE), 3)}"


def _base32(number: int, width: int) -> str:
    return "".join(_DIGITS[number >> 5 * place & 31] for place in reversed(range(width)))

"""The time of a reminder: read from the user's words, in whatever language, and told as their clock shows it."""

import asyncio
from datetime import UTC, date, datetime, timedelta

_DAY_WORDS = {-1: "yesterday", 0: "today", 1: "tomorrow"}


async def split_time(words: str, now: datetime) -> tuple[datetime, str] | None:
    """The time in a line such as "tomorrow 9:00 call mum", in UTC, and the rest of it; None where it names none.

    `now` is an aware time, from which "tomorrow" counts.
    """

    def find_moment() -> tuple[datetime, str] | None:
        from utils.languages.moments import MomentReader

        return MomentReader(now).find_moment(words)

    return await asyncio.to_thread(find_moment)


async def read_time(words: str, now: datetime) -> datetime | None:
    """The time that words such as "in 20 minutes" name as a whole, in UTC; None where they name none."""

    def read_moment() -> datetime | None:
        from utils.languages.moments import MomentReader

        return MomentReader(now).read_moment(words)

    return await asyncio.to_thread(read_moment)


def told_time(moment: float, now: float) -> str:
    """A time as the user's clock shows it: "tomorrow 09:00", "Friday, 27 November 2026, 09:00"."""
    local = datetime.fromtimestamp(moment, UTC).astimezone()
    days = (local.date() - _local_date(now)) // timedelta(days=1)
    return f"{_DAY_WORDS[days]} {local:%H:%M}" if days in _DAY_WORDS else f"{local:%A, %-d %B %Y, %H:%M}"


def _local_date(now: float) -> date:
    return datetime.fromtimestamp(now, UTC).astimezone().date()

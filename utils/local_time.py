"""Times as they are kept, by the clock of this machine."""

from datetime import datetime


def local_time(moment: str) -> datetime | None:
    """An ISO 8601 time by the clock of this machine; None for what is none, or is too far away to be one here.

    A kept file may say anything, and what it says must be shown so that it can be deleted.
    """
    try:
        return datetime.fromisoformat(moment).astimezone()
    except (ValueError, OverflowError, OSError):
        return None

"""What documents say of themselves, as a store keeps it."""

from datetime import UTC, datetime

import msgspec

from rag.documents import Properties


def pack_properties(properties: Properties) -> str:
    """JSON of what is told."""
    return msgspec.json.encode(properties).decode()


def unpack_properties(told: object) -> Properties:
    """The properties again; none of what is not as it was kept: nothing that is quoted depends on them."""
    try:
        return msgspec.json.decode(str(told), type=Properties)
    except msgspec.MsgspecError:
        return Properties()


def read_time(text: str) -> datetime | None:
    """A moment as documents have it, in UTC where it names no zone; None where it is none."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)

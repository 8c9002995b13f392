"""What documents say of themselves, as a column of library.db keeps it."""

import msgspec

from rag.documents import Properties
from rag.stored import Filters, matches_properties


def pack_properties(properties: Properties) -> str:
    """JSON of what is told."""
    return msgspec.json.encode(properties).decode()


def unpack_properties(told: object) -> Properties:
    """The properties again; none of what is not as it was kept: nothing that is quoted depends on them."""
    try:
        return msgspec.json.decode(str(told), type=Properties)
    except msgspec.MsgspecError:
        return Properties()


def has_properties(told: object, wanted: str) -> bool:
    """Whether the properties pass filters, these as JSON: a function of SQL."""
    return matches_properties(unpack_properties(told), msgspec.json.decode(wanted, type=Filters))


def own_date(told: object) -> str | None:
    """The day or moment that a document tells: a function of SQL."""
    return unpack_properties(told).published or None

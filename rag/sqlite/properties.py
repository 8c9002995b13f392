"""What documents say of themselves, as functions of SQL that filters ask."""

import msgspec

from rag.records.properties import unpack_properties
from rag.stored import Filters, matches_properties


def has_properties(told: object, wanted: str) -> bool:
    """Whether the properties pass filters, these as JSON."""
    return matches_properties(unpack_properties(told), msgspec.json.decode(wanted, type=Filters))


def own_date(told: object) -> str | None:
    """The day or moment that a document tells."""
    return unpack_properties(told).published or None

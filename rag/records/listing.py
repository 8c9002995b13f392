"""Documents as lists show, order and compare them, in whatever a library is kept."""

from utils.text import one_line

ENTRY_COLUMNS = "id, collection, source, title, origin, media_type, fetched, container, chunks, seen"
"""What a list shows of a document, in the order of `ListedDocument`."""
ORIGIN_ORDER = "CASE origin WHEN 'file' THEN 0 WHEN 'web' THEN 1 ELSE 2 END"
"""Each user's own files come before what was only read."""
LARGEST_NUMBER = 2**63 - 1
"""That a store knows."""
ELLIPSIS = "…"
"""Ends a title of which a list shows the beginning."""


def shown(text: object) -> str:
    """A title or source as it is compared: on one line, in no case; a store may keep what is no text."""
    return one_line(str(text), len(str(text)) + 1).casefold()

"""Pages that are pictures, as those of a scanned PDF: read one after the other for as long as there is time."""

from collections.abc import Callable, Iterator, Sequence

from rag.readers.pictures.clock import seconds_left, seconds_used
from rag.readers.pictures.ocr import read_lines
from rag.readers.pictures.picture import decode_picture

SCAN_SLOWER = 1.5
"""How much longer than the slowest page so far the next one may take."""
_UNREAD = "(Pages {first} to {last} were not read: they are pictures, and there was no time left.)"


def read_scans(pages: Sequence[Callable[[], Sequence[bytes]]], name: str, side: int) -> Iterator[str]:
    """The text of each page; `pages` give the pictures on one each. Ends with a sentence on those it did not come to.

    Raises `DocumentError` for pictures that are damaged or too large.
    """
    slowest = 0.0
    for number, pictures in enumerate(pages, 1):
        if seconds_left() < SCAN_SLOWER * slowest:
            yield _UNREAD.format(first=number, last=len(pages))
            return
        began = seconds_used()
        yield "\n".join(line for data in pictures() for line in read_lines(decode_picture(data, name, side)[0]))
        slowest = max(slowest, seconds_used() - began)

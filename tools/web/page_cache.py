"""Pages that were read, kept on disk for some hours with their time, so that reading one again needs no network."""

import hashlib
import logging
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from rag.documents import Document
from utils.errors import FileUnreadable
from utils.files import read_json
from utils.paths import write_private

log = logging.getLogger(__name__)

MAX_PAGES = 500
MAX_CACHE_BYTES = 100_000_000


def utc_now() -> datetime:
    """This moment."""
    return datetime.now(UTC)


class PageCache:
    """One file a page, named by the digest of its address; its methods block."""

    def __init__(self, folder: Path, hours: float, clock: Callable[[], datetime] = utc_now) -> None:
        self._folder = folder
        self._age = timedelta(hours=hours)
        self._clock = clock

    def get_page(self, url: str) -> Document | None:
        """The page, unless it is unknown or too old."""
        try:
            document = msgspec.convert(read_json(self._page_path(url)), Document)
            age = self._clock() - datetime.fromisoformat(document.fetched)
        except (FileUnreadable, ValueError, msgspec.MsgspecError):
            # Never kept, or a file that an older or newer Magpie wrote: the page is read again.
            return None
        return document if timedelta(0) <= age < self._age else None

    def put_page(self, url: str, document: Document) -> None:
        """Keep a page where there is room; the oldest ones go when there are too many or too large together."""
        if self._age <= timedelta(0):
            return
        try:
            write_private(self._page_path(url), msgspec.json.encode(document).decode())
            self._drop_oldest()
        except OSError as error:
            # It was read, and is only asked for again.
            log.warning("A page could not be kept: %s", error)

    def _drop_oldest(self) -> None:
        files = sorted(((path.stat(), path) for path in self._folder.glob("*.json")), key=lambda f: -f[0].st_mtime_ns)
        total = 0
        for number, (state, path) in enumerate(files):
            total += state.st_size
            if number >= MAX_PAGES or total > MAX_CACHE_BYTES:
                path.unlink(missing_ok=True)

    def _page_path(self, url: str) -> Path:
        return self._folder / f"{hashlib.sha256(url.encode()).hexdigest()}.json"

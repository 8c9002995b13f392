"""PDF: the text of its pages by pypdf, a form feed between two of them; of a scan what is read in its pictures."""

import io
import logging
import re
from collections.abc import Sequence
from functools import partial
from typing import Any

from rag.readers.damage import translate_damage
from rag.readers.pictures.ocr import MAX_SIDE_READ, NO_TEXT_READ, can_read
from rag.readers.pictures.scans import read_scans
from rag.readers.text import name_of
from utils.errors import DocumentError
from utils.text import clean

PAGE_BREAK = "\f"

_OPENING_PAGES = 3
"""Pages on which a document says what it is called."""
_TITLE_WORD = re.compile(r"[^\W\d_]{2,}")
_FILE_NAME = re.compile(r"\.\w{1,5}$")


def read_pdf(data: bytes, source: str, _: str = "") -> tuple[str, str]:
    """Title and text; raises `DocumentError` when it is encrypted, damaged or has no text."""
    import pypdf

    # It reports every irregularity of a file to its logger.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    name = name_of(source)
    with translate_damage(name, "a PDF"):
        reader = pypdf.PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise DocumentError(f"{name} is protected by a password.", "Save a copy without it.")
        title = str((reader.metadata and reader.metadata.title) or "")
        pages = [clean(page.extract_text()).strip() for page in reader.pages]
        if can_read() and not any(pages):
            scanned = [partial(_page_pictures, page) for page in reader.pages]
            pages = [clean(page).strip() for page in read_scans(scanned, name, MAX_SIDE_READ)]
    if not any(pages):
        raise DocumentError(f"{name} is a PDF without text, perhaps a scan.", "" if can_read() else NO_TEXT_READ)
    return title_of(title, pages) or name, PAGE_BREAK.join(pages)


def _page_pictures(page: Any) -> list[bytes]:
    return [image.data for image in page.images]


def title_of(title: str, pages: Sequence[str]) -> str:
    """The title in the properties if it is one, else the first line that has words.

    Programs write there what they like, a file's name or their own: a title is what the document itself says, so at
    least half of its words stand on its first pages.
    """
    opening = "\n".join(pages[:_OPENING_PAGES])
    said = {word.casefold() for word in _TITLE_WORD.findall(opening)}
    words = [word.casefold() for word in _TITLE_WORD.findall(title)]
    if words and not _FILE_NAME.search(title.strip()) and 2 * sum(word in said for word in words) >= len(words):
        return title.strip()
    return next((line.strip() for line in opening.splitlines() if _TITLE_WORD.search(line)), "")[:200]

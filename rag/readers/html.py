"""HTML: the main text of a page by trafilatura, all of its text where trafilatura finds none."""

import logging

from rag.readers.text import decode, name_of
from utils.errors import DocumentError


def read_html(data: bytes, source: str, charset: str = "") -> tuple[str, str]:
    """Title and main text; raises `DocumentError` when there is none."""
    import trafilatura

    # It reports broken pages to its loggers, which is no news to the user.
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    page = decode(data, name_of(source), charset) if charset else data
    tree = trafilatura.load_html(page)
    if tree is None:
        raise DocumentError(f"{name_of(source)} holds no HTML that can be read.")
    title = str(tree.findtext(".//title") or "").strip()
    found = trafilatura.bare_extraction(tree, include_comments=False, with_metadata=True)
    text = str(found.text or "") if found else ""
    if found and found.title:
        title = str(found.title)
    text = text or str(trafilatura.html2txt(page))
    return " ".join(title.split()) or name_of(source), text

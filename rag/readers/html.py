"""HTML: the main text of a page by trafilatura, all of its text where trafilatura finds none."""

import logging

from rag.readers.text import decode, name_of
from utils.errors import DocumentError


def read_html(data: bytes, source: str, charset: str = "") -> tuple[str, str]:
    """Title and main text, headings and lists as Markdown; raises `DocumentError` when there is none."""
    import trafilatura

    # It reports broken pages to its loggers, which is no news to the user.
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    page = decode(data, name_of(source), charset) if charset else data
    tree = trafilatura.load_html(page)
    if tree is None:
        # trafilatura wants the tag; browsers do not.
        tree = trafilatura.load_html(f"<html>{page}</html>" if isinstance(page, str) else b"<html>%b</html>" % page)
    if tree is None:
        raise DocumentError(f"{name_of(source)} holds no HTML that can be read.")
    title = str(tree.findtext(".//title") or "")
    # Extraction changes the tree that it is given.
    everything = str(trafilatura.html2txt(tree))
    found = trafilatura.bare_extraction(tree, include_comments=False, include_formatting=True, with_metadata=True)
    if found is None:
        return title.strip() or name_of(source), everything
    return str(found.title or title).strip() or name_of(source), str(found.text or everything).strip()

"""HTML: the main text of a page by trafilatura, all of its text where trafilatura finds none."""

import logging
import re
from typing import Any

from rag.readers.markup import markdown_of
from rag.readers.text import decode_text, name_of
from rag.readers.website.layout_tables import unfold_layout
from rag.readers.website.page_headings import headings_of, with_headings
from rag.readers.website.page_lists import lists_of, with_lists
from rag.readers.website.page_tables import name_columns
from rag.readers.website.page_terms import tabulate_terms
from rag.readers.website.styled_headings import mark_headings
from utils.errors import DocumentError

# What XML 1.0 has no place for, and HTML lets in, written out or as `&#11;`: those that part words, and the others.
_PARTING = re.compile("[\x0b\x0c\x1c-\x1f]")
_PAGE_WORD = re.compile(r"\w+")
_KEPT_FORM = re.compile(r"^(?:#{1,6} |[-|])", re.MULTILINE)
_SHORT = 1_000
"""Characters of a text that may be a short page's: less than 250 are a failure to trafilatura, which then hands out all
words of the page, its menu among them, without a heading, a list or a table."""
_SAME = 0.8
"""Share of a page's words that were found without its form as well: else its main text was found, and the rest left."""
_FORBIDDEN_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def read_html(data: bytes, source: str, charset: str = "") -> tuple[str, str]:
    """Title and main text, headings and lists as Markdown; raises `DocumentError` when there is none."""
    import trafilatura

    # It reports broken pages to its loggers, which is no news to the user.
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    page = decode_text(data, name_of(source), charset) if charset else data
    tree = _load_tree(page)
    if tree is None:
        raise DocumentError(f"{name_of(source)} holds no HTML that can be read.")
    title = str(tree.findtext(".//title") or "")
    _name_parts(tree)
    name_columns(tree)
    # Extraction changes the tree that it is given.
    headings, lists = headings_of(tree), lists_of(tree)
    everything = str(trafilatura.html2txt(tree))
    found = trafilatura.bare_extraction(tree, include_comments=False, include_formatting=True, with_metadata=True)
    if found is None:
        return title.strip() or name_of(source), everything
    text = str(found.text or everything).strip()
    if len(text) < _SHORT and not _KEPT_FORM.search(text):
        text = _keep_form(page, text)
    return str(found.title or title).strip() or name_of(source), with_headings(headings, with_lists(lists, text))


def _load_tree(page: str | bytes) -> Any:
    """A page as a tree; None where there is none to be had."""
    import trafilatura

    tree = trafilatura.load_html(page)
    if tree is None:
        # trafilatura wants the tag; browsers do not.
        tree = trafilatura.load_html(f"<html>{page}</html>" if isinstance(page, str) else b"<html>%b</html>" % page)
    if tree is None:
        return None
    tree = _within_page(tree)
    _drop_forbidden(tree)
    return tree


def _keep_form(page: str | bytes, flat: str) -> str:
    """The text of a short page with its headings, lists and tables, where it has hardly another word than without."""
    tree = _load_tree(page)
    for element in [*tree.iter("footer", "noscript")]:
        element.drop_tree()
    _name_parts(tree)
    text = markdown_of(tree)
    words, known = set(_PAGE_WORD.findall(text)), set(_PAGE_WORD.findall(flat))
    same = len(words & known) >= _SAME * len(words)
    return text if same and _KEPT_FORM.search(text) else flat


def _name_parts(tree: Any) -> None:
    """Make of layout, headings and terms of a page what they are by their tags."""
    unfold_layout(tree)
    mark_headings(tree)
    tabulate_terms(tree)


def _within_page(tree: Any) -> Any:
    """A page as a tree that begins with `html`: what is thrown out of pages, say `math`, cannot be all of it then."""
    from lxml import html

    if tree.tag == "html":
        return tree
    page = html.document_fromstring("<html><body></body></html>")
    page.body.append(tree)
    return page


def _drop_forbidden(tree: Any) -> None:
    """Take out of a page what lxml reads but refuses to write: trafilatura copies texts from one tree to another."""
    for element in tree.iter():
        if element.text and _FORBIDDEN_IN_XML.search(element.text):
            element.text = _legal_characters(element.text)
        if element.tail and _FORBIDDEN_IN_XML.search(element.tail):
            element.tail = _legal_characters(element.tail)
        for name, value in element.items():
            if _FORBIDDEN_IN_XML.search(value):
                del element.attrib[name]


def _legal_characters(text: str) -> str:
    return _FORBIDDEN_IN_XML.sub("", _PARTING.sub(" ", text))

"""The page that a mail is: all of it is the text, unlike of a page of the web, and its tables often place it only."""

import re
from typing import Any

from rag.readers.markup import markdown_of
from rag.readers.text import decode_text

_HIDDEN_STYLE = re.compile(r"(?:display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}hidden)", re.IGNORECASE)

_TABLE_PARTS = ("tbody", "thead", "tfoot", "tr", "td", "th")


def page_markdown(content: bytes, charset: str) -> str:
    """The text of an HTML part as Markdown, without what it hides."""
    from lxml import etree, html

    text = decode_text(content, "the mail's page", charset)
    parser = html.HTMLParser(encoding="utf-8")
    try:
        page = html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    except etree.ParserError:
        # Nothing but comments.
        return ""
    for element in list(page.iter()):
        if element.getparent() is not None and _HIDDEN_STYLE.search(element.get("style") or ""):
            element.drop_tree()
    for table in list(page.iter("table")):
        if _places_only(table):
            _unfold_table(table)
    return markdown_of(page)


def _places_only(table: Any) -> bool:
    """Whether a table holds no data: it holds others, or has one column."""
    if table.get("role") in {"presentation", "none"} or table.find(".//table") is not None:
        return True
    return all(len(row.findall("td") + row.findall("th")) < 2 for row in table.iter("tr"))


def _unfold_table(table: Any) -> None:
    """Have the cells of a table stand below each other; those of tables in it are left as they are."""
    parts = [part for part in table.iter(*_TABLE_PARTS) if next(part.iterancestors("table"), None) is table]
    for part in [table, *parts]:
        part.tag = "div"

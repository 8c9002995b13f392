"""What an element of a page says, as a reader of it sees it: blocks, and elements side by side, are words apart."""

from typing import Any

_APART_TAGS = frozenset(
    {"br", "p", "div", "li", "ul", "ol", "dl", "dt", "dd", "td", "th", "tr", "table", "section", "blockquote", "pre"}
)


def element_text(element: Any) -> str:
    """The words of an element (lxml) with all that is in it."""
    from lxml import etree

    parts = list[str]()
    for event, part in etree.iterwalk(element, events=("start", "end", "comment", "pi")):
        tag = part.tag if event in ("start", "end") else ""
        if tag in _APART_TAGS:
            parts.append(" ")
        if event == "start":
            parts.append(part.text or "")
        elif part is not element:
            # `<b>Adults</b><span>12 €</span>` stands side by side.
            parts.append(part.tail or (" " if part.getnext() is not None else ""))
    return " ".join("".join(parts).split())

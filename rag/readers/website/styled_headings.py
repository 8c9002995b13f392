"""Headings that only the looks of a page tell: lines of their own in bold, or of one class, each above some text."""

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from rag.readers.website.page_text import element_text

_LINE_TAGS, _BOLD_TAGS = ("div", "p"), ("b", "strong")
_NOT_IN_HEADING = frozenset(
    {"div", "p", "ul", "ol", "dl", "table", "section", "article", "blockquote", "pre", "form", "a"}
)
"""What stands in no heading: blocks, and links, of which menus are made."""
_LIST_TAGS = frozenset({"ul", "ol", "dl", "table"})
_OUTSIDE_TEXT = ("nav", "header", "footer", "aside", "li", "td", "th", "button", "form", "figure")
_HEADING_TEXT = re.compile(r"[^\W_][^.!;]{1,58}[\w)?:]")
_YEAR_IN_HEADING = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
MAX_HEADING_WORDS = 8
"""Words of a heading at most."""
_REAL_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_OF_SOMEBODY = re.compile(r"author|byline|meta|user|nick|comment|date|time|tag|badge|price|label", re.IGNORECASE)
"""What lines are called that say who wrote something, or when; trafilatura takes some of them out with what follows."""
MIN_OF_CLASS = 2
"""Lines in bold, or of one class, on a page, at least, that are headings if all of them stand above some text."""
MAX_SHARE_OF_LINKS = 0.5
"""Share of what stands below it that may be links: others are a menu."""
MIN_CHARS_BELOW = 60
"""Characters of the text below a heading at least: above less stands the name of a value."""


def mark_headings(tree: Any) -> None:
    """Make headings of the lines of a page (lxml) that are set like some."""
    lines = list(tree.iter(*_LINE_TAGS))
    headings = [line for line in lines if _is_bold(line) and _heads_text(line)]
    # One alone may as well be said loudly: "Closed on Mondays".
    headings = headings if len(headings) >= MIN_OF_CLASS else []
    named = (line for line in lines if line.get("class") and not _OF_SOMEBODY.search(line.get("class")))
    of_class = sorted(named, key=lambda line: str(line.get("class")))
    for _, group in groupby(of_class, key=lambda line: line.get("class")):
        alike = list(group)
        if len(alike) < MIN_OF_CLASS or not all(map(_heads_text, alike)):
            continue
        # What says the same twice is a mark ("Note") and names no part of the page.
        headings += alike if len(set(map(element_text, alike))) == len(alike) else []
    chosen, level = set(headings), 1
    for element in tree.iter(*_LINE_TAGS, *_REAL_HEADINGS):
        if element in chosen:
            # A level below the one that it stands under: of two seasons both have day tickets.
            element.tag = f"h{min(level + 1, len(_REAL_HEADINGS))}"
        elif element.tag in _REAL_HEADINGS:
            level = _REAL_HEADINGS.index(element.tag) + 1


def _heads_text(line: Any) -> bool:
    """Whether a line may be a heading by what it says, and by what stands below it."""
    below = next(_elements_behind(line), None)
    # First what costs little: of a page within a page all of the text is looked at once.
    if below is None or any(part.tag in _NOT_IN_HEADING for part in line.iterdescendants()):
        return False
    alike = below.get("class") == line.get("class") if line.get("class") else _is_bold(below)
    if alike or any(True for _ in line.iterancestors(*_OUTSIDE_TEXT)) or not _is_name(element_text(line)):
        return False
    text = element_text(below)
    links = sum(len(element_text(link)) for link in below.iter("a"))
    return (below.tag in _LIST_TAGS or len(text) >= MIN_CHARS_BELOW) and links <= MAX_SHARE_OF_LINKS * len(text)


def _is_name(text: str) -> bool:
    """Whether a text is short, no sentence, and has no figure but a year."""
    figures = any(map(str.isdigit, _YEAR_IN_HEADING.sub("", text)))
    return not figures and len(text.split()) <= MAX_HEADING_WORDS and _HEADING_TEXT.fullmatch(text) is not None


def _is_bold(line: Any) -> bool:
    """Whether all of a line stands in bold."""
    marked = " ".join(element_text(part) for part in line if part.tag in _BOLD_TAGS)
    return bool(marked) and marked == element_text(line)


def _elements_behind(line: Any) -> Iterator[Any]:
    """What stands behind a line in the same block: no comments."""
    return (other for other in line.itersiblings() if isinstance(other.tag, str) and other.tag not in ("br", "hr"))

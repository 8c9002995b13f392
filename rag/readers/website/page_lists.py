"""The lists of a page in its main text: trafilatura leaves some out though what stands before and behind is there."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from rag.readers.website.page_text import element_text

_WORD_IN_LIST = re.compile(r"\w+")
_TAGS_OF_LISTS = frozenset({"ul", "ol"})
_APART = frozenset({"nav", "header", "footer", "aside", "form", "table", "dl", "li"})
"""What stands beside the text of a page, or has a form of its own: lists within another one are part of its items."""
_NO_BODY = frozenset({"script", "style", "template", "noscript", "head", "h1", "h2", "h3", "h4", "h5", "h6"})
WORDS_AROUND = 8
"""Words before and behind a list by which its place is found."""
MIN_WORDS_BEFORE = 2
"""Words of the line before it at least: one alone may end any line."""
MAX_SHARE_IN_LINKS = 0.5
"""Share of a list's text that may stand in links: others are menus."""
MAX_LISTS, WORDS_BEHIND = 300, 80
"""Lists of a page that are looked for, and words behind its place in which what follows one must begin."""
_BESIDE_TEXT = re.compile(
    r"(?<!\S)(?:\w{1,20}-)?(?:comments?|share|sharing|social|related|cookies?|consent|menu|nav|navigation|breadcrumbs?"
    r"|sidebar|toolbar)(?:-\w{1,20})?(?!\S)",
    re.IGNORECASE,
)
"""What a list, or what it stands in, is called that is no part of a page's text."""


@dataclass(frozen=True)
class PageList:
    """A list of a page, with the words around it that stand in no heading."""

    items: tuple[str, ...]
    before: tuple[str, ...]
    behind: tuple[str, ...]


def lists_of(tree: Any) -> list[PageList]:
    """The lists of a page (lxml) that stand in its text, in their order."""
    words = list[str]()
    spans = [(element, start, len(words)) for element, start in _walk(tree, words)]
    return [
        PageList(items, tuple(words[max(0, start - WORDS_AROUND) : start]), tuple(words[end : end + WORDS_AROUND]))
        for element, start, end in spans
        if (items := tuple(_items_of(element)))
    ]


def with_lists(lists: Sequence[PageList], text: str) -> str:
    """The Markdown text of a page with those of its lists that it lacks, each between what stands around it."""
    lines = text.split("\n")
    said = [_words_of(line) for line in lines]
    told = _joined(word for words in said for word in words)
    for one in lists[:MAX_LISTS]:
        if any(_joined(_words_of(item)) in told for item in one.items):
            continue
        place = next((at for at, words in enumerate(said) if _ends_with(words, one.before)), None)
        if place is None or not one.behind:
            continue
        behind = islice((word for words in said[place + 1 :] for word in words), WORDS_BEHIND)
        if _joined(one.behind) in _joined(behind):
            added = ["", *(f"- {item}" for item in one.items)]
            lines[place + 1 : place + 1] = added
            said[place + 1 : place + 1] = map(_words_of, added)
            told += _joined(word for line in added for word in _words_of(line))
    return "\n".join(lines)


def _walk(tree: Any, words: list[str]) -> Iterator[tuple[Any, int]]:
    """Each list of a page as it ends, with the number of `words` at its beginning; these are filled in meanwhile."""
    from lxml import etree

    hidden = apart = 0
    starts = dict[Any, int]()
    for event, element in etree.iterwalk(tree, events=("start", "end", "comment", "pi")):
        tag = element.tag if event in ("start", "end") else ""
        if event == "start":
            hidden += tag in _NO_BODY
            if tag in _TAGS_OF_LISTS and not apart:
                starts[element] = len(words)
            apart += tag in _APART
        elif event == "end":
            hidden -= tag in _NO_BODY
            apart -= tag in _APART
            if element in starts:
                yield element, starts.pop(element)
        if not hidden:
            words += _words_of((element.text if event == "start" else element.tail) or "")


def _ends_with(words: Sequence[str], end: Sequence[str]) -> bool:
    size = min(len(words), len(end))
    return size >= MIN_WORDS_BEFORE and tuple(words[-size:]) == tuple(end[-size:])


def _items_of(element: Any) -> Iterator[str]:
    linked = sum(len(element_text(link)) for link in element.iter("a", "button"))
    within = (one for one in (element, *element.iterancestors()) if one.tag not in ("body", "html"))
    if any(_BESIDE_TEXT.search(f"{one.get('class', '')} {one.get('id', '')}") for one in within):
        return
    if linked <= MAX_SHARE_IN_LINKS * len(element_text(element)):
        yield from filter(None, (element_text(item) for item in element if item.tag == "li"))


def _words_of(text: str) -> list[str]:
    return _WORD_IN_LIST.findall(text)


def _joined(words: Iterable[str]) -> str:
    return f" {' '.join(words)} "

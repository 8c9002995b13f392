"""What a page of HTML says to whoever goes over its site: where it leads, its own address, and what it asks for."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Any
from urllib.parse import urljoin

from rag.readers.text import decode_text, name_of

PAGE_TYPES = frozenset({"text/html", "application/xhtml+xml"})
MAX_LINKS = 5000
"""Links of a page that are told; one has some dozens, a long index of a manual 2,000."""
MAX_LINK_CHARS = 2000
MAX_CHARS_OF_LINKS = 200_000
"""Characters of all links of a page together."""
_FOLLOWED = ("a", "area")
_ROBOTS = frozenset({"robots", "magpie"})
"""Whom what a page asks of programs is for."""


@dataclass(frozen=True)
class PageLinks:
    """The addresses are whole ones."""

    links: tuple[str, ...] = ()
    """Each once, in their order, without those that the page asks not to follow one by one."""
    canonical: str = ""
    """What the page says that its address is; empty where it does not."""
    robots: str = ""
    """What it asks of programs: `noindex, nofollow`."""


def find_links(data: bytes, media_type: str, source: str, charset: str = "") -> PageLinks:
    """The links of a page; none for what is no HTML."""
    from lxml import etree, html

    if media_type not in PAGE_TYPES or not data.strip():
        return PageLinks()
    try:
        page = decode_text(data, name_of(source), charset) if charset else data
        tree = html.document_fromstring(page if isinstance(page, bytes) else page.encode(errors="replace"))
    except etree.LxmlError:
        return PageLinks()
    base = _join_address(source, next(iter(tree.xpath("//base/@href")), "")) or source
    links = dict.fromkeys(whole for link in _followed_links(tree) if (whole := _join_address(base, link)))
    canonical = next((e.get("href", "") for e in tree.iter("link") if "canonical" in _relations(e)), "")
    asked = [e.get("content", "") for e in tree.iter("meta") if e.get("name", "").strip().lower() in _ROBOTS]
    return PageLinks(
        _cut_links(list(links)[:MAX_LINKS]), _join_address(base, canonical), ", ".join(asked)[:MAX_LINK_CHARS]
    )


def _cut_links(links: list[str]) -> tuple[str, ...]:
    """The first links, as far as there is room for them."""
    return tuple(
        link for link, end in zip(links, accumulate(map(len, links)), strict=True) if end <= MAX_CHARS_OF_LINKS
    )


def _followed_links(tree: Any) -> Iterator[str]:
    for element in tree.iter(*_FOLLOWED):
        if "nofollow" not in _relations(element):
            yield element.get("href", "")
    for element in tree.iter("link"):
        if {"next", "prev"} & _relations(element):
            yield element.get("href", "")


def _relations(element: Any) -> set[str]:
    return set(element.get("rel", "").lower().split())


def _join_address(base: str, link: str) -> str:
    """The whole address of a link; empty where it leads to no page."""
    link = link.strip()
    if not link or link.startswith("#") or len(link) > MAX_LINK_CHARS:
        return ""
    try:
        whole = urljoin(base, link).partition("#")[0]
    except ValueError:
        return ""
    return whole if whole.lower().startswith(("http://", "https://")) else ""

"""The properties of a page: its `meta` elements, and JSON-LD of an article."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rag.documents import Properties
from rag.readers.properties.values import first_date, joined_authors, parted_tags
from rag.readers.text import decode_text

HEAD_BYTES = 300_000
"""Of a page that are looked at: its head, and what stands there."""
MAX_SCRIPTS, MAX_OBJECTS = 10, 100
_AUTHOR_METAS = ("author", "article:author", "dc.creator", "dcterms.creator", "citation_author", "parsely-author")
_DATE_METAS = (
    "article:published_time",
    "date",
    "dc.date",
    "dcterms.created",
    "dcterms.date",
    "citation_publication_date",
    "pubdate",
    "article:modified_time",
)
_TAG_METAS = ("keywords", "article:tag", "news_keywords", "dc.subject")
_ARTICLE_TYPES = ("Article", "Posting", "WebPage", "Report", "Book", "CreativeWork")
"""Ends of the names of what in JSON-LD is the document itself."""

Metas = Mapping[str, list[str]]


def html_properties(data: bytes, charset: str) -> Properties:
    """What a page says of itself; what `meta` does not tell is looked for in its JSON-LD."""
    from lxml import html

    text = decode_text(data[:HEAD_BYTES], "a page", charset)
    tree = html.document_fromstring(text.encode("utf-8", "replace"), parser=html.HTMLParser(encoding="utf-8"))
    metas = _read_metas(tree)
    told = list(_articles(tree))
    return Properties(
        joined_authors(_of_first(metas, _AUTHOR_METAS)) or joined_authors(_authors_of(told)),
        first_date(_dates(metas, told)),
        parted_tags([*_all_of(metas, _TAG_METAS)]) or parted_tags(_keywords_of(told)),
    )


def _read_metas(tree: Any) -> Metas:
    found: dict[str, list[str]] = defaultdict(list)
    for meta in tree.iter("meta"):
        name = (meta.get("name") or meta.get("property") or meta.get("itemprop") or "").strip().lower()
        if name and (content := (meta.get("content") or "").strip()):
            found[name].append(content)
    return found


def _of_first(metas: Metas, names: Iterable[str]) -> list[str]:
    """What the first name says that says something of people: an address of theirs is none."""
    return next((metas[name] for name in names if joined_authors(metas.get(name, []))), [])


def _all_of(metas: Metas, names: Iterable[str]) -> Iterator[str]:
    for name in names:
        yield from metas.get(name, [])


def _dates(metas: Metas, told: Iterable[dict[str, Any]]) -> Iterator[str]:
    for value in _all_of(metas, _DATE_METAS):
        # As journals have it: 2026/11/25.
        yield value.replace("/", "-") if len(value) == len("2026/11/25") else value
    for article in told:
        yield from (str(article.get(name, "")) for name in ("datePublished", "dateCreated"))


def _articles(tree: Any) -> Iterator[dict[str, Any]]:
    """The objects of JSON-LD that are the document itself."""
    scripts = [one for one in tree.iter("script") if (one.get("type") or "").strip().lower() == "application/ld+json"]
    for script in scripts[:MAX_SCRIPTS]:
        try:
            parsed = json.loads(script.text or "")
        except (ValueError, RecursionError):
            continue
        for one in _objects(parsed)[:MAX_OBJECTS]:
            if any(str(kind).endswith(_ARTICLE_TYPES) for kind in _as_list(one.get("@type"))):
                yield one


def _objects(parsed: Any) -> list[dict[str, Any]]:
    """The objects at the top, and those of a graph."""
    top = [one for one in _as_list(parsed) if isinstance(one, dict)]
    return [each for one in top for each in [one, *_as_list(one.get("@graph"))] if isinstance(each, dict)]


def _authors_of(told: Iterable[dict[str, Any]]) -> list[Any]:
    return next((named for article in told if (named := _as_list(article.get("author")))), [])


def _keywords_of(told: Iterable[dict[str, Any]]) -> list[Any]:
    return next((named for article in told if (named := _as_list(article.get("keywords")))), [])


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]

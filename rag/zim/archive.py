"""A ZIM archive, read by libzim: only in the process for files, which a damaged archive may end."""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import date
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag.readers.damage import translate_damage
from rag.readers.formats import one_line_title, read_one
from rag.readers.text import name_of
from rag.zim.values import ArchiveFacts, ArchiveRequest, ArticleFound, ArticleText
from utils.errors import DocumentError
from utils.files import open_regular
from utils.text import one_line

if TYPE_CHECKING:
    from libzim.reader import Archive, Entry, Item
    from libzim.search import Search
    from libzim.suggestion import SuggestionSearch

MAX_ARTICLE_BYTES = 10_000_000
"""As large as a web page may be."""
_ZIM_BEGIN = b"ZIM\x04"
_PARTS = ".zimaa"
"""The ending of an archive's first file where it was split."""
_REDIRECTS = 8
"""Redirects that are followed."""
_SNIPPET_BYTES = 1_000_000
"""Bytes of an article of which the beginning is shown with a search's results."""
_SNIPPET_CHARS = 300
_LEAST_PARAGRAPH = 60
"""Characters below which a paragraph is hardly what an article begins with."""
_ARTICLES = frozenset({"text/html", "application/xhtml+xml", "application/pdf", "text/plain", "text/markdown"})
_RANK_DAMPING = 60
"""The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009)."""
_WIKI_NAME = re.compile(r"[_\s]+")


def answer_request(path: str, request: ArchiveRequest) -> dict[str, Any]:
    """What was asked of the archive in a file, as plain values; raises `DocumentError`."""
    name = name_of(path)
    _require_zim(Path(path), name)
    with translate_damage(name, "a ZIM archive"):
        archive = open_archive(Path(path))
        match request.want:
            case "facts":
                return asdict(_read_facts(archive, name))
            case "search":
                return {"found": [asdict(found) for found in _search(archive, request.words, request.limit)]}
            case "article":
                return asdict(_read_article(archive, request.path, name))


def open_archive(path: Path) -> "Archive":
    """The archive in a file, or in the parts whose first one it is."""
    from libzim.reader import Archive

    return Archive(path.with_suffix(".zim") if path.suffix == _PARTS else path)


def _require_zim(path: Path, name: str) -> None:
    """Raise `DocumentError` for what libzim need not see: it says little of what is no archive."""
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            begins = file.read(len(_ZIM_BEGIN))
    except FileNotFoundError as error:
        raise DocumentError(f"{path} does not exist.", "Check search.zim_files.") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "its name cannot be one"
        raise DocumentError(f"{path} cannot be read: {reason}.", "Check search.zim_files.") from error
    if begins != _ZIM_BEGIN:
        raise DocumentError(f"{name} is no ZIM archive.", "Check search.zim_files.")


def _read_facts(archive: "Archive", name: str) -> ArchiveFacts:
    told = {key: _metadata(archive, key) for key in ("Title", "Date", "Language")}
    languages = tuple(code[:20] for code in re.findall(r"[a-z]+", told["Language"].lower())[:500])
    articles = archive.article_count or archive.entry_count
    title = one_line(told["Title"]) or Path(name).stem
    return ArchiveFacts(title, _day(told["Date"]), languages, articles, archive.has_fulltext_index)


def _metadata(archive: "Archive", key: str) -> str:
    with suppress(RuntimeError, KeyError):
        return str(archive.get_metadata(key)[:10_000], "utf-8", "replace")
    return ""


def _day(told: str) -> str:
    try:
        return date.fromisoformat(told.strip()[:10]).isoformat()
    except ValueError:
        return ""


def _search(archive: "Archive", words: Sequence[str], limit: int) -> Iterator[ArticleFound]:
    """The articles with the words, in their text and in their titles, best first, each once."""
    indexes = [*([_text_index(archive)] if archive.has_fulltext_index else []), _title_index(archive)]
    scores: dict[str, float] = {}
    for index in indexes:
        for rank, (path, share) in enumerate(_look_up(index, words, limit).items()):
            # What libzim raises on an article that is damaged: the others are found all the same.
            with suppress(RuntimeError):
                if entry := _article_at(archive, path):
                    scores[entry.path] = scores.get(entry.path, 0.0) + share / (_RANK_DAMPING + rank)
    for path in sorted(scores, key=lambda path: -scores[path])[:limit]:
        with suppress(RuntimeError):
            entry = archive.get_entry_by_path(path)
            yield ArticleFound(path, one_line_title(entry.title) or path, _first_words(entry.get_item()))


_Index = Callable[[str], "Search | SuggestionSearch"]
"""What finds the articles that have all of some words."""


def _text_index(archive: "Archive") -> _Index:
    from libzim.search import Query, Searcher

    searcher = Searcher(archive)
    return lambda words: searcher.search(Query().set_query(words))


def _title_index(archive: "Archive") -> _Index:
    from libzim.suggestion import SuggestionSearcher

    searcher = SuggestionSearcher(archive)
    return lambda words: searcher.suggest(words)


def _look_up(index: _Index, words: Sequence[str], limit: int) -> dict[str, float]:
    """The paths of what has all the words, then of what has all but the most common one, and so on.

    Each with the share of the words that was looked for. That is how it is done as libzim knows no `or`.
    """
    spread = {word: index(word).getEstimatedMatches() for word in words}
    rarest = sorted((word for word in words if spread[word]), key=lambda word: spread[word])
    found: dict[str, float] = {}
    for count in range(len(rarest), 0, -1):
        kept = set(rarest[:count])
        search = index(" ".join(word for word in words if word in kept))
        found = dict.fromkeys(search.getResults(0, limit), count / len(words)) | found
        if len(found) >= limit:
            break
    return found


def _article_at(archive: "Archive", path: str) -> "Entry | None":
    """The article at a path, or to which it leads; None for pictures and the like, and for redirects in circles."""
    if not archive.has_entry_by_path(path):
        return None
    entry = archive.get_entry_by_path(path)
    for _ in range(_REDIRECTS):
        if not entry.is_redirect:
            return entry if _media_type(entry.get_item()) in _ARTICLES else None
        entry = entry.get_redirect_entry()
    return None


def _media_type(item: "Item") -> str:
    return str(item.mimetype).partition(";")[0].strip().lower()


def _first_words(item: "Item") -> str:
    """How an article begins; empty where that cannot be told at once."""
    from lxml import etree, html

    if item.size > _SNIPPET_BYTES or "html" not in item.mimetype:
        return ""
    try:
        tree = html.document_fromstring(bytes(item.content), parser=html.HTMLParser(encoding="utf-8"))
    except (etree.LxmlError, ValueError):
        return ""
    paragraphs = (" ".join(paragraph.itertext()) for paragraph in islice(tree.iter("p"), 50))
    texts = (" ".join(text.split()) for text in paragraphs)
    return one_line(next((text for text in texts if len(text) >= _LEAST_PARAGRAPH), ""), _SNIPPET_CHARS)


def _read_article(archive: "Archive", path: str, name: str) -> ArticleText:
    entry = next((found for each in _spellings(archive, path) if (found := _article_at(archive, each))), None)
    if entry is None:
        raise DocumentError(f"{name} holds no article {one_line(path, 100)!r}.", "Search for it.")
    item = entry.get_item()
    if item.size > MAX_ARTICLE_BYTES:
        raise DocumentError(f"{one_line(path, 100)} in {name} is larger than {MAX_ARTICLE_BYTES / 1e6:g} MB.")
    title, text, media_type = read_one(bytes(item.content), _media_type(item), entry.path, "utf-8")
    own = one_line_title(entry.title)
    return ArticleText(entry.path, own if own and own != entry.path else title, text, media_type)


def _spellings(archive: "Archive", path: str) -> Iterator[str]:
    """A path, and what whoever knows a title alone may write for it."""
    yield path
    yield _WIKI_NAME.sub("_", path.strip())
    title = _WIKI_NAME.sub(" ", path).strip()
    if archive.has_entry_by_title(title):
        yield archive.get_entry_by_title(title).path

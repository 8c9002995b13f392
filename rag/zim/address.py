"""Addresses of articles in ZIM archives, `zim://archive/path`, and how a source from one is told of.

Archives say of themselves which site they were made from. That is not believed for an address: an archive could give
its articles out for the pages of any site, in the library and in what is cited.
"""

from dataclasses import dataclass
from datetime import date
from urllib.parse import quote, unquote

from rag.documents import Document, Passage
from utils.errors import DocumentError
from utils.text import one_line

SCHEME = "zim://"
MAX_ARTICLE_ADDRESS = 8192
"""Characters."""
_UNQUOTED = "/!$&'()*,;=:@"


@dataclass(frozen=True)
class ArticleAddress:
    """Where an article is: the name of its archive's file without its ending, and its path in there."""

    archive: str
    path: str

    def __str__(self) -> str:
        return f"{SCHEME}{quote(self.archive, safe='')}/{quote(self.path, safe=_UNQUOTED)}"


def is_article(source: str) -> bool:
    """Whether a source is an article in a ZIM archive."""
    return source[: len(SCHEME)].lower() == SCHEME


def parse_article(address: str) -> ArticleAddress:
    """Read an address; raises `DocumentError` for what is none."""
    name, _, rest = address.strip()[len(SCHEME) :].partition("/")
    path = unquote(rest.partition("#")[0])
    if not is_article(address) or not name or not path or len(address) > MAX_ARTICLE_ADDRESS or "\0" in path:
        raise DocumentError("That is no address of an article.", "Write it as a search gave it: zim://archive/article.")
    return ArticleAddress(unquote(name), path)


def archive_of(source: str) -> str:
    """The archive that a source is from, by its file's name; empty for what is no article."""
    return unquote(source[len(SCHEME) :].partition("/")[0]) if is_article(source) else ""


def tell_archive(source: str, moment: str) -> str:
    """An article's archive and of when it is: `the archive towns, of March 2024`; empty for what is no article."""
    name = one_line(archive_of(source), 100)
    month = month_of(moment)
    return f"the archive {name}{f', of {month}' if month else ''}" if name else ""


def tell_origin(text: Passage | Document, read: str = "read", characters: int = 10) -> str:
    """When a text was read, to so many characters, or from which archive it is; empty where nothing is known."""
    if told := tell_archive(text.source, text.fetched):
        return f"from {told}"
    return f"{read} {text.fetched[:characters].replace('T', ' ')}" if text.fetched else ""


def month_of(moment: str) -> str:
    """A month as it is read, from a day or a moment: `March 2024`; empty where it is none."""
    try:
        return f"{date.fromisoformat(moment[:10]):%B %Y}"
    except ValueError:
        return ""

"""What is asked of a ZIM archive, and what it tells: plain values, which go between processes."""

from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta

ZIM = "application/x-zim"
Short = Annotated[str, Meta(max_length=1000)]
Count = Annotated[int, Meta(ge=0)]


@dataclass(frozen=True)
class ArchiveRequest:
    """What is wanted: what the archive says of itself, the articles with some words, or one article."""

    want: Literal["facts", "search", "article"]
    words: tuple[str, ...] = ()
    limit: int = 0
    """Articles that are found at most."""
    path: str = ""
    """That of the article."""


@dataclass(frozen=True)
class ArchiveFacts:
    """What an archive says of itself."""

    title: Short
    date: Annotated[str, Meta(pattern=r"^([0-9]{4}-[0-9]{2}-[0-9]{2})?$")]
    """The day it was made, ISO 8601; empty where it does not say."""
    languages: Annotated[tuple[Annotated[str, Meta(max_length=20)], ...], Meta(max_length=500)]
    """By their codes, mostly ISO 639-3: `eng`."""
    articles: Count
    full_text: bool
    """Whether the words of its articles can be searched, and not their titles alone."""


@dataclass(frozen=True)
class ArticleFound:
    """An article that a search found."""

    path: Annotated[str, Meta(max_length=8000)]
    title: Short
    snippet: Short


@dataclass(frozen=True)
class ArticlesFound:
    """What a search found, best first."""

    found: tuple[ArticleFound, ...]


@dataclass(frozen=True)
class ArticleText:
    """An article that was read; `path` is where redirects led."""

    path: Annotated[str, Meta(max_length=8000)]
    title: Short
    text: str
    media_type: Short

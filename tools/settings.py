"""The settings of searching and fetching."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field


class SearchSettings(BaseModel):
    """Searching the web."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    engines: tuple[str, ...] = ("duckduckgo", "brave", "mojeek", "wikipedia")
    """Engines of ddgs, asked one after the other until one answers."""
    news_engines: tuple[str, ...] = ("duckduckgo", "bing", "yahoo")
    """Engines of ddgs for news."""
    searxng_url: str = ""
    """Address of a SearXNG server that is asked first; its JSON format must be on."""
    region: str = Field("us-en", pattern=r"^[a-z]{2}-[a-z]{2,3}$")
    """Region and language of the results, as ddgs writes them; wt-wt: none."""
    safesearch: Literal["on", "moderate", "off"] = "moderate"
    """How strictly the engines filter."""
    timeout: float = Field(8, gt=0, le=120)
    """Seconds for one search over all engines."""
    engine_rest: float = Field(300, ge=0)
    """Seconds that a failing engine is passed over."""


class FetchSettings(BaseModel):
    """Opening pages."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    timeout: float = Field(20, gt=0, le=600)
    """Seconds for one page, redirects and body included."""
    max_bytes: int = Field(10_000_000, gt=0)
    """Largest page, in bytes after decompression."""
    allow_hosts: tuple[Annotated[str, Field(pattern=r"^(\[[0-9A-Fa-f:.]+\]|[^\s:/@]+):[0-9]{1,5}$")], ...] = ()
    """Private `host:port` addresses that may be opened all the same."""
    cache_hours: float = Field(24, ge=0)
    """Hours for which a page that was read is not asked for again."""


class RankingSettings(BaseModel):
    """What is read of what a search found."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    max_search_results: int = Field(20, ge=1, le=100)
    """Results that a search asks for."""
    auto_fetch_threshold: float = Field(0.6, ge=-1, le=1)
    """Results at least this similar to the question are opened; the best one if none is."""
    auto_fetch_limit: int = Field(3, ge=0)
    """Pages that one search opens at most; 0: no limit."""

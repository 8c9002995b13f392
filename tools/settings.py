"""The settings of searching and fetching."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from utils.settings import Name


@dataclass(frozen=True, kw_only=True)
class SearchSettings:
    """Searching the web."""

    engines: tuple[Name, ...] = ("duckduckgo", "brave", "mojeek", "wikipedia")
    """Engines of ddgs, asked one after the other until one answers."""
    news_engines: tuple[Name, ...] = ("duckduckgo", "bing", "yahoo")
    """Engines of ddgs for news."""
    searxng_url: Name = ""
    """Address of a SearXNG server that is asked first; its JSON format must be on."""
    zim_files: tuple[Path, ...] = ()
    """ZIM archives, or folders of them, that are searched on this machine beside the engines, and offline."""
    region: Annotated[str, Meta(pattern=r"^[a-z]{2}-[a-z]{2,3}$")] = "us-en"
    """Region and language of the results, as ddgs writes them; wt-wt: none."""
    safesearch: Literal["on", "moderate", "off"] = "moderate"
    """How strictly the engines filter."""
    timeout: Annotated[float, Meta(gt=0, le=120)] = 8
    """Seconds for one search over all engines."""
    engine_rest: Annotated[float, Meta(ge=0, le=86_400)] = 300
    """Seconds that a failing engine is passed over."""


@dataclass(frozen=True, kw_only=True)
class FetchSettings:
    """Opening pages."""

    timeout: Annotated[float, Meta(gt=0, le=600)] = 20
    """Seconds for one page, redirects and body included."""
    max_bytes: Annotated[int, Meta(gt=0, le=1_000_000_000)] = 10_000_000
    """Largest page, in bytes after decompression."""
    allow_hosts: tuple[
        Annotated[str, Meta(max_length=300, pattern=r"^(\[[0-9A-Fa-f:.]+\]|[^\s:/@]+):[0-9]{1,5}$")], ...
    ] = ()
    """Private `host:port` addresses that may be opened all the same."""
    cache_hours: Annotated[float, Meta(ge=0, le=876_000)] = 24
    """Hours for which a page that was read is not asked for again."""
    browser: bool = True
    """Render pages whose text their scripts write, where the extra `browser` and a Chromium are installed."""


@dataclass(frozen=True, kw_only=True)
class CrawlSettings:
    """Taking in whole sites."""

    pages: Annotated[int, Meta(ge=1, le=1_000_000)] = 500
    """Pages that one run takes in, unless --pages says otherwise."""
    delay: Annotated[float, Meta(ge=0, le=600)] = 0.5
    """Seconds from one request to the next; more where the site's robots.txt asks for more."""
    max_delay: Annotated[float, Meta(ge=0, le=600)] = 30
    """Seconds that a site can ask to wait, for each request by robots.txt or when it has too much to do."""
    max_similar: Annotated[int, Meta(ge=1, le=1_000_000)] = 100
    """Addresses that differ in their numbers or behind the question mark alone, of which so many are asked for; those
    of a sitemap all.
    """
    remove_gone: bool = False
    """Remove pages from the library that are no longer there; false: they stay, with the tag `gone`."""


@dataclass(frozen=True, kw_only=True)
class RankingSettings:
    """What is read of what a search found."""

    max_search_results: Annotated[int, Meta(ge=1, le=100)] = 20
    """Results that a search asks for."""
    auto_fetch_threshold: Annotated[float, Meta(ge=-1, le=1)] = 0.6
    """Results at least this similar to the question are opened; the best one if none is."""
    auto_fetch_limit: Annotated[int, Meta(ge=0, le=100)] = 3
    """Pages that one search opens at most; 0: no limit."""


@dataclass(frozen=True, kw_only=True)
class McpSettings:
    """Tools of other programs and servers, over the Model Context Protocol."""

    config: Path | None = None
    """The file of servers; unset: MCP_CONFIG_PATH, else mcp.json beside the configuration."""
    max_tools: Annotated[int, Meta(ge=0, le=200)] = 40
    """Tools that the model is offered at most, of all servers together."""

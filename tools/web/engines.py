"""Search engines: ddgs's, each by itself, and a SearXNG server."""

import math
from functools import partial
from typing import Any
from urllib.parse import urlencode

from pydantic import BaseModel, ValidationError

from rag.zim.shelf import ZimShelf
from tools.settings import SearchSettings
from tools.web.archives import ArchiveEngine
from tools.web.fallback import EngineError, Query, SearchEngine, Searcher, SearchResult
from utils.errors import AddressRefused, ConfigError, MagpieError, NetworkError, Offline, Unreachable
from utils.network.access import NetworkAccess
from utils.network.addresses import endpoint_policy, public_web
from utils.network.connect_proxy import open_relay
from utils.network.dialer import Dialer
from utils.network.http import Client, ExchangeLimits
from utils.text import one_line
from utils.threads import run_detached

THROTTLED = frozenset({202, 403, 429})
"""Statuses by which engines turn programs away; DuckDuckGo does it by 202."""
CHALLENGE = "anomaly-modal"
"""Stands in DuckDuckGo's page that asks for proof of being human, status 200."""
TIME_LIMITS = {"day": "d", "week": "w", "month": "m", "any": None}
SAFE_SEARCH = {"off": "0", "moderate": "1", "on": "2"}


class DdgsEngine:
    """One engine of ddgs, run in a thread that is let go when it is late.

    Its client is not Python's: it is given a proxy of ours, which ends with the search.
    """

    def __init__(
        self, name: str, settings: SearchSettings, dialer: Dialer, engine_class: type[Any] | None = None
    ) -> None:
        self.name = name
        self._settings = settings
        self._dialer = dialer
        self._engine_class = engine_class

    async def search(self, query: Query) -> list[SearchResult]:
        """The results, best first; raises `EngineError`."""
        async with open_relay(self._dialer) as relay:
            try:
                rows = await run_detached(partial(self._ask_engine, query, relay.url))
            except EngineError as error:
                if relay.failure is None:
                    raise
                raise failed_connection(relay.failure) from error
        return [
            SearchResult(
                one_line(row.title),
                getattr(row, "href", "") or getattr(row, "url", ""),
                one_line(row.body or "", 500),
                one_line(getattr(row, "date", "") or "", 40),
            )
            for row in rows
        ]

    def _ask_engine(self, query: Query, proxy: str) -> list[Any]:
        from ddgs.exceptions import DDGSException, TimeoutException
        from lxml.etree import LxmlError

        engine_class = self._engine_class or self._find_class(query.news)
        ca_file = self._dialer.reach.ca_file
        timeout = math.ceil(self._settings.timeout)
        engine = engine_class(proxy=proxy, timeout=timeout, verify=str(ca_file) if ca_file else True)
        engine.http_client = _StatusReader(engine.http_client)
        try:
            rows = engine.search(
                query.text, self._settings.region, self._settings.safesearch, TIME_LIMITS[query.period]
            )
        except TimeoutException as error:
            raise EngineError("late") from error
        except DDGSException as error:
            raise EngineError("failed", one_line(str(error), 80)) from error
        except (ValueError, LookupError, TypeError, AttributeError, LxmlError) as error:
            raise EngineError("failed", "its page could not be read") from error
        return rows or []

    def _find_class(self, news: bool) -> type[Any]:
        from ddgs.engines import ENGINES

        known: dict[str, type[Any]] = ENGINES["news" if news else "text"]
        if self.name not in known:
            raise EngineError("failed", f"there is no such engine; there are {', '.join(sorted(known))}")
        return known[self.name]


class _StatusReader:
    """Stands before an engine's HTTP client, which throws the status away, and reads it."""

    def __init__(self, inner: Any) -> None:
        self.client = inner.client
        self._inner = inner

    def request(self, *args: Any, **kwargs: Any) -> Any:
        """The answer, if it is one; raises `EngineError`."""
        response = self._inner.request(*args, **kwargs)
        if response.status_code in THROTTLED or CHALLENGE in response.text:
            raise EngineError("throttled", f"status {response.status_code}")
        if response.status_code != 200:
            raise EngineError("failed", f"status {response.status_code}")
        return response


class _Row(BaseModel):
    title: str = ""
    url: str = ""
    content: str | None = ""
    publishedDate: str | None = ""


class _Answer(BaseModel):
    results: list[_Row]
    unresponsive_engines: list[list[str]] = []


class SearxngEngine:
    """A SearXNG server that the user configured, asked for JSON; private addresses are open to it alone.

    Wherever it is, what it is asked leaves this machine: it asks other engines.
    """

    name = "searxng"

    def __init__(self, settings: SearchSettings, reach: NetworkAccess) -> None:
        self._settings = settings
        self._reach = reach
        self._url = settings.searxng_url.rstrip("/").removesuffix("/search")
        try:
            policy = endpoint_policy(self._url)
        except AddressRefused as error:
            # The address itself is not repeated: who writes a user name into it writes a password, too.
            remedy = "Write it as http://host:port."
            raise ConfigError(f"search.searxng_url cannot be used: {error.problem}", remedy) from error
        self._client = Client(policy, ExchangeLimits(settings.timeout, 5_000_000), reach, "searxng")

    async def search(self, query: Query) -> list[SearchResult]:
        """The results, best first; raises `EngineError`."""
        parameters = {
            "q": query.text,
            "format": "json",
            "categories": "news" if query.news else "general",
            "language": self._settings.region.partition("-")[2].replace("wt", "all"),
            "safesearch": SAFE_SEARCH[self._settings.safesearch],
        }
        if query.period != "any":
            parameters["time_range"] = query.period
        try:
            self._reach.require_online("What is searched for would leave this machine")
            response = await self._client.get(f"{self._url}/search?{urlencode(parameters)}")
        except NetworkError as error:
            raise failed_connection(error) from error
        return _read_answer(response.status, response.body)


def failed_connection(error: MagpieError) -> EngineError:
    """What it means for a search that a connection was not made."""
    match error:
        case Offline():
            return EngineError("offline", error.problem)
        case Unreachable():
            return EngineError("unreachable", error.problem)
    return EngineError("failed", error.problem)


def _read_answer(status: int, body: bytes) -> list[SearchResult]:
    """SearXNG answers 403 when its JSON format is off, and names the engines behind it that gave nothing."""
    if status == 403:
        raise EngineError("failed", "status 403: switch its JSON format on (search.formats in its settings.yml)")
    if status != 200:
        raise EngineError("throttled" if status in THROTTLED else "failed", f"status {status}")
    try:
        answer = _Answer.model_validate_json(body)
    except ValidationError as error:
        raise EngineError("failed", "its answer is not SearXNG's JSON") from error
    if not answer.results and answer.unresponsive_engines:
        silent = one_line("; ".join(": ".join(pair) for pair in answer.unresponsive_engines), 120)
        raise EngineError("failed", f"the engines behind it did not answer ({silent})")
    return [
        SearchResult(one_line(r.title), r.url, one_line(r.content or "", 500), one_line(r.publishedDate or "", 40))
        for r in answer.results
    ]


def make_searchers(
    settings: SearchSettings, reach: NetworkAccess, shelf: ZimShelf | None = None
) -> tuple[Searcher, Searcher]:
    """The searchers for the web and for news; a SearXNG server is asked first where one is configured.

    The archives of a shelf are searched beside the web; none of them has news.
    """
    own: list[SearchEngine] = [SearxngEngine(settings, reach)] if settings.searxng_url else []

    def make_ddgs(name: str) -> SearchEngine:
        return DdgsEngine(name, settings, Dialer(reach, public_web(), name))

    web = [*own, *map(make_ddgs, settings.engines)]
    news = [*own, *map(make_ddgs, settings.news_engines)]
    local = [ArchiveEngine(shelf)] if shelf and not shelf.is_empty else []
    return Searcher(web, settings, local=local), Searcher(news, settings)

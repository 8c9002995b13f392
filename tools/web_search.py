"""The tools that reach the web: search, news, and opening a page."""

import asyncio
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import Field

from rag.documents import Document, Passage
from rag.library import Library
from rag.ranking import collapse
from tools.base import ToolContext, ToolResult
from tools.fetch import Fetcher
from tools.page_cache import now
from tools.ranking import Ranked, Ranker
from tools.searcher import Found, Query, Searcher, SearchResult
from tools.settings import RankingSettings
from utils.addresses import host_of
from utils.errors import EmbedderUnavailable, LibraryError, MagpieError, ToolError
from utils.text import one_line

log = logging.getLogger(__name__)

PASSAGES = 12
"""Passages that a search hands out at most; what does not fit the window is left out by whoever assembles it."""
PAGE_PASSAGES = 400
LISTED = 6
"""Unopened results that are listed: a small model reads some 40 tokens for each."""
BEST_OF_PAGE = 5
"""Passages that stand before the others when one page was opened."""
LAST_START = 30.0
"""Seconds after which no further iteration begins: a search (8 s) and its pages (20 s) still fit a call's 60 s."""
INDEXING_WAIT = 5.0
"""Seconds that a call waits for its pages to be indexed; a longer page goes on being indexed in the background."""

TROUBLES = {
    "throttled": "The search engines turn requests away for now",
    "failed": "The search failed",
    "late": "No search engine answered in time",
    "unreachable": "No search engine can be reached; there seems to be no network connection",
    "resting": "The search engines failed a moment ago and are left alone for a few minutes",
}
ADVICE = "That does not mean that nothing exists: look into the library, or say that the web cannot be searched now."


@dataclass
class _Harvest:
    """What one call has found so far."""

    queries: list[str] = field(default_factory=list)
    ranked: list[Ranked] = field(default_factory=list)
    pages: list[Document] = field(default_factory=list)
    tried: set[str] = field(default_factory=set)
    opened: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    passages: list[Passage] = field(default_factory=list)

    def add(self, ranked: Sequence[Ranked], chosen: Sequence[SearchResult]) -> None:
        """Take in the results of one search; a result that was there before takes its new place."""
        new = {r.result.url for r in ranked}
        both = [*(r for r in self.ranked if r.result.url not in new), *ranked]
        self.ranked = sorted(both, key=lambda r: -(r.similarity or 0.0))
        self.tried |= {result.url for result in chosen}

    @property
    def unopened(self) -> list[SearchResult]:
        """Results that were not read, best first."""
        return [ranked.result for ranked in self.ranked if ranked.result.url not in self.opened]


class Web:
    """What the web's tools need; with a library, what they find is indexed."""

    def __init__(
        self,
        searchers: tuple[Searcher, Searcher],
        fetcher: Fetcher,
        ranker: Ranker,
        settings: RankingSettings,
        library: Library | None = None,
    ) -> None:
        self._web, self._news = searchers
        self._fetcher = fetcher
        self._ranker = ranker
        self._settings = settings
        self._library = library
        self._indexing: set[asyncio.Task[None]] = set()
        self._warned: set[str] = set()

    async def web_search(
        self, context: ToolContext, query: str, iterations: Annotated[int, Field(ge=1, le=5)] = 1
    ) -> ToolResult:
        """Search the web and read the best pages; returns their best passages and a list of further results.

        Args:
            query: What to look for, in a few words that stand alone.
            iterations: How many searches, 1 to 5, each worded from what was found before; 1 unless told.
        """
        harvest = _Harvest()
        start = time.monotonic()
        for number in range(1, iterations + 1):
            if iterations > 1:
                context.report(f"iteration {number} of {iterations}: {one_line(query, 80)}")
            try:
                await self._gather(context, Query(query), harvest)
            except ToolError:
                if number == 1:
                    raise
                break
            if number == iterations or context.reword is None or time.monotonic() - start > LAST_START:
                break
            query = one_line(await context.reword(context.question, _found_so_far(harvest)))
            if not query or query in harvest.queries:
                break
        return await self._finish(context, harvest)

    async def news_search(
        self, context: ToolContext, query: str, period: Literal["day", "week", "month", "any"] = "any"
    ) -> ToolResult:
        """Search recent news and read the best articles.

        Args:
            query: What to look for, in a few words that stand alone.
            period: How recent the articles must be.
        """
        harvest = _Harvest()
        await self._gather(context, Query(query, news=True, period=period), harvest)
        return await self._finish(context, harvest)

    async def fetch_url_content(self, context: ToolContext, url: str) -> ToolResult:
        """Open a web page or PDF by its address and return its text.

        Args:
            url: The address, beginning with http:// or https://.
        """
        try:
            page = await self._fetcher.fetch(url)
        except MagpieError as error:
            raise ToolError(f"The page was not opened: {error} Try another address or search the web.") from error
        best, all_in_order = await self._ranker.rank_passages(context.question or page.title, page)
        self._warn(context, self._ranker.trouble)
        await self._keep(context, [page], [url])
        first = best[:BEST_OF_PAGE]
        indexes = {passage.chunk_index for passage in first}
        rest = [passage for passage in all_in_order if passage.chunk_index not in indexes]
        where = f"{one_line(page.title, 100)} ({host_of(page.source)})"
        text = f"{where}, {len(page.text):,} characters, read {page.fetched[:10]}."
        return ToolResult(text, tuple([*first, *rest][:PAGE_PASSAGES]))

    async def close(self) -> None:
        """Wait until everything that was found is indexed."""
        await asyncio.gather(*self._indexing)

    async def _gather(self, context: ToolContext, query: Query, harvest: _Harvest) -> None:
        """One search: its results ranked, the best ones read; raises `ToolError` if the engines gave no answer."""
        harvest.queries.append(query.text)
        found = await (self._news if query.news else self._web).search(query)
        if found.state not in ("found", "empty") or not found.reports:
            raise ToolError(_explain(found))
        question = context.question or query.text
        results = found.results[: self._settings.max_search_results]
        fresh = [result for result in results if result.url not in harvest.tried]
        ranked = await self._ranker.rank_results(question, query.text, fresh)
        self._warn(context, self._ranker.trouble)
        chosen = self._choose(ranked)
        harvest.add(ranked, chosen)
        if chosen:
            hosts = ", ".join(dict.fromkeys(host_of(result.url) for result in chosen))
            context.report(f"{len(found.results)} results, reading {hosts}")
        pages = await asyncio.gather(*(self._open(result, harvest) for result in chosen))
        for page in pages:
            if page and page.source not in {other.source for other in harvest.pages}:
                harvest.pages.append(page)
                harvest.passages += (await self._ranker.rank_passages(question, page))[0]

    def _choose(self, ranked: Sequence[Ranked]) -> list[SearchResult]:
        """Which results to open: those near enough to the question, else the best one.

        The best one is nearest to question and query together: a question that follows another says little by itself.
        """
        limit = self._settings.auto_fetch_limit or len(ranked)
        near = [r for r in ranked if r.similarity is None or r.similarity >= self._settings.auto_fetch_threshold]
        best = sorted(ranked, key=lambda r: -((r.similarity or 0.0) + r.to_query))[:1]
        return [r.result for r in near or best][:limit]

    async def _open(self, result: SearchResult, harvest: _Harvest) -> Document | None:
        try:
            page = await self._fetcher.fetch(result.url)
        except MagpieError as error:
            harvest.failures.append(error.problem)
            return None
        harvest.opened.append(result.url)
        return page

    async def _finish(self, context: ToolContext, harvest: _Harvest) -> ToolResult:
        """What the model is handed; pages, and results that were not read, go into the library."""
        if not harvest.ranked:
            return ToolResult(f"The search for {harvest.queries[-1]!r} found nothing. Try other or fewer words.")
        snippets = [_snippet(result) for result in harvest.unopened if result.snippet]
        await self._keep(context, [*harvest.pages, *snippets], harvest.opened)
        best = collapse(sorted(harvest.passages, key=lambda passage: -passage.similarity))
        if not best:
            best = [passage for snippet in snippets[:LISTED] for passage in self._ranker.cut(snippet)]
        return ToolResult(_list(harvest), tuple(best[:PASSAGES]))

    async def _keep(self, context: ToolContext, documents: Sequence[Document], opened: Sequence[str]) -> None:
        """Index documents; `opened` are the addresses by which they were found, if they redirect elsewhere."""
        if self._library is None or not documents:
            return
        task = asyncio.create_task(self._index(context, self._library, documents, opened))
        self._indexing.add(task)
        task.add_done_callback(self._indexing.discard)
        done, _ = await asyncio.wait({task}, timeout=INDEXING_WAIT)
        for finished in done:
            finished.result()

    async def _index(
        self, context: ToolContext, library: Library, documents: Sequence[Document], opened: Sequence[str]
    ) -> None:
        try:
            for document in documents:
                await library.add(document)
            for url in opened:
                old = await library.document(url)
                if old and old.origin == "snippet":
                    await library.remove(url)
        except EmbedderUnavailable as error:
            self._warn(context, error.problem)
        except LibraryError as error:
            self._warn(context, f"What was found is not kept in the library: {error.problem}")

    def _warn(self, context: ToolContext, trouble: str) -> None:
        """Tell the user of a trouble once."""
        if trouble and trouble not in self._warned:
            log.warning("%s", trouble)
            self._warned.add(trouble)
            context.report(trouble)


def _snippet(result: SearchResult) -> Document:
    """A result that was not opened, as far as it is known."""
    return Document(result.url, result.title, result.snippet, "snippet", fetched=now().isoformat(timespec="seconds"))


def _explain(found: Found) -> str:
    """Why there is no answer, engine by engine."""
    if not found.reports:
        return "No search engine is configured (search.engines, search.searxng_url)."
    details = "; ".join(f"{r.engine}: {r.detail or r.state}" for r in found.reports if r.state != "unreachable")
    return f"{TROUBLES[found.state]}{f' ({details})' if details else ''}. {ADVICE}"


def _found_so_far(harvest: _Harvest) -> str:
    """What the model words the next query from: the queries, the best passages, the titles."""
    best = sorted(harvest.passages, key=lambda passage: -passage.similarity)[:3]
    titles = [ranked.result.title for ranked in harvest.ranked[:LISTED]]
    return "\n".join([f"Searched: {'; '.join(harvest.queries)}", *(one_line(p.text, 300) for p in best), *titles])


def _list(harvest: _Harvest) -> str:
    """One line for each page that was read, that could not be read, and that could be opened next."""
    lines = [f"Read: {one_line(page.title, 100)} ({host_of(page.source)})" for page in harvest.pages]
    lines += [f"Not opened: {problem}" for problem in harvest.failures]
    for result in harvest.unopened[:LISTED]:
        date = f", {result.date[:10]}" if result.date else ""
        lines.append(f"- {one_line(result.title, 80)} ({result.url}{date}): {one_line(result.snippet, 100)}")
    return "\n".join(lines)

"""The tools that reach the web: search, news, and opening a page."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import Field

from rag.documents import Document
from rag.embedding.base import EmbeddedTexts
from rag.library import Library
from rag.search.selection import collapse_duplicates
from rag.zim.address import is_article, tell_origin
from tools.base import ToolContext, ToolResult
from tools.settings import RankingSettings
from tools.web.editions import with_present_editions
from tools.web.fallback import Query, Searcher, SearchResult
from tools.web.fetch import Fetcher
from tools.web.ranking import RankedResult, Ranker
from tools.web.report import (
    LISTED,
    Harvest,
    explain_failure,
    found_so_far,
    list_results,
    place_of,
    snippet_of,
    told_local,
)
from utils.errors import EmbedderUnavailable, LibraryError, MagpieError, Offline, ToolError
from utils.faults import in_background, record_fault
from utils.network.addresses import host_of
from utils.text import one_line

log = logging.getLogger(__name__)

MAX_PASSAGES_HANDED = 12
"""Passages that a search hands out at most; what does not fit the window is left out by whoever assembles it."""
PAGE_PASSAGES = 400
BEST_OF_PAGE = 5
"""Passages that stand before the others when one page was opened."""
BEST_OPENED = 2
"""Results that are opened where none is near enough to the question: the second one has the answer now and then."""
LAST_START = 25.0
"""Seconds after which no further iteration begins: a search (8 s), its pages (20 s) and indexing still fit in 60 s."""
LATE_PAGES = 5.0
"""Seconds that the other pages are waited for once one is there; a late one is still read into the cache."""
CLOSING_WAIT = 10.0
"""Seconds that leaving waits for what is still being indexed."""
INDEXING_WAIT = 5.0
"""Seconds that a call waits for its pages to be indexed; a longer page goes on being indexed in the background."""


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
        harvest = Harvest()
        start = time.monotonic()
        for number in range(1, iterations + 1):
            if iterations > 1:
                context.report(f"iteration {number} of {iterations}: {one_line(query, 80)}")
            try:
                await self._gather_results(context, Query(query), harvest)
            except ToolError as error:
                if number == 1:
                    raise
                harvest.failures.append(f"Search {number} failed: {error.problem}")
                break
            if number == iterations or context.reword is None or time.monotonic() - start > LAST_START:
                break
            query = one_line(await context.reword(context.question or query, found_so_far(harvest)))
            if not query or query in harvest.queries or not context.may_send(query):
                break
        return await self._finish_search(context, harvest)

    async def news_search(
        self, context: ToolContext, query: str, period: Literal["day", "week", "month", "any"] = "any"
    ) -> ToolResult:
        """Search recent news and read the best articles.

        Args:
            query: What to look for, in a few words that stand alone.
            period: How recent the articles must be.
        """
        harvest = Harvest()
        await self._gather_results(context, Query(query, news=True, period=period), harvest)
        return await self._finish_search(context, harvest)

    async def fetch_url_content(self, context: ToolContext, url: str) -> ToolResult:
        """Open a web page or PDF by its address and return its text.

        Args:
            url: The address, beginning with http:// or https://, or as a search gave it.
        """
        page = await self._open(context, url)
        ranked = await self._ranker.rank_passages(context.question or page.title, page)
        self._warn_once(context, self._ranker.trouble)
        await self._keep_documents(context, [page], [url], {page.source: ranked.embedded} if ranked.embedded else {})
        first = ranked.best[:BEST_OF_PAGE]
        indexes = {passage.chunk_index for passage in first}
        rest = [passage for passage in ranked.in_order if passage.chunk_index not in indexes]
        host = "" if is_article(page.source) else f" ({host_of(page.source)})"
        text = f"{one_line(page.title, 100)}{host}, {len(page.text):,} characters, {tell_origin(page)}."
        return ToolResult(text, tuple([*first, *rest][:PAGE_PASSAGES]))

    async def read_page(self, context: ToolContext, url: str) -> Document:
        """The page or PDF at an address, which goes into the library; raises `ToolError`."""
        page = await self._open(context, url)
        await self._keep_documents(context, [page], [url])
        return page

    async def _open(self, context: ToolContext, url: str) -> Document:
        if not context.allowance.take_pages():
            raise ToolError(f"The page was not opened. {context.allowance.limit_reached}", "Answer from what there is.")
        try:
            return await self._fetcher.fetch(url)
        except Offline as error:
            raise ToolError(error.problem, "Look into the library, or say that no page can be opened now.") from error
        except MagpieError as error:
            raise ToolError(f"The page was not opened: {error}", "Try another address or search the web.") from error

    async def close(self) -> None:
        """Wait a little for what is still being indexed; what then remains is given up."""
        if self._indexing:
            _, unfinished = await asyncio.wait(self._indexing, timeout=CLOSING_WAIT)
            for task in unfinished:
                task.cancel()

    async def _gather_results(self, context: ToolContext, query: Query, harvest: Harvest) -> None:
        """One search: its results ranked, the best ones read; raises `ToolError` if the engines gave no answer."""
        harvest.queries.append(query.text)
        if not query.text.strip():
            raise ToolError("The query is empty.", "Say in a few words what to look for.")
        found = await (self._news if query.news else self._web).search(query)
        if found.state not in ("found", "empty") or not found.reports:
            raise explain_failure(found)
        if (local := told_local(found)) and local not in harvest.failures:
            harvest.failures.append(local)
        question = context.question or query.text
        results = found.results[: self._settings.max_search_results]
        fresh = [result for result in results if result.url not in harvest.tried]
        ranked = await self._ranker.rank_results(question, query.text, fresh)
        self._warn_once(context, self._ranker.trouble)
        chosen = with_present_editions(self._choose_results(ranked, fresh), fresh, question)
        granted = context.allowance.take_pages(len(chosen))
        if granted < len(chosen):
            context.report(context.allowance.limit_reached)
            harvest.failures.append(f"Not opened: {len(chosen) - granted} more. {context.allowance.limit_reached}")
            chosen = chosen[:granted]
        harvest.add_results(ranked, chosen)
        if chosen:
            hosts = ", ".join(dict.fromkeys(place_of(result.url, result.date) for result in chosen))
            context.report(f"{len(found.results)} results, reading {hosts}")
        for page in await self._open_all(chosen, harvest):
            if page.source not in {other.source for other in harvest.pages}:
                harvest.add_page(page, await self._ranker.rank_passages(question, page))

    def _choose_results(self, ranked: Sequence[RankedResult], found: Sequence[SearchResult]) -> list[SearchResult]:
        """Which results to open: those near enough to the question, else the best ones, and the engine's own first.

        The best are nearest to question and query together: a question that follows another says little by itself.
        """
        limit = self._settings.auto_fetch_limit or len(ranked)
        near = [r for r in ranked if r.similarity is None or r.similarity >= self._settings.auto_fetch_threshold]
        best = sorted(ranked, key=lambda r: -((r.similarity or 0.0) + r.to_query))[:BEST_OPENED]
        chosen = [r.result for r in near or best]
        return list(dict.fromkeys([*chosen[: limit - 1], *found[:1], *chosen[limit - 1 :]]))[:limit]

    async def _open_all(self, results: Sequence[SearchResult], harvest: Harvest) -> list[Document]:
        """The pages that could be opened in time, in the order of their results; the others are told of."""
        tasks = {asyncio.create_task(self._fetcher.fetch(result.url)): result for result in results}
        pages: dict[str, Document] = {}
        waiting = set(tasks)
        try:
            while waiting:
                patience = LATE_PAGES if pages else None
                done, waiting = await asyncio.wait(waiting, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
                if not done:
                    break
                for task in done:
                    try:
                        pages[tasks[task].url] = task.result()
                    except Exception as error:  # noqa: BLE001 - the other pages are read whatever this one did
                        why = record_fault(error, f"Reading {place_of(tasks[task].url)}").problem
                        harvest.failures.append(f"Not opened: {why}")
        finally:
            for task in waiting:
                task.cancel()
        harvest.failures += [f"Not opened: {place_of(tasks[task].url)} is too slow." for task in waiting]
        harvest.opened += pages
        return [pages[result.url] for result in results if result.url in pages]

    async def _finish_search(self, context: ToolContext, harvest: Harvest) -> ToolResult:
        """What the model is handed; pages, and results that were not read, go into the library."""
        if not harvest.ranked:
            return ToolResult(f"The search for {harvest.queries[-1]!r} found nothing. Try other or fewer words.")
        snippets = [snippet_of(result) for result in harvest.unopened_results if result.snippet]
        await self._keep_documents(context, [*harvest.pages, *snippets], harvest.opened, harvest.embedded)
        best = collapse_duplicates(sorted(harvest.passages, key=lambda passage: -passage.similarity))
        if not best:
            best = [passage for snippet in snippets[:LISTED] for passage in await self._ranker.cut_document(snippet)]
        links = tuple(dict.fromkeys(ranked.result.url for ranked in harvest.ranked))
        return ToolResult(list_results(harvest), tuple(best[:MAX_PASSAGES_HANDED]), links)

    async def _keep_documents(
        self,
        context: ToolContext,
        documents: Sequence[Document],
        opened: Sequence[str],
        embedded: Mapping[str, EmbeddedTexts] = MappingProxyType({}),
    ) -> None:
        """Index documents; `opened` are the addresses by which they were found, if they redirect elsewhere.

        What is `embedded` of a document, by its source, is not embedded again.
        """
        library = self._library
        if library is None or not documents:
            return
        pages = sum(document.origin == "web" for document in documents)
        context.keeping.pages += pages
        context.keeping.results += len(documents) - pages

        async def add() -> None:
            for document in documents:
                await library.add_all([document], embedded=embedded.get(document.source))
            for url in opened:
                old = await library.find_document(url)
                if old and old.origin == "snippet":
                    await library.remove(url)

        task = in_background(self._index_documents(context, add), "Keeping what was found")
        self._indexing.add(task)
        task.add_done_callback(self._indexing.discard)
        if context.answered:
            return
        await asyncio.wait({task}, timeout=INDEXING_WAIT)

    async def _index_documents(self, context: ToolContext, add: Callable[[], Awaitable[None]]) -> None:
        try:
            if context.answered:
                # On two cores embedding beside a model that is answering makes both several times slower.
                await context.answered.wait()
            await add()
        except EmbedderUnavailable as error:
            self._warn_once(context, error.problem)
        except LibraryError as error:
            self._warn_once(context, f"What was found is not kept in the library: {error.problem}")
        except Exception as error:  # noqa: BLE001 - what was read answers the question whether it is kept or not
            self._warn_once(context, str(record_fault(error, "Keeping what was found")))

    def _warn_once(self, context: ToolContext, trouble: str) -> None:
        """Tell the user of a trouble once."""
        if trouble and trouble not in self._warned:
            log.warning("%s", trouble)
            self._warned.add(trouble)
            context.report(trouble)

"""A web site goes into the library: its pages are kept as they come, and what became of the others is told."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field, replace
from functools import partial

from chatbot.config import Config
from chatbot.library.progress import counted
from rag.documents import Document
from rag.embedding.language_advice import Tally
from rag.library import Library
from tools.web.browser.renderer import PageRenderer
from tools.web.crawling.crawl_store import CrawlStore, PageRecord, Task
from tools.web.crawling.crawler import Crawler, CrawlLimits
from tools.web.crawling.outcomes import LEFT_OUT_WORDS, PageOutcome
from tools.web.crawling.polite import PoliteClient
from tools.web.crawling.scope import begin_scope
from utils.network.http import Client

GONE_TAG = "gone"
"""Tag of pages in the library that are no longer on their site."""
PAGES_KEPT_TOGETHER = 16
"""Pages that are embedded together: a process that is killed has these to embed again, and none to ask for again."""

MAX_FAILURES_LISTED = 50
"""Addresses that brought nothing and are told one by one."""


@dataclass(frozen=True)
class SiteRequest:
    """What of a site is wanted."""

    url: str
    depth: int
    pages: int
    whole_site: bool = False


@dataclass
class SiteSummary:
    """What taking in a site came to."""

    pages: int = 0
    """Pages that were new or had changed."""
    chunks: int = 0
    unchanged: int = 0
    gone: list[str] = field(default_factory=list)
    """Addresses of pages that were in the library and are no longer on the site."""
    replaced: int = 0
    """Pages that were removed, as they are known by another address."""
    requests: int = 0
    ending: str = ""
    """`done`, `pages` or `requests` for the limit that it came to; empty where it was broken off."""
    waiting: int = 0
    """Addresses that would have been next."""
    deeper: int = 0
    """Addresses that are more links away from the start than was wanted."""
    outcomes: dict[PageOutcome, int] = field(default_factory=dict)
    failures: list[tuple[str, str]] = field(default_factory=list)
    """The first addresses that brought nothing, and why."""
    started: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """Since it began."""
        return time.monotonic() - self.started

    @property
    def request_rate(self) -> float:
        """Requests a second."""
        return self.requests / max(self.seconds, 0.001)

    @property
    def failed(self) -> int:
        """Addresses that brought nothing."""
        return self.outcomes.get(PageOutcome.FAILED, 0)

    def __str__(self) -> str:
        parts = [f"Took in {counted(self.pages, 'page')}, {counted(self.chunks, 'chunk')}"]
        parts += [f"{self.unchanged:,} unchanged"] if self.unchanged else []
        parts += [f"{len(self.gone):,} gone"] if self.gone else []
        parts += [f"{self.replaced:,} now at another address"] if self.replaced else []
        parts += [f"{self.failed:,} failed"] if self.failed else []
        return f"{', '.join(parts)} ({self.seconds:.1f} s, {self.request_rate:.1f} requests/s)."

    def left_out(self) -> list[str]:
        """Why addresses were left out, by their number."""
        return [f"{self.outcomes[one]:,} {words}" for one, words in LEFT_OUT_WORDS.items() if self.outcomes.get(one)]


class SiteIngest:
    """Keeps the pages that a crawler finds; `summary` tells what that came to."""

    def __init__(self, library: Library, crawler: Crawler, collection: str = "", *, remove_gone: bool = False) -> None:
        self.summary = SiteSummary()
        self.crawler = crawler
        self._library = library
        self._collection = collection
        self._remove_gone = remove_gone
        self._visits: asyncio.Queue[PageRecord | None] = asyncio.Queue()
        self._ready = asyncio.Event()
        self._tally = Tally()

    def stop(self) -> None:
        """Ask for nothing more after the current page; what has come is still kept."""
        self.crawler.stop()

    async def language_advice(self) -> str:
        """What to change that what was taken in can be found; empty where all is well, or the same was told before."""
        return await self._library.foreign_text.give_advice(self._tally)

    async def run(self) -> AsyncGenerator[PageRecord, None]:
        """What came of each address; closing the stream stops at once. Raises `LibraryError` and `NetworkError`."""
        work = asyncio.create_task(self._take_in())
        work.add_done_callback(lambda _: self._visits.put_nowait(None))
        try:
            while visit := await self._visits.get():
                yield visit
            await work
        finally:
            work.cancel()
            await asyncio.wait({work})
            await asyncio.to_thread(self._count)

    async def _take_in(self) -> None:
        """Go over the site, and keep at the same time what has come."""
        await self._keep_pages()
        crawling = asyncio.create_task(self.crawler.run(self._note_visit))
        crawling.add_done_callback(lambda _: self._ready.set())
        try:
            while True:
                done = crawling.done()
                await self._keep_pages()
                if done:
                    break
                await self._ready.wait()
                self._ready.clear()
            await crawling
        finally:
            crawling.cancel()
            await asyncio.wait({crawling})

    def _note_visit(self, record: PageRecord) -> None:
        self._visits.put_nowait(record)
        self._ready.set()

    async def _keep_pages(self) -> None:
        """Do in the library what is to be done about pages, until nothing is left."""
        store = self.crawler.store
        while tasks := await asyncio.to_thread(store.tasks, PAGES_KEPT_TOGETHER):
            documents = [await self._document_for(*task) for task in tasks]
            await self._add_documents([document for document in documents if document])
            await asyncio.to_thread(store.finish_tasks, [(address, task) for address, task, _ in tasks])

    async def _document_for(self, address: str, task: Task, document: Document | None) -> Document | None:
        """What is to be kept for a page; None where nothing is, as it was removed, or is not there any more."""
        if task == "add":
            return document
        kept = await self._library.find_document(address, self._collection)
        if task == "mark":
            self.summary.gone.append(address)
        if kept is None:
            return None
        if task == "remove" or (task == "mark" and self._remove_gone):
            await self._library.remove(address, self._collection)
            self.summary.replaced += task == "remove"
            return None
        return _tagged(kept, gone=task == "mark")

    async def _add_documents(self, documents: list[Document]) -> None:
        if not documents:
            return
        added = await self._library.add_all(documents, collection=self._collection)
        self.summary.chunks += sum(added)
        self.summary.pages += sum(count > 0 for count in added)
        unmarked = [GONE_TAG not in document.properties.tags for document in documents]
        self.summary.unchanged += sum(not count and is_there for count, is_there in zip(added, unmarked, strict=True))
        new = [document.text for document, count in zip(documents, added, strict=True) if count]
        await asyncio.to_thread(self._tally.count_texts, new)

    def _count(self) -> None:
        """Bring the summary up to date with what is known of the run."""
        store, depth, summary = self.crawler.store, self.crawler.limits.depth, self.summary
        summary.requests, summary.ending = self.crawler.client.requests, self.crawler.ending
        summary.outcomes = store.count_outcomes()
        summary.waiting = store.count_waiting(depth)
        summary.deeper = summary.outcomes.get(PageOutcome.WAITING, 0) - summary.waiting
        summary.failures = store.list_outcome(PageOutcome.FAILED, MAX_FAILURES_LISTED)


def open_crawler(
    library: Library,
    config: Config,
    client: Client,
    request: SiteRequest,
    tell: Callable[[str], None],
    renderer: PageRenderer | None = None,
) -> Crawler:
    """What goes over a site; its `store` is to be closed. Raises `AddressRefused` and `LibraryError`."""
    scope = begin_scope(client.admit_url(request.url).url, whole_site=request.whole_site)
    collection = config.rag.collection
    # A smaller part of a site is another crawl, as what is not in it would be taken for gone.
    name = f"{collection}\0{scope.start.url}\0{request.whole_site}"
    store = CrawlStore(config.library_folder / "crawls", name)
    limits = CrawlLimits(request.depth, request.pages, config.crawl.max_similar)
    find = partial(library.find_document, collection=collection)
    return Crawler(PoliteClient(client, config.crawl, tell), store, scope, limits, find, renderer)


def _tagged(document: Document, *, gone: bool) -> Document:
    """A document with the mark that its page is gone, or without."""
    others = tuple(tag for tag in document.properties.tags if tag != GONE_TAG)
    tags = (*others, GONE_TAG) if gone else others
    return replace(document, properties=replace(document.properties, tags=tags))

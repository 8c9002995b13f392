"""One address of a site: what is asked, and what is made of the answer."""

import hashlib
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from http import HTTPStatus
from urllib.parse import urljoin

from rag.documents import Document
from rag.readers import SitePage, read_page
from tools.web.browser.renderer import PageRenderer
from tools.web.crawling.crawl_store import CrawlStore, FoundLink, KnownPage, PageRecord, Task, known_record
from tools.web.crawling.outcomes import REPLACED_OUTCOMES, WITHDRAWN_OUTCOMES, PageOutcome
from tools.web.crawling.polite import PoliteClient
from tools.web.crawling.robots import PageWishes, RobotsRules, read_wishes
from tools.web.crawling.scope import Scope, SitePlace
from tools.web.fetch import lacks_text
from tools.web.page_cache import utc_now
from utils.errors import DocumentError, NetworkError
from utils.network.http import Response

MAX_HOPS = 5
"""Redirects from one address to another that are followed."""
PERMANENT_REDIRECTS = frozenset({HTTPStatus.MOVED_PERMANENTLY, HTTPStatus.PERMANENT_REDIRECT})
"""A site that is being mended redirects for a while; only by these it says that a page is no longer there."""
MAX_VALIDATOR_CHARS = 500
_CANONICAL_LINK = re.compile(r'<([^<>\n]{1,2000})>;[^<>\n,]{0,200}rel="?canonical', re.IGNORECASE)
_HELD = (None, PageOutcome.WAITING, PageOutcome.TAKEN, PageOutcome.UNLINKED)
"""What can have become of the address that a page says is its own, so that it is believed."""

FindDocument = Callable[[str], Awaitable[Document | None]]


@dataclass(frozen=True)
class Visited:
    """What came of asking for an address, where its page leads, and by which address the page is known."""

    record: PageRecord
    links: tuple[str, ...] = ()
    onward: FoundLink | None = None
    for_now: bool = False
    """Whether the site says that it may be otherwise the next time: what is in the library of it stays."""


@dataclass(frozen=True)
class PageVisit:
    """Asks a site for its pages; `find` gives the document that the library has of an address.

    With a renderer it reads what the scripts of a page write, where there is hardly any text without them.
    """

    client: PoliteClient
    store: CrawlStore
    scope: Scope
    rules: RobotsRules
    find: FindDocument
    renderer: PageRenderer | None = None

    async def visit(self, page: KnownPage) -> Visited:
        """Ask for a page; raises `NetworkError` where no answer comes that could be read."""
        known = await self.find(page.address) if page.kept else None
        try:
            response = await self._request(page, _conditions(page) if known else {})
        except DocumentError as error:
            visited = Visited(PageRecord(page.address, PageOutcome.KIND, error.problem))
        else:
            visited = await self._judge(page, known, response)
        if page.kept and not visited.for_now and visited.record.outcome in (*WITHDRAWN_OUTCOMES, *REPLACED_OUTCOMES):
            task: Task = "mark" if visited.record.outcome in WITHDRAWN_OUTCOMES else "remove"
            return replace(visited, record=replace(visited.record, task=task))
        return visited

    async def _request(self, page: KnownPage, headers: dict[str, str]) -> Response:
        """The answer, after redirects to what is the same address in another form, say with the id of a session."""
        url = page.address
        for _ in range(MAX_HOPS + 1):
            response = await self.client.get(url, headers)
            place = self.scope.follow(url, response.redirect) if response.redirect else None
            if place is None or place.address != page.address:
                return response
            url = urljoin(url, response.redirect)
        raise NetworkError(f"{self.scope.start.host} redirects more than {MAX_HOPS} times.")

    async def _judge(self, page: KnownPage, known: Document | None, response: Response) -> Visited:
        outcome = PageOutcome.UNLINKED if page.unlinked else PageOutcome.TAKEN
        if response.redirect:
            visited = self._redirected(page, self.scope.follow(page.address, response.redirect))
            return replace(visited, for_now=response.status not in PERMANENT_REDIRECTS)
        if response.status == HTTPStatus.NOT_MODIFIED and known:
            return Visited(known_record(page, outcome, task="touch"), () if page.unlinked else page.links)
        if response.status in (HTTPStatus.NOT_FOUND, HTTPStatus.GONE):
            return Visited(PageRecord(page.address, PageOutcome.GONE, f"status {response.status}"))
        if response.status != HTTPStatus.OK:
            problem = f"{self.scope.start.host} answers {response.status}."
            if response.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                raise NetworkError(problem)
            return Visited(known_record(page, PageOutcome.FAILED, problem))
        return self._read(page, outcome, await self._read_sent(page, response), response)

    async def _read_sent(self, page: KnownPage, response: Response) -> SitePage:
        """A page as it was sent; where it has hardly any text, the text and the links that its scripts make of it."""
        read = await _read_body(page, response)
        if not self.renderer or not lacks_text(read.document, response) or not _wishes(read, response).index:
            return read
        try:
            whole = await self.renderer.render(response)
        except DocumentError:
            return read
        rendered = await _read_body(page, whole)
        if _count_characters(rendered) > _count_characters(read):
            return rendered
        return replace(read, links=rendered.links)

    def _redirected(self, page: KnownPage, place: SitePlace | None) -> Visited:
        if place is None or not place.below:
            where = "to what is no web address" if place is None else f"to {place.address}"
            return Visited(PageRecord(page.address, PageOutcome.OFF_SITE, f"redirects {where}"))
        if page.hops >= MAX_HOPS:
            return Visited(known_record(page, PageOutcome.FAILED, f"It is redirected more than {MAX_HOPS} times."))
        onward = FoundLink(place.address, page.depth, hops=page.hops + 1)
        return Visited(PageRecord(page.address, PageOutcome.MOVED, f"redirects to {place.address}"), onward=onward)

    def _read(self, page: KnownPage, outcome: PageOutcome, read: SitePage, response: Response) -> Visited:
        wishes = _wishes(read, response)
        links = read.links.links if wishes.follow and not page.unlinked else ()
        record = PageRecord(
            page.address,
            outcome,
            etag=_validator(response, "etag"),
            modified=_validator(response, "last-modified"),
            links=links,
        )
        if own := self._own_address(page, read, response):
            onward = FoundLink(own, page.depth)
            return Visited(replace(record, outcome=PageOutcome.RENAMED, reason=own), links, onward)
        if not wishes.index:
            return Visited(replace(record, outcome=PageOutcome.NOINDEX), links)
        if read.document is None:
            return Visited(replace(record, outcome=PageOutcome.EMPTY, reason=read.failure), links)
        digest = hashlib.sha256(read.document.text.encode()).hexdigest()
        if holder := self.store.holder_of(digest, page.address):
            # Where its links lead is known from that page, or is one more turn in the same circle.
            reason = f"has the text of {holder}"
            return Visited(replace(record, outcome=PageOutcome.DUPLICATE, reason=reason, digest=digest))
        return Visited(replace(record, digest=digest, task="add", document=read.document), links)

    def _own_address(self, page: KnownPage, read: SitePage, response: Response) -> str:
        """The address that a page says is its own, where that is another one that may be asked for; else empty."""
        named = _CANONICAL_LINK.search(response.headers.get("link", ""))
        said = read.links.canonical or (named[1] if named else "")
        place = self.scope.follow(page.address, said) if said else None
        if place is None or not place.below or place.address == page.address or not self.rules.allows(place.address):
            return ""
        return place.address if self.store.outcome_of(place.address) in _HELD else ""


async def _read_body(page: KnownPage, response: Response) -> SitePage:
    fetched = utc_now().isoformat(timespec="seconds")
    return await read_page(response.body, response.content_type, page.address, fetched)


def _wishes(read: SitePage, response: Response) -> PageWishes:
    return read_wishes(read.links.robots, response.headers.get("x-robots-tag", ""))


def _count_characters(read: SitePage) -> int:
    return len(read.document.text) if read.document else 0


def _conditions(page: KnownPage) -> dict[str, str]:
    """Headers that have a page sent only where it has changed."""
    said = {"If-None-Match": page.etag, "If-Modified-Since": page.modified}
    return {name: value for name, value in said.items() if value}


def _validator(response: Response, name: str) -> str:
    """What a server calls a version of a page, as far as it can be sent back."""
    value = response.headers.get(name, "")
    return value if len(value) <= MAX_VALIDATOR_CHARS and value.isascii() and value.isprintable() else ""

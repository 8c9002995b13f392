"""Goes over a site: asks for one address after the other, and writes down what came of each."""

import asyncio
import mimetypes
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from tools.web.browser.renderer import PageRenderer
from tools.web.crawling.crawl_store import CrawlStore, FoundLink, KnownPage, PageRecord, known_record
from tools.web.crawling.discovery import read_maps, read_rules
from tools.web.crawling.outcomes import PAGELESS_OUTCOMES, UNVISITED_OUTCOMES, PageOutcome
from tools.web.crawling.page_visit import FindDocument, PageVisit, Visited
from tools.web.crawling.polite import PoliteClient
from tools.web.crawling.robots import RobotsRules
from tools.web.crawling.scope import Scope, SitePlace
from tools.web.crawling.traps import SimilarAddresses, is_endless
from utils.errors import AddressRefused, NetworkError, Offline

MAX_FAILURES = 8
"""Requests one after the other that bring no answer, after which a site is left alone."""
REQUESTS_PER_PAGE = 4
SPARE_REQUESTS = 100
"""Requests of a run at most: so many for each page that it may take in, and these."""
ADDRESSES_PER_PAGE = 20
SPARE_ADDRESSES = 100_000
"""Addresses of a run that are written down at most: a hostile site names new ones without end."""
_MEDIA_TYPES = ("image/", "audio/", "video/", "font/", "application/zip", "application/x-tar")

Ending = Literal["", "done", "pages", "requests"]


@dataclass(frozen=True)
class CrawlLimits:
    """How far a crawl goes."""

    depth: int
    """Links from the start to a page."""
    pages: int
    """Pages that one run takes in."""
    similar: int
    """Addresses of one shape."""


class Crawler:
    """Goes over one site; `ending` says why it came to an end, empty where it was stopped or has not yet."""

    def __init__(
        self,
        client: PoliteClient,
        store: CrawlStore,
        scope: Scope,
        limits: CrawlLimits,
        find: FindDocument,
        renderer: PageRenderer | None = None,
    ) -> None:
        self.client = client
        self.store = store
        self.scope = scope
        self.limits = limits
        self.ending: Ending = ""
        self._find = find
        self._renderer = renderer
        self._rules = RobotsRules()
        self._similar = SimilarAddresses(limits.similar)
        self._stopping = False
        self._failures = 0
        self._met = 0

    def stop(self) -> None:
        """Ask for nothing more after the current page."""
        self._stopping = True

    async def run(self, tell: Callable[[PageRecord], None]) -> None:
        """Go over the site; `tell` is given what came of each address. Raises `NetworkError` and `LibraryError`.

        What was written down stays whatever is raised, and the next run goes on there.
        """
        async with self.client.client.keep_connection():
            self._rules, self.scope = await read_rules(self.client, self.scope)
            if not self._rules.allows(self.scope.start.url):
                raise NetworkError(
                    f"The robots.txt of {self.scope.start.host} closes {self.scope.start.url} to programs."
                )
            await asyncio.to_thread(self._begin)
            while page := await self._next_page():
                record = await self._visit(page)
                tell(record)
                if self._failures >= MAX_FAILURES:
                    raise NetworkError(
                        f"{self.scope.start.host} failed {MAX_FAILURES} times in a row: {record.reason}",
                        "The same command goes on later.",
                    )
        if self.ending:
            await asyncio.to_thread(self.store.finish_run)

    def _begin(self) -> None:
        self.store.begin_run(self.scope.start.url)
        self._similar = SimilarAddresses(self.limits.similar, self.store.tried_addresses())

    async def _next_page(self) -> KnownPage | None:
        """What is to be asked for next; None at the end, which `ending` then tells."""
        if self._stopping:
            return None
        counts = await asyncio.to_thread(self.store.count_outcomes)
        self._met = sum(counts.values())
        if counts.get(PageOutcome.TAKEN, 0) >= self.limits.pages:
            self.ending = "pages"
            return None
        if _count_visited(counts) >= REQUESTS_PER_PAGE * self.limits.pages + SPARE_REQUESTS:
            self.ending = "requests"
            return None
        page = await asyncio.to_thread(self.store.next_page, self.limits.depth)
        if (page is None or page.depth) and not self.store.mapped and self.limits.depth:
            await self._take_maps()
            return await self._next_page()
        if page is None and not self.store.checked and await self._start_is_there():
            await asyncio.to_thread(self.store.add_unlinked, self.limits.depth)
            return await self._next_page()
        self.ending = "" if page else "done"
        return page

    async def _start_is_there(self) -> bool:
        """Whether the first page could be read: where it cannot, the site is broken, and little else is told by it."""
        outcome = await asyncio.to_thread(self.store.outcome_of, self.scope.start.url)
        return outcome not in (PageOutcome.GONE, PageOutcome.FAILED, PageOutcome.OFF_SITE)

    async def _take_maps(self) -> None:
        """Take in what the maps of the site list, as if the first page led there."""
        listed = await read_maps(self.client, self.scope, self._rules)
        places = (self.scope.follow(self.scope.start.url, address) for address in listed)
        found = await asyncio.to_thread(self._admit, places, 1, listed=True)
        await asyncio.to_thread(self.store.add_map, found)

    async def _visit(self, page: KnownPage) -> PageRecord:
        visit = PageVisit(self.client, self.store, self.scope, self._rules, self._find, self._renderer)
        try:
            visited = await visit.visit(page)
            self._failures = 0
        except (AddressRefused, Offline):
            raise
        except NetworkError as error:
            self._failures += 1
            visited = Visited(known_record(page, PageOutcome.FAILED, error.problem))
        await asyncio.to_thread(self._write_down, page, visited)
        return visited.record

    def _write_down(self, page: KnownPage, visited: Visited) -> None:
        places = (self.scope.follow(page.address, link) for link in visited.links)
        found = self._admit(places, page.depth + 1)
        if visited.onward and self.store.unmet([visited.onward.address]):
            allowed = self._rules.allows(visited.onward.address)
            outcome = PageOutcome.WAITING if allowed else PageOutcome.ROBOTS
            onward = visited.onward
            found.append(FoundLink(onward.address, onward.depth, outcome, onward.hops))
        self.store.record(visited.record, found)
        if visited.record.outcome in PAGELESS_OUTCOMES:
            self.store.ask_again(page.address)

    def _admit(self, places: Iterable[SitePlace | None], depth: int, *, listed: bool = False) -> list[FoundLink]:
        """What is to become of addresses that this run has not met yet."""
        if self._met > ADDRESSES_PER_PAGE * self.limits.pages + SPARE_ADDRESSES:
            return []
        known = {place.address: place for place in places if place}
        return [
            FoundLink(address, depth, self._fate_of(known[address], listed), listed=listed)
            for address in self.store.unmet(list(known))
        ]

    def _fate_of(self, place: SitePlace, listed: bool) -> PageOutcome:
        if not place.below:
            return PageOutcome.OUTSIDE if place.on_site else PageOutcome.ELSEWHERE
        if is_media(place.address):
            return PageOutcome.KIND
        if not self._rules.allows(place.address):
            return PageOutcome.ROBOTS
        if is_endless(place.address) or not (listed or self._similar.admit(place.address)):
            return PageOutcome.TRAP
        return PageOutcome.WAITING


def is_media(address: str) -> bool:
    """Whether an address ends like that of a picture, a recording or an archive."""
    kind, packed = mimetypes.guess_type(address.partition("?")[0])
    return packed is not None or (kind or "").startswith(_MEDIA_TYPES)


def _count_visited(counts: dict[PageOutcome, int]) -> int:
    return sum(count for outcome, count in counts.items() if outcome not in UNVISITED_OUTCOMES)

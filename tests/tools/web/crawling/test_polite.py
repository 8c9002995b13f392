import pytest

from tests.fakes.large_site import LargeSite
from tools.settings import CrawlSettings
from tools.web.crawling.discovery import read_maps, read_rules
from tools.web.crawling.polite import PoliteClient, SiteBusy
from tools.web.crawling.scope import begin_scope
from utils.network.addresses import public_web
from utils.network.http import Client


class Waits(list[float]):
    """Waits that are noted and not waited."""

    async def sleep(self, seconds: float) -> None:
        self.append(seconds)


def polite(site: LargeSite, waits: Waits, told: list[str], **settings: float) -> PoliteClient:
    return PoliteClient(Client(public_web([site.host])), CrawlSettings(**settings), told.append, waits.sleep)


async def test_requests_are_some_time_apart_and_further_where_the_site_asks_for_it() -> None:
    waits, told = Waits(), list[str]()
    with LargeSite(2, astray=False) as site:
        site.robots = (200, "User-agent: *\nCrawl-delay: 7")
        client = polite(site, waits, told, delay=5)
        await read_rules(client, begin_scope(site.start))
        await client.get(site.start)
        assert (len(waits), 6 < waits[0] <= 7, told) == (1, True, [])


async def test_a_site_that_asks_for_too_long_a_wait_gets_what_is_within_reason_and_that_is_told() -> None:
    waits, told = Waits(), list[str]()
    with LargeSite(2, astray=False) as site:
        site.robots = (200, "User-agent: *\nCrawl-delay: 86400")
        client = polite(site, waits, told, max_delay=9)
        await read_rules(client, begin_scope(site.start))
    assert (client.delay, told) == (
        9,
        ["The site asks for 86,400 s between two requests; Magpie waits 9 s (crawl.max_delay)."],
    )


async def test_a_site_that_asks_to_come_back_in_an_hour_is_not_waited_for() -> None:
    waits, told = Waits(), list[str]()
    with LargeSite(2, astray=False) as site:
        site.extra["/docs/"] = lambda handler, query: handler.send("x", status=429, headers={"Retry-After": "3600"})
        client = polite(site, waits, told, delay=0)
        with pytest.raises(SiteBusy, match=r"too much to do \(status 429\)"):
            await client.get(site.start)
        assert (site.asked["/docs/"], told) == (1, [])


async def test_maps_of_maps_are_read_packed_or_plain_and_those_of_other_sites_are_not() -> None:
    waits, told = Waits(), list[str]()
    with LargeSite(2) as site:
        client = polite(site, waits, told, delay=0)
        rules, scope = await read_rules(client, begin_scope(site.start))
        found = await read_maps(client, scope, rules)
        assert set(map(site.url, [*site.issues, "/docs/orphan-a.html", "/docs/orphan-b.html"])) <= set(found)
        assert (site.asked["/maps.xml"], site.asked["/none.xml"]) == (1, 1)


async def test_one_connection_is_kept_from_one_request_to_the_next() -> None:
    waits, told = Waits(), list[str]()
    with LargeSite(2, astray=False) as site:
        client = polite(site, waits, told, delay=0)
        async with client.client.keep_connection():
            for path in ("/docs/", "/docs/a/", "/docs/a/a.html"):
                assert (await client.get(site.url(path))).status == 200
        assert site.connections == 1

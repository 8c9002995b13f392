import asyncio
import subprocess
import sys

import pytest
from ddgs.engines.duckduckgo import Duckduckgo
from ddgs.engines.mojeek import Mojeek

from tests.fakes.places import ROOT
from tests.fakes.site import Site
from tools.settings import SearchSettings
from tools.web.engines import DdgsEngine, SearxngEngine, make_searchers
from tools.web.fallback import EngineError, EngineReport, Query, SearchResult
from utils.errors import ConfigError
from utils.network.access import NetworkAccess
from utils.network.addresses import public_web
from utils.network.dialer import Dialer

QUESTION = Query("Who designed the Ostermark Bridge?")
SNIPPET = "The bridge was designed by the engineer Ingrid Halvorsen, who was twenty-nine when she won the competition."


def dialer(site: Site) -> Dialer:
    """What lets an engine reach the loopback site."""
    return Dialer(NetworkAccess(), public_web([site.host]), "duckduckgo")


def duckduckgo(site: Site, path: str, timeout: float = 5) -> DdgsEngine:
    """Real ddgs, its own client and parser, asking the loopback site."""
    engine_class = type("Loopback", (Duckduckgo,), {"search_url": site.url(path)})
    return DdgsEngine("duckduckgo", SearchSettings(timeout=timeout), dialer(site), engine_class)


async def test_ddgs_reads_a_result_page() -> None:
    async with Site() as site:
        results = await duckduckgo(site, "/html/").search(QUESTION)
        assert results[0] == SearchResult("The Ostermark Bridge", site.url("/bridge.html"), SNIPPET)
        assert site.queries == [QUESTION.text]


@pytest.mark.parametrize(
    ("path", "state", "detail"),
    [
        ("/html-throttled/", "throttled", "status 202"),
        ("/html-challenge/", "throttled", "status 200"),
        ("/html-broken/", "failed", "status 500"),
    ],
)
async def test_ddgs_hides_no_refusal_any_longer(path: str, state: str, detail: str) -> None:
    async with Site() as site:
        with pytest.raises(EngineError) as error:
            await duckduckgo(site, path).search(QUESTION)
        assert (error.value.state, error.value.detail) == (state, detail)


async def test_an_empty_result_page_is_no_error() -> None:
    async with Site() as site:
        assert await duckduckgo(site, "/html-empty/").search(QUESTION) == []


async def test_a_page_that_the_parser_cannot_read_is_a_failure() -> None:
    async with Site() as site:
        broken = type("Broken", (Mojeek,), {"search_url": site.url("/html/"), "items_xpath": "//*[", "name": "broken"})
        with pytest.raises(EngineError, match="could not be read"):
            await DdgsEngine("broken", SearchSettings(), dialer(site), broken).search(QUESTION)


async def test_an_engine_that_is_not_there_is_unreachable() -> None:
    async with Site() as site:
        engine = duckduckgo(site, "/html/")
        await site.switch_off()
        with pytest.raises(EngineError) as error:
            await engine.search(QUESTION)
        assert error.value.state == "unreachable"


async def test_an_unknown_engine_is_named_with_the_known_ones() -> None:
    with pytest.raises(EngineError, match=r"no such engine; there are .*mojeek"):
        await DdgsEngine("altavista", SearchSettings(), Dialer(NetworkAccess(), public_web(), "altavista")).search(
            QUESTION
        )


async def test_searxng_is_asked_for_json() -> None:
    async with Site() as site:
        engine = SearxngEngine(SearchSettings(searxng_url=site.searxng_url + "/search"), NetworkAccess())
        results = await engine.search(Query(QUESTION.text, news=True, period="week"))
        assert results[0] == SearchResult(
            "The Ostermark Bridge", site.url("/bridge.html"), SNIPPET, "2026-11-20T08:00:00"
        )
        assert await engine.search(Query("xyzzy")) == []


async def test_searxng_that_is_not_searxng_is_told() -> None:
    async with Site() as site:
        engine = SearxngEngine(SearchSettings(searxng_url=site.url("/html-empty")), NetworkAccess())
        with pytest.raises(EngineError, match="status 404"):
            await engine.search(QUESTION)
        await site.switch_off()
        with pytest.raises(EngineError, match="unreachable: Nothing answers"):
            await engine.search(QUESTION)


def test_a_searxng_address_that_is_none_is_a_wrong_setting() -> None:
    with pytest.raises(ConfigError, match=r"search\.searxng_url cannot be used: Only a plain web"):
        make_searchers(SearchSettings(searxng_url="localhost:8888"), NetworkAccess())


async def test_a_configured_searxng_server_is_asked_first() -> None:
    async with Site() as site:
        settings = SearchSettings(searxng_url=site.searxng_url)
        web, news = make_searchers(settings, NetworkAccess())
        found = [await web.search(QUESTION), await news.search(Query(QUESTION.text, news=True))]
        assert [(f.state, f.reports) for f in found] == [("found", (EngineReport("searxng", "found"),))] * 2


async def test_a_late_engine_does_not_keep_the_program_from_ending() -> None:
    script = """
import asyncio, sys
from tests.fakes.site import Site
from tests.tools.web.test_engines import duckduckgo
from tools.web.fallback import Query
async def main():
    async with Site() as site:
        task = asyncio.create_task(duckduckgo(site, "/html-hang/", 60).search(Query("x")))
        while not site.requests: await asyncio.sleep(0.01)
        site.released.wait = lambda seconds: __import__("time").sleep(60)
        task.cancel()
        print("left")
asyncio.run(main())
"""
    run = [sys.executable, "-c", script]
    done = await asyncio.to_thread(subprocess.run, run, capture_output=True, text=True, timeout=30, cwd=ROOT)
    assert (done.returncode, done.stdout, done.stderr) == (0, "left\n", "")


async def test_an_engine_that_leads_to_a_private_address_reaches_nothing() -> None:
    async with Site() as site:
        inward = type("Inward", (Duckduckgo,), {"search_url": site.url("/html/")})
        engine = DdgsEngine("duckduckgo", SearchSettings(), Dialer(NetworkAccess(), public_web(), "duckduckgo"), inward)
        with pytest.raises(EngineError, match="failed: Port"):
            await engine.search(QUESTION)
        assert site.requests == {}


async def test_offline_no_engine_is_asked_wherever_it_is() -> None:
    async with Site() as site:
        web, _ = make_searchers(SearchSettings(searxng_url=site.searxng_url), NetworkAccess(offline=True))
        found = await web.search(QUESTION)
        assert (found.state, {report.state for report in found.reports}) == ("offline", {"offline"})
        assert site.requests == {}

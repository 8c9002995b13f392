from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from rag.library import Library
from rag.settings import RagSettings
from rag.zim.shelf import ZimShelf
from tests.fakes.embedder import WordEmbedder
from tests.fakes.site import Site
from tests.fakes.zim import BRIDGE, write_zim
from tests.tools.web.test_fallback import A, Scripted
from tests.tools.web.test_search import Desk
from tools.settings import FetchSettings, RankingSettings, SearchSettings
from tools.web.archives import ArchiveEngine
from tools.web.engines import make_searchers
from tools.web.fallback import EngineReport, Query, Searcher, SearchResult
from tools.web.fetch import Fetcher
from tools.web.page_cache import PageCache
from tools.web.ranking import Ranker
from tools.web.search import Web
from utils.network.access import NetworkAccess
from utils.network.addresses import public_web
from utils.network.http import Client

QUESTION = "Who designed the Ostermark Bridge?"
ADDRESS = "zim://towns/Ostermark_Bridge"
MOMENT = "2024-03-15T00:00:00+00:00"
ARTICLE = SearchResult("Ostermark Bridge", ADDRESS, BRIDGE, MOMENT)


@pytest.fixture(scope="module")
def towns(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_zim(tmp_path_factory.mktemp("zim") / "towns.zim")


@asynccontextmanager
async def desk(folder: Path, towns: Path, *, offline: bool = False, dead: bool = False):
    """The web's tools over an archive and the loopback site, which is `dead` where nothing answers there."""
    embedder = WordEmbedder()
    async with Site() as site:
        if dead:
            await site.switch_off()
        reach = NetworkAccess(offline=offline)
        search = SearchSettings(searxng_url=site.searxng_url, engines=(), timeout=5)
        shelf = ZimShelf([towns], reach.tell_once)
        fetch = FetchSettings(allow_hosts=(site.host,))
        client = Client(public_web(fetch.allow_hosts), None, reach)
        fetcher = Fetcher(client, PageCache(folder / "pages", 0), fetch, shelf)
        library = await Library.open(folder, RagSettings(min_similarity=0.1), embedder)
        searchers = make_searchers(search, reach, shelf)
        web = Web(searchers, fetcher, Ranker(embedder), RankingSettings(auto_fetch_threshold=0.4), library)
        yield Desk(site, web, library)
        await web.close()
        await library.close()


@pytest.mark.parametrize(
    ("offline", "dead", "why"),
    [(True, False, "Magpie is switched offline (/offline)"), (False, True, "there seems to be no network connection")],
)
async def test_without_a_network_the_archives_answer_and_that_is_said(
    tmp_path: Path, towns: Path, offline: bool, dead: bool, why: str
) -> None:
    async with desk(tmp_path, towns, offline=offline, dead=dead) as d:
        outcome = await d.use("web_search", QUESTION, query="Ostermark Bridge designer")
        assert outcome.ok
        assert outcome.result.text.splitlines()[:2] == [
            "Read: Ostermark Bridge (the archive towns, of March 2024)",
            f"Only archives on this machine were searched: {why}.",
        ]
        best = outcome.result.passages[0]
        assert (best.source, best.title, best.fetched) == (ADDRESS, "Ostermark Bridge", MOMENT)
        assert "Halvorsen" in best.text
        assert d.reports[0].endswith("reading the archive towns, of March 2024")
        assert d.site.requests == {}
        kept = await d.library.find_document(ADDRESS)
        assert kept and (kept.origin, kept.fetched) == ("web", MOMENT)
        [found, *_] = await d.library.search("Who designed the bridge of Ostermark?")
        assert (found.source, found.fetched) == (ADDRESS, MOMENT)


async def test_where_the_web_answers_too_both_are_read_and_nothing_is_said_of_a_network(
    tmp_path: Path, towns: Path
) -> None:
    async with desk(tmp_path, towns) as d:
        outcome = await d.use("web_search", QUESTION, query="Ostermark Bridge designer")
        assert {d.site.url("/bridge.html"), ADDRESS} <= {passage.source for passage in outcome.result.passages}
        assert d.site.queries == ["Ostermark Bridge designer"]
        assert "Only archives" not in outcome.result.text


async def test_an_article_is_opened_by_its_address_without_a_network(tmp_path: Path, towns: Path) -> None:
    async with desk(tmp_path, towns, offline=True) as d:
        outcome = await d.use("fetch_url_content", QUESTION, url="zim://towns/Ostermark%20Bridge")
        assert outcome.result.text == "Ostermark Bridge, 152 characters, from the archive towns, of March 2024."
        assert outcome.result.passages[0].source == ADDRESS
        lost = await d.use("fetch_url_content", QUESTION, url="zim://towns/Nowhere")
        assert (lost.ok, lost.result.text) == (
            False,
            "The page was not opened: towns.zim holds no article 'Nowhere'. Search for it.\n\n"
            "Try another address or search the web.",
        )
        assert d.site.requests == {}


async def test_what_no_archive_has_is_not_taken_for_an_answer(tmp_path: Path, towns: Path) -> None:
    async with desk(tmp_path, towns, offline=True) as d:
        outcome = await d.use("web_search", "xyzzy?", query="xyzzy")
        assert (outcome.ok, outcome.result.text.partition("\n")[0]) == (
            False,
            "Nothing can be searched for: Magpie is switched offline (/offline). "
            "The archives on this machine have nothing on it.",
        )


async def test_news_are_not_looked_for_in_archives(tmp_path: Path, towns: Path) -> None:
    async with desk(tmp_path, towns, offline=True) as d:
        assert not (await d.use("news_search", QUESTION, query="Ostermark Bridge")).ok


async def test_archives_stand_among_the_results_of_the_web_which_is_asked_as_before(towns: Path) -> None:
    engines = Scripted("one", "throttled"), Scripted("two", [A])
    searcher = Searcher(engines, SearchSettings(), local=[ArchiveEngine(ZimShelf([towns]))])
    found = await searcher.search(Query("Ostermark"))
    assert found.results == (A, ARTICLE)
    told = [(report.engine, report.state, report.local) for report in found.reports]
    assert told == [("one", "throttled", False), ("two", "found", False), ("archives", "found", True)]
    assert found.why_local is None


async def test_only_an_archive_says_that_something_is_in_an_archive() -> None:
    searcher = Searcher([Scripted("one", [ARTICLE, A])], SearchSettings())
    assert (await searcher.search(Query("Ostermark"))).results == (A,)


async def test_an_archive_that_is_damaged_leaves_the_web_alone_and_is_asked_again(tmp_path: Path, towns: Path) -> None:
    (tmp_path / "towns.zim").write_text("no archive")
    told: list[str] = []
    shelf = ZimShelf([tmp_path], told.append)
    searcher = Searcher([Scripted("one", [A], [A])], SearchSettings(), local=[ArchiveEngine(shelf)])
    found = await searcher.search(Query("Ostermark"))
    assert (found.results, found.reports[1]) == (
        (A,),
        EngineReport("archives", "failed", "towns.zim is no ZIM archive. Check search.zim_files.", local=True),
    )
    (tmp_path / "towns.zim").write_bytes(towns.read_bytes())
    assert (await searcher.search(Query("Ostermark"))).results == (A, ARTICLE)
    assert told == ["towns.zim is no ZIM archive. Check search.zim_files."]

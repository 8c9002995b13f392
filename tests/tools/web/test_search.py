from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from rag.chunk_size import ChunkShape
from rag.documents import Document, Properties, contextual_text
from rag.embedding.sentence_model import SentenceEmbedder
from rag.library import Library
from rag.settings import RagSettings
from tests.fakes.embedder import WordEmbedder
from tests.fakes.site import EXAMPLES, Site
from tests.tools.web.test_fallback import Scripted
from tests.tools.web.test_ranking import NoEmbedder
from tools.base import Outcome, Toolbox, ToolContext, tool
from tools.library_search import LibrarySearch
from tools.settings import FetchSettings, RankingSettings, SearchSettings
from tools.web import search as web_search
from tools.web.engines import make_searchers
from tools.web.fallback import Searcher, SearchResult
from tools.web.fetch import Fetcher
from tools.web.page_cache import PageCache
from tools.web.ranking import Ranker
from tools.web.search import Web
from utils.network.access import NetworkAccess
from utils.network.addresses import public_web
from utils.network.http import Client


@dataclass
class Desk:
    """A toolbox over the loopback site, and what it reported."""

    site: Site
    web: Web
    library: Library
    reports: list[str] = field(default_factory=list)

    async def use(self, name: str, question: str, reword: Any = None, **arguments: Any) -> Outcome:
        toolbox = Toolbox(
            [
                tool(self.web.web_search),
                tool(self.web.news_search),
                tool(self.web.fetch_url_content),
                tool(LibrarySearch(self.library).search_vector_db),
            ]
        )
        return await toolbox.execute_call(name, arguments, ToolContext(question, self.reports.append, reword))


@asynccontextmanager
async def desk(folder: Path, embedder: Any = None, *, engines: tuple[str, ...] = (), **ranking: Any):
    embedder = embedder or WordEmbedder()
    async with Site() as site:
        # Snippets of invented words are hardly alike: what counts as near is set low.
        settings = RankingSettings(**{"auto_fetch_threshold": 0.4, **ranking})
        search = SearchSettings(searxng_url=site.searxng_url, engines=engines, timeout=5)
        fetch = FetchSettings(allow_hosts=(site.host,))
        fetcher = Fetcher(Client(public_web(fetch.allow_hosts)), PageCache(folder / "pages", fetch.cache_hours), fetch)
        library = await Library.open(folder, RagSettings(min_similarity=0.1), embedder)
        web = Web(make_searchers(search, NetworkAccess()), fetcher, Ranker(embedder), settings, library)
        yield Desk(site, web, library)
        await web.close()
        await library.close()


def paths(site: Site) -> set[str]:
    """The pages that were asked for."""
    return set(site.requests) - {"/search"}


async def test_a_search_reads_the_nearest_pages_and_hands_out_their_best_passages(tmp_path: Path) -> None:
    question = "Who designed the Ostermark Bridge?"
    async with desk(tmp_path) as d:
        outcome = await d.use("web_search", question, query="Ostermark Bridge designer")
        assert (outcome.ok, paths(d.site), d.site.queries) == (True, {"/bridge.html"}, ["Ostermark Bridge designer"])
        [best, *_] = outcome.result.passages
        assert ("Ingrid Halvorsen" in best.text, best.source, best.origin) == (True, d.site.url("/bridge.html"), "web")
        railway = d.site.url("/steam-railway.html")
        assert outcome.result.text == (
            "Read: The Ostermark Bridge (127.0.0.1)\n"
            f"- The Vale of Enner steam railway ({railway}, 2026-11-20): The Vale of Enner railway runs for eleven "
            "kilometres from Enner Bridge to the slate quarries."
        )
        assert d.reports == ["2 results, reading 127.0.0.1"]


async def test_the_number_of_pages_is_limited_and_zero_is_no_limit(tmp_path: Path) -> None:
    question = "Which town has a bridge, a library, a ferry and a market hall?"
    opened = {}
    for limit in (2, 0):
        async with desk(tmp_path / str(limit), auto_fetch_threshold=-1, auto_fetch_limit=limit) as d:
            await d.use("web_search", question, query=question)
            opened[limit] = (len(paths(d.site)), len(d.site.search(question)))
    assert opened[2][0] == 2
    assert opened[0][0] == opened[0][1] > 3


async def test_only_so_many_results_are_looked_at(tmp_path: Path) -> None:
    question = "Which town has a bridge, a library, a ferry and a market hall?"
    async with desk(tmp_path, auto_fetch_threshold=-1, auto_fetch_limit=0, max_search_results=1) as d:
        outcome = await d.use("web_search", question, query=question)
        assert (len(paths(d.site)), outcome.result.text.count("\n")) == (1, 0)


async def test_the_two_best_results_are_read_when_none_is_near_enough(tmp_path: Path) -> None:
    async with desk(tmp_path, auto_fetch_threshold=1) as d:
        await d.use("web_search", "And how long is it?", query="Ostermark Bridge")
        assert paths(d.site) == {"/bridge.html", "/steam-railway.html"}


async def test_pages_and_unopened_results_are_in_the_library_at_once(tmp_path: Path) -> None:
    async with desk(tmp_path) as d:
        await d.use("web_search", "Who designed the Ostermark Bridge?", query="Ostermark Bridge designer")
        page = await d.library.find_document(d.site.url("/bridge.html"))
        snippet = await d.library.find_document(d.site.url("/steam-railway.html"))
        assert page and snippet
        assert (page.origin, snippet.origin, bool(page.fetched and snippet.fetched)) == ("web", "snippet", True)
        await d.site.switch_off()
        outcome = await d.use("search_vector_db", "", query="Who designed the Ostermark Bridge?")
        assert "Ingrid Halvorsen" in outcome.result.passages[0].text
        assert outcome.result.text.startswith("Found in the library: The Ostermark Bridge")


@pytest.mark.parametrize("way", ["web_search", "fetch_url_content"])
async def test_a_passage_is_embedded_once_on_its_way_from_the_page_into_the_library(tmp_path: Path, way: str) -> None:
    embedder, shape = WordEmbedder(), ChunkShape(120, 20)
    async with desk(tmp_path, embedder) as d:
        d.web._ranker = Ranker(embedder, shape)
        await d.library.cutting.cut_as(shape)
        question, page = "Who designed the Ostermark Bridge?", d.site.url("/bridge.html")
        arguments = {"query": "Ostermark Bridge designer"} if way == "web_search" else {"url": page}
        await d.use(way, question, **arguments)
        kept = await d.library.find_document(page)
        assert kept
        chunks = await d.library.first_chunks(page, 1000)
        passages = [contextual_text(kept.title, chunk.heading, chunk.text) for chunk in chunks]
        assert len(passages) > 1 and [embedder.texts.count(passage) for passage in passages] == [1] * len(passages)
        # Of what else was embedded nothing has the text of a passage in another form.
        others = set(embedder.texts) - set(passages)
        assert [text for text in others for chunk in chunks if chunk.text in text] == []


async def test_what_another_model_embedded_is_embedded_anew(tmp_path: Path) -> None:
    embedder = WordEmbedder()
    async with desk(tmp_path, embedder) as d:
        page = Document("https://birds.example/heron", "Herons", "Herons wait for fish.", "web")
        ranked = await Ranker(WordEmbedder("another")).rank_passages("fish", page)
        await d.library.add_all([page], embedded=ranked.embedded)
        assert "Herons\nHerons wait for fish." in embedder.texts


async def test_a_snippet_gives_way_to_the_page_even_by_way_of_a_redirect(tmp_path: Path) -> None:
    async with desk(tmp_path) as d:
        for path in ("/flood.html", "/moved"):
            await d.library.add(Document(d.site.url(path), "A result", "What the engine said", "snippet"))
            await d.use("fetch_url_content", "q", url=d.site.url(path))
        kept = [await d.library.find_document(d.site.url(path)) for path in ("/flood.html", "/bridge.html", "/moved")]
        assert [page and page.origin for page in kept] == ["web", "web", None]


async def test_without_a_library_nothing_is_kept(tmp_path: Path) -> None:
    async with desk(tmp_path) as d:
        d.web._library = None
        outcome = await d.use("web_search", "Ostermark Bridge", query="Ostermark Bridge")
        assert (outcome.ok, await d.library.is_empty()) == (True, True)


async def test_each_next_query_is_worded_from_what_was_found(tmp_path: Path) -> None:
    asked: list[tuple[str, str]] = []

    async def reword(question: str, found: str) -> str:
        asked.append((question, found))
        return ["Skerry Island ferry", "Lindholm marathon"][len(asked) - 1]

    async with desk(tmp_path) as d:
        question = "What is there to see?"
        outcome = await d.use("web_search", question, reword, query="Ostermark Bridge", iterations=3)
        assert d.site.queries == ["Ostermark Bridge", "Skerry Island ferry", "Lindholm marathon"]
        assert [report for report in d.reports if report.startswith("iteration")] == [
            "iteration 1 of 3: Ostermark Bridge",
            "iteration 2 of 3: Skerry Island ferry",
            "iteration 3 of 3: Lindholm marathon",
        ]
        assert [question for question, _ in asked] == [question, question]
        assert "Ostermark Bridge" in asked[0][1]
        assert "Skerry Island" in asked[1][1]
        assert {passage.source for passage in outcome.result.passages} == {d.site.url(path) for path in paths(d.site)}


async def test_a_query_that_was_there_before_ends_the_iterations(tmp_path: Path) -> None:
    async def reword(question: str, found: str) -> str:
        return "Ostermark Bridge"

    async with desk(tmp_path) as d:
        outcome = await d.use("web_search", "bridge", reword, query="Ostermark Bridge", iterations=5)
        assert (outcome.ok, d.site.queries) == (True, ["Ostermark Bridge"])


async def test_a_page_that_cannot_be_opened_is_told_and_snippets_stand_in(tmp_path: Path) -> None:
    async with desk(tmp_path) as d:
        d.web._fetcher = Fetcher(Client(public_web()), PageCache(tmp_path / "none", 0), FetchSettings())
        outcome = await d.use("web_search", "Who designed the Ostermark Bridge?", query="Ostermark Bridge")
        assert outcome.ok
        assert outcome.result.text.splitlines()[0] == (
            "Not opened: 127.0.0.1 is a private address (127.0.0.1), not the public internet."
        )
        assert {passage.origin for passage in outcome.result.passages} == {"snippet"}


async def test_a_slow_page_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_search, "LATE_PAGES", 0.2)
    async with desk(tmp_path, auto_fetch_threshold=-1) as d:
        results = [SearchResult("Bridge", d.site.url(path), "bridge") for path in ("/hang", "/bridge.html")]
        d.web._web = Searcher([Scripted("engine", results)], SearchSettings())
        outcome = await d.use("web_search", "bridge", query="bridge")
        assert outcome.result.text.splitlines()[:2] == [
            "Read: The Ostermark Bridge (127.0.0.1)",
            "Not opened: 127.0.0.1 is too slow.",
        ]


async def test_a_later_search_that_fails_keeps_what_was_found_and_is_told(tmp_path: Path) -> None:
    async def reword(question: str, found: str) -> str:
        return "another query"

    async with desk(tmp_path) as d:
        results = [SearchResult("Bridge", d.site.url("/bridge.html"), "bridge")]
        d.web._web = Searcher([Scripted("engine", results, "throttled")], SearchSettings())
        outcome = await d.use("web_search", "bridge", reword, query="bridge", iterations=3)
        read, failed = outcome.result.text.splitlines()
        assert (outcome.ok, read) == (True, "Read: The Ostermark Bridge (127.0.0.1)")
        assert failed.startswith("Search 2 failed: The search engines turn requests away for now (engine: because)")


async def test_an_empty_query_is_refused(tmp_path: Path) -> None:
    async with desk(tmp_path) as d:
        outcome = await d.use("web_search", "", query=" ")
        assert (outcome.ok, d.site.queries) == (False, [])


async def test_news_are_asked_for_by_period(tmp_path: Path) -> None:
    async with desk(tmp_path) as d:
        outcome = await d.use("news_search", "What is new at the bridge?", query="Ostermark Bridge", period="week")
        assert (outcome.ok, outcome.result.text.splitlines()[0]) == (True, "Read: The Ostermark Bridge (127.0.0.1)")
        wrong = await d.use("news_search", "", query="x", period="century")
        assert (wrong.ok, "period" in wrong.result.text) == (False, True)


async def test_nothing_found_is_no_failure(tmp_path: Path) -> None:
    async with desk(tmp_path) as d:
        outcome = await d.use("web_search", "xyzzy", query="xyzzy")
        assert (outcome.ok, outcome.result.text) == (
            True,
            "The search for 'xyzzy' found nothing. Try other or fewer words.",
        )


async def test_no_network_is_one_line(tmp_path: Path) -> None:
    async with desk(tmp_path) as d:
        await d.site.switch_off()
        outcome = await d.use("web_search", "q", query="q")
        assert (outcome.ok, outcome.result.text) == (
            False,
            "No search engine can be reached; there seems to be no network connection.\n\nThat does not mean that "
            "nothing exists: look into the library, or say that the web cannot be searched now.",
        )


async def test_a_failing_engine_is_named(tmp_path: Path) -> None:
    async with desk(tmp_path) as d:
        settings = SearchSettings(searxng_url=d.site.url("/html-broken"), engines=())
        d.web._web = make_searchers(settings, NetworkAccess())[0]
        first, second = [await d.use("web_search", "q", query="q") for _ in range(2)]
        assert first.result.text.startswith("The search failed (searxng: status 404).\n\nThat does not mean")
        assert second.result.text.startswith("The search engines failed a moment ago and are left alone")


async def test_without_an_embedder_the_engines_order_holds_and_one_warning_is_given(tmp_path: Path) -> None:
    async with desk(tmp_path, NoEmbedder()) as d:
        for _ in range(2):
            outcome = await d.use("web_search", "Who designed the Ostermark Bridge?", query="Ostermark Bridge")
        assert "Ingrid Halvorsen" in outcome.result.passages[0].text
        assert d.reports.count("The embedding model cannot be loaded.") == 1


async def test_a_page_comes_with_its_best_passages_first_and_then_in_order(tmp_path: Path) -> None:
    async with desk(tmp_path) as d:
        d.web._ranker = Ranker(WordEmbedder(), ChunkShape(120, 0))
        question = "brass line market hall wall"
        outcome = await d.use("fetch_url_content", question, url=d.site.url("/flood.html"))
        first, *rest = outcome.result.passages
        assert "brass line" in first.text
        indexes = [passage.chunk_index for passage in rest[4:]]
        assert (indexes == sorted(indexes), len({p.chunk_index for p in outcome.result.passages})) == (
            True,
            first.total_chunks,
        )
        assert outcome.result.text.startswith("The Hartsmouth flood of 1953 (127.0.0.1), ")


async def test_an_address_that_cannot_be_opened_says_what_to_do(tmp_path: Path) -> None:
    async with desk(tmp_path) as d:
        texts = [
            (await d.use("fetch_url_content", "q", url=url)).result.text
            for url in (d.site.url("/picture.png"), "http://169.254.169.254/latest", "bridge")
        ]
        end = "\n\nTry another address or search the web."
        assert texts == [
            "The page was not opened: 127.0.0.1 sends image/png, which cannot be read. Magpie reads HTML, PDF, DOCX, "
            f"XLSX, PPTX, EPUB, CSV, JSON, Markdown and plain text.{end}",
            "The page was not opened: 169.254.169.254 is a private address (169.254.169.254), not the public internet."
            + end,
            f"The page was not opened: Only a plain web address (http://... or https://...) can be opened.{end}",
        ]


async def test_the_library_tells_empty_from_nothing_fitting(tmp_path: Path) -> None:
    async with desk(tmp_path) as d:
        empty = await d.use("search_vector_db", "", query="bridge")
        await d.use("fetch_url_content", "q", url=d.site.url("/bridge.html"))
        nothing = await d.use("search_vector_db", "", query="xyzzy plugh")
        assert [outcome.result.text for outcome in (empty, nothing)] == [
            "The library is empty: nothing has been read or indexed yet.",
            "Nothing relevant found in the library about 'xyzzy plugh'. Rephrase once, or search the web.",
        ]


async def test_where_none_is_near_the_nearest_of_the_users_own_passages_are_shown_as_such(tmp_path: Path) -> None:
    async with desk(tmp_path) as d:
        await d.use("fetch_url_content", "q", url=d.site.url("/bridge.html"))
        rent = "Die Miete ist am ersten Werktag des Monats zu zahlen."
        await d.library.add(Document(str(tmp_path / "lease.txt"), "lease.txt", rent, "file"))
        near = await d.use("search_vector_db", "", query="xyzzy plugh")
        assert near.result.text.startswith("Nothing relevant found in the library about 'xyzzy plugh'. These passages")
        assert [source.title for source in near.result.passages] == ["lease.txt"]


async def test_only_the_users_files_are_searched_where_that_is_wanted(tmp_path: Path) -> None:
    async with desk(tmp_path) as d:
        await d.use("fetch_url_content", "q", url=d.site.url("/bridge.html"))
        await d.library.add(Document(str(tmp_path / "trip.txt"), "trip.txt", "The bridge is worth the trip.", "file"))
        found = [
            {
                passage.origin
                for passage in (await d.use("search_vector_db", "", query="bridge", **only)).result.passages
            }
            for only in ({}, {"files_only": True})
        ]
        assert found == [{"file", "web"}, {"file"}]


async def test_the_models_search_keeps_to_filters_and_says_which_are_none(tmp_path: Path) -> None:
    async with desk(tmp_path) as d:
        for name, tags in (("trip", ("holiday",)), ("work", ())):
            told = Properties("Ann", "2026-05-06", tags)
            await d.library.add(
                Document(f"/{name}.md", name, f"The bridge is on the way to the {name}.", "file", properties=told)
            )
        found = (await d.use("search_vector_db", "", query="bridge", filters=["tag=holiday"])).result.passages
        assert {passage.source for passage in found} == {"/trip.md"}
        refused = await d.use("search_vector_db", "", query="bridge", filters=["colour=red"])
        assert "'colour=red' is no filter." in refused.result.text


async def test_with_minilm_every_example_is_found_on_the_web_and_then_in_the_library(
    tmp_path: Path, embedder: SentenceEmbedder
) -> None:
    async with desk(tmp_path, embedder, auto_fetch_threshold=0.6) as d:

        async def ask(name: str) -> dict[str, bool]:
            found = {}
            for question, words, path in EXAMPLES:
                best = (await d.use(name, question, query=question)).result.passages[0]
                found[path] = best.source == d.site.url(path) and any(word in best.text for word in words)
            return found

        everything = {path: True for _, _, path in EXAMPLES}
        assert await ask("web_search") == everything
        await d.site.switch_off()
        assert await ask("search_vector_db") == everything


async def test_offline_the_tools_tell_the_model_that_they_cannot_reach_the_web(tmp_path: Path) -> None:
    still = NetworkAccess(offline=True)
    async with desk(tmp_path) as d:
        d.web._web = make_searchers(SearchSettings(searxng_url=d.site.searxng_url), still)[0]
        d.web._fetcher = Fetcher(Client(public_web(), None, still), PageCache(tmp_path / "none", 0), FetchSettings())
        searched = await d.use("web_search", "q", query="q")
        opened = await d.use("fetch_url_content", "q", url="https://museum.example/")
    assert [(outcome.ok, outcome.result.text) for outcome in (searched, opened)] == [
        (
            False,
            "Nothing can be searched for: Magpie is switched offline (/offline).\n\nThat does not mean that "
            "nothing exists: look into the library, or say that the web cannot be searched now.",
        ),
        (
            False,
            "museum.example is not on this machine, and Magpie is offline.\n\nLook into the library, or say that "
            "no page can be opened now.",
        ),
    ]

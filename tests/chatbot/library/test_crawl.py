"""A whole site on loopback, with its traps and its hostile pages, goes into a library."""

import asyncio
import os
import signal
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from chatbot.library.crawl import GONE_TAG
from rag.documents import Document
from rag.library import Library
from rag.search.search import SearchOptions
from rag.settings import RagSettings
from rag.stored import DocumentQuery, Filters
from tests.fakes import crawling
from tests.fakes.crawling import take_in
from tests.fakes.embedder import WordEmbedder
from tests.fakes.large_site import HOSTILE, PLACES, LargeSite, words_for
from tools.web.crawling.outcomes import PageOutcome
from utils.errors import LibraryError, NetworkError

# `make torture` has some 2,000 pages.
PAGES = 1861 if os.environ.get("TORTURE") else 100
SLOW = bool(os.environ.get("TORTURE"))
TRAPS = ("/docs/calendar/", "/docs/deeper/", "/docs/filter", "/docs/visit")


@pytest.fixture
def site() -> Iterator[LargeSite]:
    with LargeSite(6, astray=False) as site:
        yield site


async def documents(folder: Path) -> dict[str, Document]:
    """What is in the library, by the path of its address."""
    library = await Library.open(folder, RagSettings(), WordEmbedder())
    try:
        listed = await library.catalogue.page(DocumentQuery(), 0, 5000)
        found = [await library.find_document(one.source) for one in listed]
    finally:
        await library.close()
    return {urlsplit(one.source)._replace(scheme="", netloc="").geturl(): one for one in found if one}


@pytest.mark.timeout(1800)
async def test_of_a_site_with_traps_and_hostile_pages_the_pages_are_taken_in_and_little_else(tmp_path: Path) -> None:
    with LargeSite(PAGES, slow=SLOW) as site:
        summary = await take_in(tmp_path, site.start, depth=6)
        kept = await documents(tmp_path)
        assert set(site.paths) <= kept.keys()
        beside = Counter(next(t for t in TRAPS if path.startswith(t)) for path in kept.keys() - set(site.paths))
        assert all(count <= 12 for count in beside.values()) and beside["/docs/visit"] == 1
        assert (summary.pages, summary.ending, len(kept)) == (len(kept), "done", len(kept))
        closed = ("/docs/private/secret.html", "/docs/script.cgi", "/docs/unseen.html", "/docs/picture.png", "/blog/a")
        assert [path for path in closed if site.asked[path]] == []
        assert max(site.asked[path] for path in site.articles) <= 2
        assert site.asked["/docs/hostile/endless"] == site.asked["/docs/hostile/bomb"] == 1
        assert {agent.partition("/")[0] for agent in site.agents} == {"Magpie"}
        failed = {urlsplit(address).path for address, _ in summary.failures}
        hostile = {f"/docs/hostile/{name}" for name in HOSTILE}
        slow = {"/docs/hostile/slow"} if SLOW else set()
        assert failed == {"/docs/forbidden.html", "/docs/chain/5", *hostile, *slow}
        assert summary.outcomes[PageOutcome.OFF_SITE] == 3
        assert summary.outcomes[PageOutcome.ROBOTS] == summary.outcomes[PageOutcome.NOINDEX] == 2
        assert summary.outcomes[PageOutcome.TRAP] > 5


async def test_a_page_is_kept_as_one_that_was_opened(tmp_path: Path, site: LargeSite) -> None:
    await take_in(tmp_path, site.start)
    page = (await documents(tmp_path))["/docs/a/b.html"]
    assert (page.title, page.source, page.origin) == ("Page /docs/a/b.html", site.url("/docs/a/b.html"), "web")
    assert words_for("/docs/a/b.html") in page.text
    assert page.fetched


async def test_a_second_run_asks_for_changes_and_a_changed_page_is_read_anew(tmp_path: Path, site: LargeSite) -> None:
    first = await take_in(tmp_path, site.start)
    before = await documents(tmp_path)
    site.changed.add("/docs/a/c.html")
    second = await take_in(tmp_path, site.start)
    after = await documents(tmp_path)
    assert (second.pages, second.unchanged) == (1, first.pages - 1)
    assert {path for path in before if after[path] != before[path]} == {"/docs/a/c.html"}
    tagged = [path for path in site.known if sum(path.encode()) % 3 < 2 and path not in PLACES]
    assert [path for path in tagged if site.not_modified[path] != (path not in site.changed)] == []


async def test_what_is_gone_is_told_and_tagged_and_loses_the_tag_when_it_is_back(
    tmp_path: Path, site: LargeSite
) -> None:
    await take_in(tmp_path, site.start)
    site.gone |= {"/docs/a/b.html", "/docs/a/c.html"}
    # Nothing leads to it any more, and it is still there.
    site.hidden |= {"/docs/a/c.html", "/docs/a/e.html"}
    second = await take_in(tmp_path, site.start)
    assert sorted(second.gone) == [site.url("/docs/a/b.html"), site.url("/docs/a/c.html")]
    assert second.outcomes[PageOutcome.UNLINKED] == 1
    kept = await documents(tmp_path)
    tagged = [path for path, page in kept.items() if GONE_TAG in page.properties.tags]
    assert sorted(tagged) == ["/docs/a/b.html", "/docs/a/c.html"] and "/docs/a/e.html" in kept
    library = await Library.open(tmp_path, RagSettings(), WordEmbedder())
    options = SearchOptions(mode="bm25", filters=Filters(tags=(GONE_TAG,)))
    found = await library.search("heron magpie", 5, options)
    await library.close()
    assert {passage.source for passage in found} == {site.url("/docs/a/b.html"), site.url("/docs/a/c.html")}
    site.gone.clear()
    third = await take_in(tmp_path, site.start)
    assert third.gone == []
    assert GONE_TAG not in (await documents(tmp_path))["/docs/a/b.html"].properties.tags


async def test_what_is_gone_is_removed_where_that_is_wanted(tmp_path: Path, site: LargeSite) -> None:
    await take_in(tmp_path, site.start)
    site.gone.add("/docs/a/b.html")
    summary = await take_in(tmp_path, site.start, **{"crawl.remove_gone": True})
    assert summary.gone == [site.url("/docs/a/b.html")]
    assert "/docs/a/b.html" not in await documents(tmp_path)


async def test_a_crawl_that_was_stopped_goes_on_and_asks_for_nothing_twice(tmp_path: Path, site: LargeSite) -> None:
    first = await take_in(tmp_path, site.start, stop_after=5)
    assert (first.ending, bool(first.waiting)) == ("", True)
    done = {path: count for path, count in site.asked.items() if path in site.known}
    second = await take_in(tmp_path, site.start)
    assert second.ending == "done"
    assert set(site.paths) <= (await documents(tmp_path)).keys()
    assert {path for path, count in done.items() if site.asked[path] > count and path != "/docs/a/a.html"} == set()


async def test_a_crawl_that_was_killed_goes_on_and_asks_for_nothing_twice(tmp_path: Path) -> None:
    reached = threading.Event()
    with LargeSite(6, astray=False) as site:
        site.on_request = lambda path: reached.set() if sum(site.asked.values()) == 9 else None
        process = await asyncio.create_subprocess_exec(
            sys.executable, crawling.__file__, str(tmp_path), site.host, stdout=asyncio.subprocess.DEVNULL
        )
        assert await asyncio.to_thread(reached.wait, 120)
        os.kill(process.pid, signal.SIGKILL)
        await process.wait()
        before = Counter(site.asked)
        summary = await take_in(tmp_path, site.start)
        assert summary.ending == "done"
        assert set(site.paths) <= (await documents(tmp_path)).keys()
        # The one that was on its way when the process died was never had.
        again = [path for path in site.known if before[path] and site.asked[path] > before[path]]
        assert len([path for path in again if path != "/docs/a/a.html"]) <= 1


async def test_a_limit_of_pages_holds_and_a_larger_one_goes_further(tmp_path: Path, site: LargeSite) -> None:
    first = await take_in(tmp_path, site.start, pages=5)
    assert (first.pages, first.ending, bool(first.waiting)) == (5, "pages", True)
    second = await take_in(tmp_path, site.start, pages=9)
    assert (second.pages, second.unchanged) == (4, 5)


async def test_links_are_followed_so_far_and_no_further(tmp_path: Path, site: LargeSite) -> None:
    nothing = await take_in(tmp_path / "a", site.start, depth=0)
    assert (nothing.pages, site.asked["/maps.xml"], nothing.deeper) == (1, 0, 3)
    site.robots = (404, "")
    await take_in(tmp_path / "b", site.start, depth=1)
    kept = await documents(tmp_path / "b")
    assert "/docs/a/" in kept and not kept.keys() & set(site.articles)


async def test_all_of_a_site_is_taken_in_where_that_is_wanted(tmp_path: Path, site: LargeSite) -> None:
    await take_in(tmp_path, site.url("/docs/a/"), depth=3, whole_site=True)
    kept = await documents(tmp_path)
    assert "/blog/a" in kept and "/docs/odd.html" in kept


@pytest.mark.parametrize("answer", [(500, "oops"), (503, "later")])
async def test_a_site_whose_rules_cannot_be_read_is_left_alone(
    tmp_path: Path, site: LargeSite, answer: tuple[int, str]
) -> None:
    site.robots = answer
    with pytest.raises(NetworkError, match=r"robots\.txt of 127\.0\.0\.1 cannot be read"):
        await take_in(tmp_path, site.start)
    assert site.asked.keys() == {"/robots.txt"}


async def test_a_start_that_robots_txt_closes_is_told(tmp_path: Path, site: LargeSite) -> None:
    site.robots = (200, "User-agent: magpie\nDisallow: /docs/")
    with pytest.raises(NetworkError, match="closes http://"):
        await take_in(tmp_path, site.start)
    assert site.asked.keys() == {"/robots.txt"}


async def test_a_site_that_answers_no_more_is_left_alone_and_gone_on_with_later(
    tmp_path: Path, site: LargeSite
) -> None:
    broken = site.known - {"/docs/", "/docs/a/"}
    site.extra = {path: lambda handler, query: handler.send("oops", status=500) for path in broken}
    with pytest.raises(NetworkError, match="failed 8 times in a row"):
        await take_in(tmp_path, site.start)
    site.extra = {}
    summary = await take_in(tmp_path, site.start)
    assert (summary.ending, summary.failed) == ("done", 0)
    assert set(site.paths) <= (await documents(tmp_path)).keys()


async def test_a_site_that_has_too_much_to_do_is_asked_again(tmp_path: Path, site: LargeSite) -> None:
    site.busy["/docs/a/b.html"] = 2
    told: list[str] = []
    await take_in(tmp_path, site.start, told=told)
    assert "/docs/a/b.html" in await documents(tmp_path)
    assert any("too much to do (status 503): it is asked again" in one for one in told)


async def test_a_page_whose_own_address_has_no_page_is_taken_as_it_is(tmp_path: Path, site: LargeSite) -> None:
    canonical = '<link rel="canonical" href="/docs/nowhere.html">'
    site.extra["/docs/a/b.html"] = lambda handler, query: handler.article(canonical, "", words_for("own"))
    await take_in(tmp_path, site.start)
    assert words_for("own") in (await documents(tmp_path))["/docs/a/b.html"].text


async def test_a_page_that_has_moved_is_kept_once(tmp_path: Path, site: LargeSite) -> None:
    site.extra["/docs/new.html"] = lambda handler, query: handler.article("", "", words_for("moving"))
    site.extra["/docs/a/b.html"] = site.extra["/docs/new.html"]
    await take_in(tmp_path, site.start)
    site.extra["/docs/a/b.html"] = lambda handler, query: handler.redirect("/docs/new.html", 301)
    summary = await take_in(tmp_path, site.start)
    kept = await documents(tmp_path)
    assert (summary.replaced, "/docs/a/b.html" in kept, "/docs/new.html" in kept) == (1, False, True)


async def test_pages_of_a_site_that_is_being_mended_are_not_taken_for_gone(tmp_path: Path, site: LargeSite) -> None:
    await take_in(tmp_path, site.start)
    site.extra = {path: lambda handler, query: handler.redirect("https://status.example/") for path in site.known}
    away = await take_in(tmp_path, site.start)
    # No map lists the others, and nothing leads to them.
    site.extra, site.gone, site.robots = {}, set(site.known), (404, "")
    broken = await take_in(tmp_path, site.start)
    assert (away.gone, broken.gone) == ([], [site.start])
    kept = await documents(tmp_path)
    assert [path for path, page in kept.items() if GONE_TAG in page.properties.tags] == ["/docs/"]


async def test_a_page_that_was_removed_from_the_library_is_asked_for_whole(tmp_path: Path, site: LargeSite) -> None:
    await take_in(tmp_path, site.start)
    library = await Library.open(tmp_path, RagSettings(), WordEmbedder())
    await library.remove(site.url("/docs/a/"))
    await library.close()
    summary = await take_in(tmp_path, site.start)
    assert summary.pages == 1 and set(site.paths) <= (await documents(tmp_path)).keys()


async def test_one_site_is_taken_in_by_one_process_at_a_time(tmp_path: Path, site: LargeSite) -> None:
    entered, leave = threading.Event(), threading.Event()

    def hold(path: str) -> None:
        if path == "/docs/":
            entered.set()
            leave.wait(60)

    site.on_request = hold
    first = asyncio.create_task(take_in(tmp_path, site.start, pages=1, **{"fetch.timeout": 100}))
    await asyncio.to_thread(entered.wait, 60)
    try:
        with pytest.raises(LibraryError, match="Another Magpie is taking in this site"):
            await take_in(tmp_path, site.start)
    finally:
        leave.set()
    assert (await first).pages == 1

import asyncio
from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.fakes.site import Site
from tests.fakes.site_pages import ARTICLES, MARKDOWN, PLAIN_TEXT
from tools.settings import FetchSettings
from tools.web.fetch import Fetcher, check_type
from tools.web.page_cache import PageCache
from utils.errors import AddressRefused, DocumentError, NetworkError, Unreachable
from utils.network.addresses import parse_url, public_web
from utils.network.http import Client, ExchangeLimits


def fetcher(site: Site, folder: Path, **settings: float) -> Fetcher:
    chosen = FetchSettings(allow_hosts=(site.host,), **settings)
    client = Client(public_web(chosen.allow_hosts))
    return Fetcher(client, PageCache(folder / "pages", chosen.cache_hours), chosen)


async def test_a_page_becomes_its_article_without_what_stands_around_it(tmp_path: Path) -> None:
    async with Site() as site:
        page = await fetcher(site, tmp_path).fetch(site.url("/bridge.html"))
    title, paragraphs = ARTICLES["/bridge.html"]
    assert (page.source, page.title, page.origin, page.media_type) == (
        site.url("/bridge.html"),
        title,
        "web",
        "text/html",
    )
    assert all(paragraph in page.text for paragraph in paragraphs)
    assert not any(word in page.text for word in ("cookies", "strange trick", "newsletter", "dataLayer"))
    assert page.fetched


async def test_pdf_plain_text_and_markdown_are_read(tmp_path: Path) -> None:
    async with Site() as site:
        reader = fetcher(site, tmp_path)
        pdf, plain, markdown = [await reader.fetch(site.url(p)) for p in ("/guide.pdf", "/notes.txt", "/mill.md")]
    assert "VHF channel 12" in pdf.text
    assert (plain.text.strip(), markdown.text.strip()) == (PLAIN_TEXT.strip(), MARKDOWN.strip())
    assert markdown.title == "The tide mill of Port Anselm"


@pytest.mark.parametrize(
    ("content_type", "path", "opened"),
    [
        ("text/csv", "/a", True),
        ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "/a", True),
        ("application/ld+json; charset=utf-8", "/a", True),
        ("application/octet-stream", "/notes.txt?raw=1", True),
        ("application/octet-stream", "/book.epub", True),
        ("application/octet-stream", "/setup.exe", False),
        ("application/zip", "/a.zip", False),
        ("video/mp4", "/a.md", False),
        ("", "/a", True),
    ],
)
def test_what_is_worth_loading_is_told_by_its_type_or_its_name(content_type: str, path: str, opened: bool) -> None:
    with nullcontext() if opened else pytest.raises(DocumentError):
        check_type(parse_url(f"https://a.example{path}"), content_type)


async def test_a_second_reading_does_not_touch_the_network(tmp_path: Path) -> None:
    async with Site() as site:
        first = await fetcher(site, tmp_path).fetch(site.url("/moved#part"))
        await site.switch_off()
        assert await fetcher(site, tmp_path).fetch(site.url("/moved")) == first
    assert (first.source, site.requests) == (site.url("/bridge.html"), {"/moved": 1, "/bridge.html": 1})


async def test_several_readers_of_a_page_share_one_request(tmp_path: Path) -> None:
    async with Site() as site:
        reader = fetcher(site, tmp_path)
        pages = await asyncio.gather(*(reader.fetch(site.url("/flood.html")) for _ in range(4)))
        assert (len(set(pages)), site.requests) == (1, {"/flood.html": 1})


async def test_a_reader_who_leaves_does_not_spoil_it_for_the_others(tmp_path: Path) -> None:
    async with Site() as site:
        reader = fetcher(site, tmp_path)
        leaving = asyncio.create_task(reader.fetch(site.url("/flood.html")))
        staying = asyncio.create_task(reader.fetch(site.url("/flood.html")))
        while not site.requests:
            await asyncio.sleep(0.01)
        leaving.cancel()
        assert (await staying).title == "The Hartsmouth flood of 1953"


@pytest.mark.parametrize(
    ("path", "error", "words"),
    [
        ("/picture.png", DocumentError, r"sends image/png, which cannot be read\. Magpie reads HTML, PDF"),
        ("/missing", DocumentError, r"127\.0\.0\.1 answers 404 \(Not Found\)\."),
        ("/html-broken/", DocumentError, "answers 500"),
        ("/empty.html", DocumentError, "holds no text"),
        ("/huge", NetworkError, "larger than 10 MB"),
        ("/loop", NetworkError, "redirects more than 5 times"),
        ("/private", AddressRefused, "private address"),
        ("/hang", NetworkError, r"took longer than 0\.5 s"),
    ],
)
async def test_what_cannot_be_read_is_said_in_one_sentence(
    tmp_path: Path, path: str, error: type[Exception], words: str
) -> None:
    async with Site() as site:
        seconds = 0.5 if path == "/hang" else 20
        reader = Fetcher(
            Client(public_web([site.host]), ExchangeLimits(seconds)), PageCache(tmp_path / "pages", 24), FetchSettings()
        )
        with pytest.raises(error, match=words):
            await reader.fetch(site.url(path))


async def test_a_failure_is_not_kept(tmp_path: Path) -> None:
    async with Site() as site:
        reader = fetcher(site, tmp_path)
        for _ in range(2):
            with pytest.raises(DocumentError):
                await reader.fetch(site.url("/missing"))
        assert site.requests == {"/missing": 2}
        await site.switch_off()
        with pytest.raises(Unreachable):
            await reader.fetch(site.url("/bridge.html"))


async def test_a_page_that_may_no_longer_be_opened_is_not_read_from_the_cache(tmp_path: Path) -> None:
    async with Site() as site:
        await fetcher(site, tmp_path).fetch(site.url("/bridge.html"))
        closed = Fetcher(Client(public_web()), PageCache(tmp_path / "pages", 24), FetchSettings())
        with pytest.raises(AddressRefused, match="private address"):
            await closed.fetch(site.url("/bridge.html"))

import pytest

from rag.readers import read_page
from rag.readers.website.page_links import MAX_CHARS_OF_LINKS, MAX_LINKS, PageLinks, find_links

PAGE = """<html><head><base href="/docs/"><link rel="canonical" href="own.html"><link rel="next" href="two.html">
<link rel="stylesheet" href="style.css"><meta name="Robots" content="noindex"><meta name="googlebot" content="none">
</head><body><a href="a.html">a</a><a href="a.html#part">a</a><a href="#here">h</a>
<a rel="nofollow ugc" href="no.html">n</a>
<a href="mailto:x@y">m</a><a href="javascript:go()">j</a><a href="http://[bad">b</a><a href="//other.example/x">o</a>
<map><area href="area.html"></map><a>none</a></body></html>"""


def test_links_are_whole_addresses_each_once_without_those_that_are_not_to_be_followed() -> None:
    found = find_links(PAGE.encode(), "text/html", "https://s.example/x/y")
    site = "https://s.example/docs"
    links = (f"{site}/a.html", "https://other.example/x", f"{site}/area.html", f"{site}/two.html")
    assert found == PageLinks(links, f"{site}/own.html", "noindex")


@pytest.mark.parametrize("data", [b"", b"   ", b"\0\0", b"<", b"<!-- -->", b"plain"])
def test_what_has_no_links_has_none(data: bytes) -> None:
    assert find_links(data, "text/html", "https://s.example/").links == ()
    assert find_links(PAGE.encode(), "text/plain", "https://s.example/") == PageLinks()


def test_of_a_page_with_links_without_end_so_many_are_taken() -> None:
    page = b"".join(b'<a href="%d">x</a>' % number for number in range(MAX_LINKS + 10))
    assert len(find_links(page, "text/html", "https://s.example/").links) == MAX_LINKS

    long = b"".join(b'<a href="%d%s">x</a>' % (number, b"a" * 1900) for number in range(200))
    assert sum(map(len, find_links(long, "text/html", "https://s.example/").links)) <= MAX_CHARS_OF_LINKS


async def test_a_page_without_text_has_links_all_the_same() -> None:
    page = await read_page(b'<html><body><a href="a"></a></body></html>', "text/html", "https://s.example/")
    assert (page.document, page.links.links) == (None, ("https://s.example/a",))
    assert "holds no text" in page.failure


async def test_a_page_that_is_nested_without_end_breaks_nothing() -> None:
    page = await read_page(b"<html><body>" + b"<div>" * 300_000 + b"text", "text/html", "https://s.example/")
    assert page.document is not None or page.failure

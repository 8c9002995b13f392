import pytest

from tools.web.crawling.canonical import canonical_target
from utils.network.addresses import parse_url


@pytest.mark.parametrize(
    ("url", "known"),
    [
        ("HTTP://Site.Example:80/a#part", "http://site.example/a"),
        ("https://site.example:443", "https://site.example/"),
        ("https://site.example/a?utm_source=x&b=2&a=1&fbclid=y", "https://site.example/a?a=1&b=2"),
        ("https://site.example/a?", "https://site.example/a"),
        ("https://site.example/a?tag=x&tag=b", "https://site.example/a?tag=x&tag=b"),
        ("https://site.example/a?PHPSESSID=1&sid=0123456789abcdef", "https://site.example/a"),
        ("https://site.example/a?sid=7", "https://site.example/a?sid=7"),
        ("https://site.example/shop;jsessionid=A1B2?x=1", "https://site.example/shop?x=1"),
        ("https://site.example/%61/%7euser/%c3%a9%2Fb", "https://site.example/a/~user/%C3%A9%2Fb"),
        ("https://site.example/docs/../private/./x", "https://site.example/private/x"),
        ("https://site.example/docs/%2e%2e/private/", "https://site.example/private/"),
        ("https://site.example/../../..", "https://site.example/"),
        ("https://site.example/a/b/..", "https://site.example/a/"),
        ("https://site.example/a//b", "https://site.example/a//b"),
    ],
)
def test_a_page_has_one_address_however_it_is_written(url: str, known: str) -> None:
    once = canonical_target(parse_url(url))
    assert once.url == known
    assert canonical_target(once) == once

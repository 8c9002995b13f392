import pytest

from tools.web.crawling.scope import begin_scope, is_same_site
from utils.errors import AddressRefused
from utils.network.addresses import parse_url


@pytest.mark.parametrize(
    ("start", "below", "beside"),
    [
        ("https://s.example/", "https://s.example/anything", "https://other.example/"),
        ("https://s.example/docs/", "https://s.example/docs/a/b", "https://s.example/docs.html"),
        ("https://s.example/docs", "https://s.example/docs/a", "https://s.example/docsother"),
        ("https://s.example/docs", "https://s.example/docs", "https://s.example/"),
        ("https://s.example/docs/index.html", "https://s.example/docs/b.html", "https://s.example/blog/"),
        ("https://s.example/a?page=1", "https://s.example/a?page=2", "https://s.example/b?page=1"),
        ("https://s.example/docs/", "https://s.example/docs/x", "https://s.example/docs/../private/"),
        ("https://s.example/docs/", "https://s.example/docs/x", "https://s.example/docs/%2e%2e/private/"),
        ("https://s.example/", "http://s.example:80/a", "https://sub.s.example/"),
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8000/a", "https://127.0.0.1:8000/"),
    ],
)
def test_what_is_below_the_start_is_told_from_what_is_beside_it(start: str, below: str, beside: str) -> None:
    scope = begin_scope(start)
    assert (scope.locate(below).below, scope.locate(beside).below) == (True, False)


def test_all_of_the_site_is_below_where_that_is_wanted() -> None:
    scope = begin_scope("https://s.example/docs/", whole_site=True)
    assert scope.locate("https://s.example/blog/").below and not scope.locate("https://other.example/docs/").below


def test_a_site_that_calls_itself_otherwise_is_known_by_both_names() -> None:
    scope = begin_scope("http://s.example/docs/").renamed(parse_url("https://www.s.example/robots.txt"))
    assert scope.start.url == "https://www.s.example/docs/"
    for name in ("http://s.example", "https://s.example", "http://www.s.example", "https://www.s.example"):
        assert scope.locate(f"{name}/docs/a").address == "https://www.s.example/docs/a"
    assert scope.renamed(parse_url("https://elsewhere.example/robots.txt")) == scope


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("http://s.example/", "https://www.s.example/", True),
        ("http://s.example:8080/", "https://s.example/", False),
        ("http://s.example/", "http://t.example/", False),
        ("http://127.0.0.1:80/", "http://127.0.0.1:81/", False),
    ],
)
def test_names_of_one_site(one: str, other: str, same: bool) -> None:
    assert is_same_site(parse_url(one), parse_url(other)) == same


@pytest.mark.parametrize("link", ["mailto:a@b", "http://[", "http://user:x@s.example/", "http://0x7f.1/", "\ud800"])
def test_what_is_no_address_leads_nowhere(link: str) -> None:
    assert begin_scope("https://s.example/").follow("https://s.example/a", link) is None


def test_a_start_that_is_no_address_is_refused() -> None:
    with pytest.raises(AddressRefused):
        begin_scope("ftp://s.example/")

import pytest

from tools.web.crawling.robots import PageWishes, RobotsRules, read_wishes

TEXT = """User-agent: *
Disallow: /
Crawl-delay: 1

User-agent: Magpie
Disallow: /private/
Allow: /private/open
Crawl-delay: 2.5
Request-rate: 1/4s

Sitemap: https://s.example/map.xml
Sitemap: https://s.example/map.xml
"""


def test_the_rules_for_our_name_hold_and_not_those_for_others() -> None:
    rules = RobotsRules(TEXT)
    found = [rules.allows(f"https://s.example{path}") for path in ("/a", "/private/x", "/private/open/y")]
    assert found == [True, False, True]
    assert (rules.delay, rules.sitemaps) == (4.0, ["https://s.example/map.xml"])


@pytest.mark.parametrize("text", ["", "\0\ufffd<html>", "Disallow: /", "Crawl-delay: x\nUser-agent: *"])
def test_a_text_that_is_no_robots_txt_forbids_nothing(text: str) -> None:
    rules = RobotsRules(text)
    assert rules.allows("https://s.example/a") and rules.delay == 0 and rules.sitemaps == []


@pytest.mark.parametrize(
    ("meta", "header", "index", "follow"),
    [
        ("", "", True, True),
        ("noindex", "", False, True),
        ("NOINDEX, nofollow", "", False, False),
        ("none", "", False, False),
        ("", "noindex", False, True),
        ("", "googlebot: noindex, nofollow", True, True),
        ("", "googlebot: noindex\nmagpie: nofollow", True, False),
        ("", "max-snippet: 20, noindex", False, True),
        ("index, follow", "unavailable_after: 25 Jun 2030 15:00:00 PST", True, True),
    ],
)
def test_what_pages_and_answers_ask_for_is_read(meta: str, header: str, index: bool, follow: bool) -> None:
    assert read_wishes(meta, header) == PageWishes(index, follow)

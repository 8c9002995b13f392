"""Sites whose pages have text and links only once their scripts have run."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.chatbot.library.test_crawl import documents
from tests.fakes.browser import needs_chromium
from tests.fakes.crawling import take_in
from tests.fakes.large_site import LargeSite, words_for
from tools.web.browser.renderer import PageRenderer
from tools.web.crawling.outcomes import PageOutcome
from utils.errors import DocumentError
from utils.network.http import Response

SHELL = '<html><head><title>Birds</title></head><body><div id="app"></div><script src="/app.js"></script></body></html>'
FILL = """
const show = html => { document.getElementById('app').innerHTML = html }
fetch('/text' + location.pathname).then(response => response.text()).then(show)
"""
LINKS = "".join(
    f'<a href="{link}">more</a>'
    for link in ("/app/two.html", "/app/closed/a.html", "/blog/a", "https://elsewhere.example/")
)
BODIES = {"/app/": f"<p>{words_for('one')}</p>{LINKS}", "/app/two.html": f"<p>{words_for('two')}</p>"}
PATIENCE = {"fetch.timeout": 110}
"""A busy machine needs time to start a browser."""


class FakeRenderer(PageRenderer):
    """Puts in the place of the script what it would write, or raises it."""

    def __init__(self, bodies: dict[str, str | DocumentError]) -> None:
        self.bodies = bodies
        self.rendered: list[str] = []

    async def render(self, response: Response) -> Response:
        path = "/" + response.url.split("/", 3)[3]
        self.rendered.append(path)
        body = self.bodies[path]
        if isinstance(body, DocumentError):
            raise body
        return replace(response, body=response.body.replace(b'<div id="app"></div>', body.encode()))


def sends(body: str, kind: str = "text/html", **headers: str) -> Callable[[Any, Any], None]:
    """An answer of the site, with the status 304 for whoever knows its version."""

    def answer(handler: Any, query: Any) -> None:
        known = "ETag" in headers and handler.headers.get("If-None-Match") == headers["ETag"]
        handler.send("" if known else body, kind, 304 if known else 200, headers)

    return answer


@pytest.fixture
def site() -> Iterator[LargeSite]:
    with LargeSite(1, astray=False) as site:
        site.robots = (200, "User-agent: *\nDisallow: /app/closed/")
        site.extra = {path: sends(SHELL, ETag='"1"') for path in BODIES}
        site.extra["/app.js"] = sends(FILL, "text/javascript")
        site.extra |= {f"/text{path}": sends(body, "text/plain") for path, body in BODIES.items()}
        yield site


@needs_chromium
@pytest.mark.timeout(600)
async def test_what_scripts_write_is_taken_in_and_their_links_are_followed(tmp_path: Path, site: LargeSite) -> None:
    summary = await take_in(tmp_path, site.url("/app/"), **PATIENCE)
    kept = await documents(tmp_path)
    assert (summary.pages, kept.keys()) == (2, set(BODIES))
    assert words_for("one") in kept["/app/"].text and words_for("two") in kept["/app/two.html"].text
    assert (site.asked["/app/"], site.asked["/app/two.html"], site.asked["/blog/a"]) == (1, 1, 0)
    assert site.asked["/app/closed/a.html"] == 0
    assert (summary.outcomes[PageOutcome.ROBOTS], summary.outcomes[PageOutcome.ELSEWHERE]) == (1, 1)


@needs_chromium
@pytest.mark.timeout(600)
@pytest.mark.parametrize("where", ["/blog/a", "http://192.168.0.1/"])
async def test_where_a_script_leads_elsewhere_nothing_of_that_is_taken_in(
    tmp_path: Path, site: LargeSite, where: str
) -> None:
    site.extra["/app/"] = sends(f"<html><body><script>location.href = '{where}'</script></body></html>")
    summary = await take_in(tmp_path, site.url("/app/"), **PATIENCE)
    assert (summary.pages, summary.outcomes[PageOutcome.EMPTY]) == (0, 1)


async def test_only_pages_without_text_are_rendered_and_each_once(tmp_path: Path, site: LargeSite) -> None:
    text = f"<html><body><p>{words_for('whole') * 3}</p><script>1</script></body></html>"
    site.extra["/app/whole.html"] = sends(text)
    renderer = FakeRenderer(BODIES | {"/app/": BODIES["/app/"] + '<a href="/app/whole.html">more</a>'})
    first = await take_in(tmp_path, site.url("/app/"), renderer=renderer)
    assert (first.pages, renderer.rendered) == (3, ["/app/", "/app/two.html"])
    # Their server calls both unchanged.
    second = await take_in(tmp_path, site.url("/app/"), renderer=renderer)
    assert (second.pages, second.unchanged, second.gone) == (0, 3, [])
    assert (len(renderer.rendered), site.asked["/app/two.html"]) == (2, 2)


async def test_links_that_scripts_write_are_followed_where_they_write_no_text(tmp_path: Path, site: LargeSite) -> None:
    renderer = FakeRenderer(BODIES | {"/app/": '<nav><a href="/app/two.html"></a></nav>'})
    await take_in(tmp_path, site.url("/app/"), renderer=renderer)
    assert (await documents(tmp_path)).keys() == {"/app/two.html"}


@pytest.mark.parametrize(
    "bodies",
    [
        {"/app/": DocumentError("127.0.0.1 was not rendered: its browser broke down.")},
        {"/app/": '<meta name="robots" content="noindex, nofollow">' + BODIES["/app/"]},
    ],
    ids=["not rendered", "closed by its script"],
)
async def test_what_is_not_rendered_or_says_no_then_is_left_out(
    tmp_path: Path, site: LargeSite, bodies: dict[str, str | DocumentError]
) -> None:
    summary = await take_in(tmp_path, site.url("/app/"), renderer=FakeRenderer(bodies))
    assert (summary.pages, summary.failed, site.asked["/app/two.html"]) == (0, 0, 0)


async def test_what_says_no_before_its_scripts_run_is_not_rendered(tmp_path: Path, site: LargeSite) -> None:
    site.extra["/app/"] = sends(SHELL, **{"X-Robots-Tag": "noindex"})
    renderer = FakeRenderer({})
    summary = await take_in(tmp_path, site.url("/app/"), renderer=renderer)
    assert (summary.outcomes[PageOutcome.NOINDEX], renderer.rendered) == (1, [])


async def test_without_a_browser_such_pages_are_left_out_as_pages_without_text(tmp_path: Path, site: LargeSite) -> None:
    summary = await take_in(tmp_path, site.url("/app/"), **{"fetch.browser": False})
    assert (summary.pages, summary.outcomes) == (0, {PageOutcome.EMPTY: 1})
    assert "1 without text that can be read" in summary.left_out()
    assert site.asked["/app.js"] == 0

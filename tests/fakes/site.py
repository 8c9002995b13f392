"""A web site on loopback: articles, a PDF, a search engine of its own, and the ways in which pages misbehave.

    async with Site() as site:                       # site.host is "127.0.0.1:PORT", for fetch.allow_hosts
        site.url("/bridge.html"), site.searxng_url   # the second one for search.searxng_url
        site.requests["/bridge.html"]                # how often a path was asked for; `await site.switch_off()`

EXAMPLES holds questions, words that a right answer has, and the page that says it.

Paths that misbehave: /moved (redirects to /bridge.html), /loop, /slow (2 s), /hang (never answers), /huge (50 MB),
/missing (404), /picture.png, /empty.html, /private (redirects to a private address). DuckDuckGo's HTML page:
/html/ (results), /html-empty/, /html-throttled/ (202), /html-challenge/ (200), /html-broken/ (500), /html-hang/.
"""

import asyncio
import contextlib
import html
import json
import math
import re
import threading
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.fakes.site_pages import ARTICLES, MARKDOWN, PDF_PAGES, PLAIN_TEXT

EXAMPLES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("How many steps lead up to the lantern room of the Gull Point lighthouse?", ("142",), "/lighthouse-museum.html"),
    ("When does the first ferry to Skerry Island leave in the morning?", ("6:45",), "/ferry-timetable.html"),
    ("Who designed the Ostermark Bridge?", ("Halvorsen",), "/bridge.html"),
    ("What is the name of the main telescope of Mount Corvin Observatory?", ("Halcyon",), "/observatory.html"),
    ("For how many weeks does Brindlewick blue cheese ripen?", ("fourteen", "14"), "/cheese.html"),
    ("What is the course record of the Lindholm marathon?", ("2 hours 11 minutes", "2:11:48"), "/marathon.html"),
    ("How many people did Jonas Petterly bring to the church in the Hartsmouth flood?", ("64",), "/flood.html"),
    ("On which VHF channel does the harbour master of Hartsmouth listen?", ("12",), "/guide.pdf"),
)
"""Questions, words of which a right answer has at least one, and the page that says it."""

HUGE_BYTES = 50_000_000
FILLER = b"<p>" + b"lorem ipsum dolor sit amet " * 600 + b"</p>\n"


class Site:
    """The running site."""

    def __init__(self) -> None:
        self.requests: Counter[str] = Counter()
        self.queries: list[str] = []
        """What the search engines were asked."""
        self.released = threading.Event()
        self._server: ThreadingHTTPServer | None = None
        self.host = ""

    async def __aenter__(self) -> "Site":
        self._server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"site": self}))
        self.host = f"127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.switch_off()

    async def switch_off(self) -> None:
        """From now on nothing listens at the address."""
        self.released.set()
        if self._server:
            server, self._server = self._server, None
            await asyncio.to_thread(server.shutdown)
            server.server_close()

    @property
    def searxng_url(self) -> str:
        return f"http://{self.host}"

    def url(self, path: str) -> str:
        return f"http://{self.host}{path}"

    def search(self, query: str) -> list[dict[str, str]]:
        """Pages that share a rare word with the query, best first, as SearXNG describes results."""
        words = set(re.findall(r"\w+", query.lower()))
        texts = {path: f"{title} {' '.join(paragraphs)}" for path, (title, paragraphs) in ARTICLES.items()}
        texts["/guide.pdf"] = " ".join(" ".join(page) for page in PDF_PAGES)
        found = {path: set(re.findall(r"\w+", text.lower())) for path, text in texts.items()}
        spread = Counter(word for page in found.values() for word in page)
        scores = {
            path: sum(math.log(len(found) / spread[word]) for word in words & page) for path, page in found.items()
        }
        best = sorted((path for path in found if scores[path] > 1), key=lambda path: -scores[path])[:8]
        return [self._result(path, texts[path], words) for path in best]

    def _result(self, path: str, text: str, words: set[str]) -> dict[str, str]:
        title = ARTICLES[path][0] if path in ARTICLES else PDF_PAGES[0][0]
        sentences = re.split(r"(?<=[.!?]) ", text.removeprefix(title).strip())
        snippet = max(sentences, key=lambda sentence: len(words & set(re.findall(r"\w+", sentence.lower()))))
        return {"title": title, "url": self.url(path), "content": snippet, "publishedDate": "2026-11-20T08:00:00"}


def article_page(title: str, paragraphs: tuple[str, ...]) -> str:
    """An article with everything around it that real pages have."""
    links = "".join(f'<li><a href="{path}">{html.escape(name)}</a></li>' for path, (name, _) in ARTICLES.items())
    body = "".join(f"<p>{html.escape(paragraph)}</p>\n" for paragraph in paragraphs)
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)} | The Coast Almanac</title>
<meta property="og:site_name" content="The Coast Almanac"><style>nav li {{ display: inline }}</style>
<script>window.dataLayer = window.dataLayer || []; function track(e) {{ dataLayer.push(e) }}</script></head>
<body><header><a href="/">The Coast Almanac</a><nav><ul>{links}</ul></nav></header>
<div class="cookie-banner">We use cookies to improve your experience. <button>Accept all</button></div>
<main><article><h1>{html.escape(title)}</h1><p class="byline">By the editors</p>
{body}</article>
<aside class="ad"><h4>Sponsored</h4><p>Lose weight with this one strange trick!</p><a href="#">Buy now</a></aside>
</main>
<footer><p>Copyright The Coast Almanac. All rights reserved. Terms of use. Privacy policy. Subscribe to our
newsletter.</p></footer></body></html>"""


def result_page(results: list[dict[str, str]]) -> str:
    """Search results in the shape of DuckDuckGo's page without scripts."""
    items = "".join(
        f"""<div class="result results_links results_links_deep web-result ">
<div class="links_main links_deep result__body"><h2 class="result__title">
<a rel="nofollow" class="result__a" href="{r["url"]}">{html.escape(r["title"])}</a></h2>
<div class="result__extras"><div class="result__extras__url"><span class="result__icon"></span></div></div>
<a class="result__snippet" href="{r["url"]}">{html.escape(r["content"])}</a><div class="clear"></div></div></div>"""
        for r in results
    )
    nothing = '<div class="no-results">No results.</div>'
    return f"""<!DOCTYPE html><html><head><title>DuckDuckGo</title></head><body><div id="links" class="results">
{items or nothing}</div></body></html>"""


def pdf_file(pages: tuple[tuple[str, ...], ...]) -> bytes:
    """A PDF with one text line a line, written out by hand."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, lines in enumerate(pages):
        text = " ".join(f"({line}) Tj T*" for line in lines)
        stream = f"BT /F1 11 Tf 14 TL 60 760 Td {text} ET"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> "
            f"/Contents {5 + 2 * number} 0 R >>"
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    out, offsets = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1")
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    end = f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF\n"
    return out + f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{end}".encode("latin-1")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A visitor who left in the middle is no news."""


class _Handler(BaseHTTPRequestHandler):
    site: Site
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is printed."""

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        self.site.requests[parts.path] += 1
        self._answer(parts.path, parse_qs(parts.query))

    def do_POST(self) -> None:
        self.site.requests[self.path] += 1
        form = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        self._answer(self.path, parse_qs(form))

    def _answer(self, path: str, query: dict[str, list[str]]) -> None:
        if path in ARTICLES:
            return self.send(article_page(*ARTICLES[path]))
        special: dict[str, Callable[[], None]] = {
            "/search": lambda: self.search(query),
            "/html/": lambda: self.send(result_page(self.find(query))),
            "/html-empty/": lambda: self.send(result_page([])),
            "/html-throttled/": lambda: self.send(result_page([]), status=202),
            "/html-challenge/": lambda: self.send('<div class="anomaly-modal__title">Select all ducks</div>'),
            "/html-broken/": lambda: self.send("", status=500),
            "/html-hang/": lambda: self.hang(60),
            "/guide.pdf": lambda: self.send(pdf_file(PDF_PAGES), "application/pdf"),
            "/notes.txt": lambda: self.send(PLAIN_TEXT, "text/plain"),
            "/mill.md": lambda: self.send(MARKDOWN, "text/markdown; charset=utf-8"),
            "/picture.png": lambda: self.send(b"\x89PNG\r\n\x1a\n" + bytes(64), "image/png"),
            "/empty.html": lambda: self.send("<html><body></body></html>"),
            "/moved": lambda: self.redirect("/bridge.html"),
            "/loop": lambda: self.redirect("/loop"),
            "/private": lambda: self.redirect("http://192.168.0.1/admin"),
            "/slow": lambda: (self.hang(2), self.send(article_page("A slow page", ("It came late.",))))[1],
            "/hang": lambda: self.hang(60),
            "/huge": self.huge,
        }
        return special.get(path, lambda: self.send(article_page("Not found", ("No such page.",)), status=404))()

    def find(self, query: dict[str, list[str]]) -> list[dict[str, str]]:
        self.site.queries.append(query.get("q", [""])[0])
        return self.site.search(self.site.queries[-1])

    def search(self, query: dict[str, list[str]]) -> None:
        if query.get("format") != ["json"]:
            return self.send("", status=403)
        answer = {"query": query.get("q"), "results": self.find(query), "unresponsive_engines": []}
        return self.send(json.dumps(answer), "application/json")

    def send(self, body: str | bytes, kind: str = "text/html; charset=utf-8", status: int = 200) -> None:
        data = body.encode() if isinstance(body, str) else body
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def redirect(self, where: str) -> None:
        self.send_response(302)
        self.send_header("Location", where)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def hang(self, seconds: float) -> None:
        self.site.released.wait(seconds)
        self.close_connection = True

    def huge(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Connection", "close")
        self.end_headers()
        with contextlib.suppress(OSError):
            for _ in range(HUGE_BYTES // len(FILLER) + 1):
                self.wfile.write(FILLER)

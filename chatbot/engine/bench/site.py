"""A small web on loopback: pages that were invented for `magpie bench-models`, and a search engine that finds them."""

import asyncio
import html
import json
import math
import re
import threading
from collections import Counter
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import msgspec

SITE_FILE = Path(__file__).with_name("site.json")
MOST_FOUND = 6
"""Results of one search."""


class BenchPage(msgspec.Struct, frozen=True):
    """A page of the small web."""

    title: str
    paragraphs: tuple[str, ...]

    @property
    def words(self) -> set[str]:
        """Its words in small letters."""
        return words_of(" ".join([self.title, *self.paragraphs]))

    @property
    def html(self) -> str:
        """The page as a browser is given it."""
        title = html.escape(self.title)
        body = "".join(f"<p>{html.escape(paragraph)}</p>\n" for paragraph in self.paragraphs)
        head = f'<head><meta charset="utf-8"><title>{title}</title></head>'
        return f'<!DOCTYPE html>\n<html lang="en">{head}<body><article><h1>{title}</h1>\n{body}</article></body></html>'


class BenchSite:
    """The pages and their search, which speaks as SearXNG does; on loopback while it is used as a context."""

    def __init__(self) -> None:
        self.pages = msgspec.json.decode(SITE_FILE.read_bytes(), type=dict[str, BenchPage])
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"site": self}))
        self._server.daemon_threads = True

    @property
    def host(self) -> str:
        """Host and port, as `fetch.allow_hosts` has them."""
        return f"127.0.0.1:{self._server.server_address[1]}"

    @property
    def url(self) -> str:
        """Its base address, which is that of the search as well."""
        return f"http://{self.host}"

    async def __aenter__(self) -> "BenchSite":
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self._server.shutdown)
        self._server.server_close()

    def find_pages(self, query: str) -> list[dict[str, str]]:
        """The pages that share words with a query, those with the rarest first, as SearXNG describes results."""
        wanted = words_of(query)
        spread = Counter(word for page in self.pages.values() for word in page.words)
        scores = {
            path: sum(math.log(len(self.pages) / spread[word]) for word in wanted & page.words)
            for path, page in self.pages.items()
        }
        best = sorted((path for path in scores if scores[path] > 0), key=lambda path: -scores[path])[:MOST_FOUND]
        return [self._result(path, self.pages[path], wanted) for path in best]

    def _result(self, path: str, page: BenchPage, wanted: set[str]) -> dict[str, str]:
        snippet = max(page.paragraphs, key=lambda paragraph: len(wanted & words_of(paragraph)))
        return {"title": page.title, "url": f"{self.url}{path}", "content": snippet}


def words_of(text: str) -> set[str]:
    """The words of a text in small letters."""
    return set(re.findall(r"\w+", text.casefold()))


class _Handler(BaseHTTPRequestHandler):
    site: BenchSite

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is printed."""

    def do_GET(self) -> None:
        """Answer a search, or send a page."""
        parts = urlsplit(self.path)
        if parts.path == "/search":
            query = parse_qs(parts.query).get("q", [""])[0]
            self._send(json.dumps({"query": query, "results": self.site.find_pages(query)}), "application/json")
        elif page := self.site.pages.get(parts.path):
            self._send(page.html)
        else:
            self._send("<!DOCTYPE html><title>Not found</title><p>There is no such page.</p>", status=404)

    def _send(self, text: str, kind: str = "text/html; charset=utf-8", status: int = 200) -> None:
        data = text.encode()
        headers: Mapping[str, str] = {"Content-Type": kind, "Content-Length": str(len(data))}
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

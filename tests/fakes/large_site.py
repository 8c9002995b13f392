"""A site of as many pages as wanted, on loopback, with everything by which sites lead programs astray.

    with LargeSite(200) as site:                # site.host is "127.0.0.1:PORT", for fetch.allow_hosts
        site.start                              # http://HOST/docs/, below which the pages are
        site.paths                              # those of the pages that are to be taken in
        site.asked["/docs/b/a.html"]            # how often a path was asked for, whatever stood behind a question mark

Sections have pages, which link to each other, to traps and away. `gone`, `hidden` and `changed` are sets of paths that
a test fills between two runs. A third of the pages has an ETag, a third a date, and the others have neither.
"""

import gzip
import hashlib
import itertools
import threading
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

WORDS = ("heron", "magpie", "tern", "gull", "wren", "finch", "crane", "swift", "rail", "teal", "smew", "knot")
PER_SECTION = 20
HOSTILE = ("endless", "bomb", "broken", "headers", "error")
PLAIN_WAYS = ("/docs/odd.html", "/docs/nofollow.html")
ISSUES = 40
"""Pages that only the map lists, and whose addresses differ by a number."""
ORPHANS = ("orphan-a.html", "orphan-b.html")
MODIFIED = "Wed, 25 Nov 2026 10:00:00 GMT"
ROBOTS = """User-agent: *
Disallow: /docs/private/
Disallow: /*.cgi$

User-agent: otherbot
Disallow: /

Sitemap: http://{host}/maps.xml
Sitemap: https://elsewhere.example/sitemap.xml
"""


def letters(number: int) -> str:
    """A name without digits: a, b, ... z, ba, bb."""
    name = ""
    while True:
        number, rest = divmod(number, 26)
        name = chr(97 + rest) + name
        if not number:
            return name


def words_for(path: str, count: int = 60) -> str:
    """A text that no other path has."""
    digest = hashlib.sha256(path.encode()).digest()
    picked = " ".join(WORDS[digest[n % 32] % len(WORDS)] for n in range(count))
    return f"{picked} {hashlib.sha256(path.encode()).hexdigest()}"


class LargeSite:
    """The running site."""

    def __init__(self, pages: int, *, astray: bool = True, slow: bool = False) -> None:
        self.astray = astray
        """Whether there are ways astray."""
        self.slow = slow
        """Whether one of them is a page that never comes."""
        self.asked: Counter[str] = Counter()
        self.conditional: Counter[str] = Counter()
        self.not_modified: Counter[str] = Counter()
        self.connections = 0
        self.open_at_once = 0
        self.agents: set[str] = set()
        self.gone: set[str] = set()
        self.hidden: set[str] = set()
        self.changed: set[str] = set()
        self.busy: Counter[str] = Counter()
        """How often a path is to answer that it has too much to do."""
        self.robots: tuple[int, str] = (200, ROBOTS)
        self.extra: dict[str, Callable[[_Handler, dict[str, list[str]]], None]] = {}
        self.on_request: Callable[[str], None] = lambda path: None
        self.released = threading.Event()
        self._counter = itertools.count()
        sections = (pages + PER_SECTION - 1) // PER_SECTION
        self.sections = {
            f"/docs/{letters(s)}/": [
                f"/docs/{letters(s)}/{letters(p)}.html" for p in range(min(PER_SECTION, pages - s * PER_SECTION))
            ]
            for s in range(sections)
        }
        self.known = frozenset(self.paths)

    @property
    def articles(self) -> list[str]:
        return [path for paths in self.sections.values() for path in paths]

    @property
    def issues(self) -> list[str]:
        return [f"/docs/issues/{number}" for number in range(1, ISSUES + 1 if self.astray else 2)]

    @property
    def paths(self) -> list[str]:
        """The pages that a whole crawl takes in, traps aside."""
        orphans = [f"/docs/{name}" for name in ORPHANS]
        return [
            "/docs/",
            *self.sections,
            *self.articles,
            *self.issues,
            *orphans,
            "/docs/odd.html",
            "/docs/nofollow.html",
        ]

    @property
    def start(self) -> str:
        return self.url("/docs/")

    def url(self, path: str) -> str:
        return f"http://{self.host}{path}"

    def __enter__(self) -> "LargeSite":
        handler = type("Handler", (_Handler,), {"site": self})
        self._server = _SiteServer(("127.0.0.1", 0), handler)
        self.host = f"127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()

    def body_of(self, path: str) -> str:
        """A page that is to be taken in."""
        text = words_for(path + ("changed" if path in self.changed else ""))
        links = "".join(f'<li><a href="{link}">{link}</a></li>' for link in self.links_of(path))
        return (
            f"<!DOCTYPE html><html><head><title>Page {path}</title></head><body><nav><ul>{links}</ul></nav>"
            f"<main><h1>Page {path}</h1><p>{text}</p></main></body></html>"
        )

    def links_of(self, path: str) -> list[str]:
        if path == "/docs/":
            return [*self.sections, *(self.ways_astray() if self.astray else PLAIN_WAYS)]
        if path in self.sections:
            return [one for one in self.sections[path] if one not in self.hidden]
        section = path[: path.rindex("/") + 1]
        beside = self.sections.get(section, [])
        if path not in beside:
            return ["/docs/"]
        after = beside[(beside.index(path) + 1) % len(beside)]
        first = path == beside[0]
        return [
            *(section, "/docs/", f"{path}?utm_source=nav&utm_medium=x", f"{path}?PHPSESSID=abc#part"),
            *([after] if after not in self.hidden else []),
            *("/blog/a", "https://elsewhere.example/x", "mailto:a@b.example", "javascript:void(0)"),
            *([f"{path}?b=2&a=1", f"/docs/print{path.removeprefix('/docs')}"] if first else []),
        ]

    def ways_astray(self) -> list[str]:
        return [
            *("/docs/calendar/2026/11", "/docs/visit?v=0", "/docs/deeper/", "/docs/filter?color=red"),
            *(
                "/docs/private/secret.html",
                "/docs/script.cgi",
                "/docs/picture.png",
                "/docs/picture",
                "/docs/moved.html",
            ),
            *("/docs/loop-a.html", "/docs/out.html", "/docs/to-private.html", "/docs/to-blog.html", "/docs/chain/0"),
            *("/docs/noindex.html", "/docs/noindex-header.html", "/docs/nofollow.html", "/docs/missing.html"),
            *("/docs/forbidden.html", "/docs/odd.html", "/docs/empty.html", "/docs/a/../b/%61.html"),
            *(f"/docs/hostile/{name}" for name in HOSTILE),
            *(["/docs/hostile/slow"] if self.slow else []),
        ]


class _SiteServer(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A visitor who left in the middle is no news."""


class _Handler(BaseHTTPRequestHandler):
    site: LargeSite
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 1 << 16

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is printed."""

    def setup(self) -> None:
        self.site.connections += 1
        super().setup()

    def do_GET(self) -> None:
        site, parts = self.site, urlsplit(self.path)
        path = parts.path
        site.asked[path] += 1
        site.agents.add(self.headers.get("User-Agent", ""))
        site.on_request(path)
        if site.busy[path] > 0:
            site.busy[path] -= 1
            self.send("busy", status=503, headers={"Retry-After": "0"})
        elif path in site.gone:
            self.send("gone", status=410)
        elif path in site.extra:
            site.extra[path](self, parse_qs(parts.query))
        elif path in PLACES:
            PLACES[path](self)
        elif path in site.known:
            self.send_page(path)
        else:
            folder = next((answer for begin, answer in FOLDERS.items() if path.startswith(begin)), _Handler.not_found)
            folder(self, path, parts.query)

    def not_found(self, path: str, query: str) -> None:
        self.send("not found", status=404)

    def send_page(self, path: str) -> None:
        body = self.site.body_of(path)
        tag = f'"{hashlib.sha256(body.encode()).hexdigest()[:16]}"'
        number = sum(path.encode()) % 3
        headers = {"ETag": tag} if number == 0 else {"Last-Modified": MODIFIED} if number == 1 else {}
        asked = self.headers.get("If-None-Match") or self.headers.get("If-Modified-Since")
        self.site.conditional[path] += bool(asked)
        fresh = path not in self.site.changed and not self.site.hidden
        if asked and (asked == tag or (asked == MODIFIED and fresh)):
            self.site.not_modified[path] += 1
            self.send_response(304)
            self.end_headers()
            return
        self.send(body, headers=headers)

    def send(
        self, body: str | bytes, kind: str = "text/html; charset=utf-8", status: int = 200, headers: Any = None
    ) -> None:
        data = body.encode() if isinstance(body, str) else body
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(data)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def redirect(self, where: str, status: int = 302) -> None:
        self.send("", status=status, headers={"Location": where})

    def article(self, head: str, links: str, text: str) -> None:
        """A page with a head and links of its own."""
        self.send(f"<html><head><title>t</title>{head}</head><body>{links}<p>{text}</p></body></html>")

    def robots(self) -> None:
        status, text = self.site.robots
        self.send(text.format(host=self.site.host), "text/plain", status)

    def maps(self) -> None:
        listed = "".join(
            f"<sitemap><loc>{self.site.url(p)}</loc></sitemap>" for p in ("/a.xml.gz", "/b.txt", "/none.xml")
        )
        self.send(f'<?xml version="1.0"?><sitemapindex>{listed}</sitemapindex>', "application/xml")

    def packed_map(self) -> None:
        listed = "".join(f"<url><loc>{self.site.url(path)}</loc></url>" for path in self.site.issues)
        space = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
        self.send(gzip.compress(f'<?xml version="1.0"?><urlset {space}>{listed}</urlset>'.encode()), "application/gzip")

    def plain_map(self) -> None:
        lines = [*(self.site.url(f"/docs/{name}") for name in ORPHANS), "https://elsewhere.example/", "no address"]
        self.send("\n".join(lines), "text/plain")

    def calendar(self, path: str, query: str) -> None:
        year, month = (int(part) for part in path.rsplit("/", 2)[1:])
        links = "".join(
            f'<a href="/docs/calendar/{y}/{m}">other</a>'
            for y, m in ((year + 1, month), (year, month + 1), (year - 1, 1))
        )
        self.article("", links, words_for(path))

    def visit(self, path: str, query: str) -> None:
        """The same page under an address of its own for every visitor."""
        self.article("", f'<a href="/docs/visit?v={next(self.site._counter)}">again</a>', "The same page as ever.")

    def deeper(self, path: str, query: str) -> None:
        self.article("", '<a href="deeper/">deeper</a>', words_for(path))

    def filter(self, path: str, query: str) -> None:
        links = "".join(f'<a href="?{query}&f{n}={n}">more</a>' for n in range(5))
        self.article("", links, words_for(f"{path}?{query}"))

    def print_version(self, path: str, query: str) -> None:
        own = "/docs" + path.removeprefix("/docs/print")
        self.article(f'<link rel="canonical" href="{own}?utm_source=print">', "", words_for(path))

    def chain(self, path: str, query: str) -> None:
        self.redirect(f"/docs/chain/{int(path.rpartition('/')[2]) + 1}")

    def blog(self, path: str, query: str) -> None:
        self.article("", "", words_for(path))

    def bomb(self) -> None:
        self.send(gzip.compress(bytes(30_000_000)), headers={"Content-Encoding": "gzip"})

    def endless(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            while not self.site.released.is_set():
                self.wfile.write(b"<p>more and more</p>" * 2000)
        except OSError:
            self.close_connection = True

    def slow(self) -> None:
        self.site.released.wait(30)
        self.close_connection = True

    def broken(self) -> None:
        self.wfile.write(b"this is no HTTP\r\n\r\n")
        self.close_connection = True

    def many_headers(self) -> None:
        self.send("x", headers={f"X-{number}": "y" for number in range(300)})


PLACES: dict[str, Callable[[_Handler], None]] = {
    "/robots.txt": _Handler.robots,
    "/maps.xml": _Handler.maps,
    "/a.xml.gz": _Handler.packed_map,
    "/b.txt": _Handler.plain_map,
    "/docs/picture": lambda h: h.send(b"\x89PNG\r\n\x1a\n" + bytes(64), "image/png"),
    "/docs/moved.html": lambda h: h.redirect("/docs/a/a.html"),
    "/docs/loop-a.html": lambda h: h.redirect("/docs/loop-b.html"),
    "/docs/loop-b.html": lambda h: h.redirect("/docs/loop-a.html"),
    "/docs/out.html": lambda h: h.redirect("https://elsewhere.example/"),
    "/docs/to-private.html": lambda h: h.redirect("http://192.168.0.1/admin"),
    "/docs/to-blog.html": lambda h: h.redirect("/blog/a"),
    "/docs/noindex.html": lambda h: h.article(
        '<meta name="robots" content="NOINDEX">', '<a href="/docs/odd.html">odd</a>', words_for("noindex")
    ),
    "/docs/noindex-header.html": lambda h: h.send(words_for("header"), "text/plain", headers={"X-Robots-Tag": "none"}),
    "/docs/empty.html": lambda h: h.send("<html><body><a href='/docs/'></a></body></html>"),
    "/docs/forbidden.html": lambda h: h.send("no", status=403),
    "/docs/hostile/endless": _Handler.endless,
    "/docs/hostile/bomb": _Handler.bomb,
    "/docs/hostile/slow": _Handler.slow,
    "/docs/hostile/broken": _Handler.broken,
    "/docs/hostile/headers": _Handler.many_headers,
    "/docs/hostile/error": lambda h: h.send("oops", status=500),
    "/docs/nofollow.html": lambda h: h.article(
        '<meta name="robots" content="nofollow">', '<a href="/docs/unseen.html">unseen</a>', words_for("nofollow")
    ),
    "/docs/odd.html": lambda h: h.article(
        "",
        '<a rel="nofollow" href="/docs/unseen.html">x</a><a href="/docs/%zz">y</a><a href="http://[">z</a>',
        words_for("odd"),
    ),
}
FOLDERS: dict[str, Callable[[_Handler, str, str], None]] = {
    "/docs/calendar/": _Handler.calendar,
    "/docs/visit": _Handler.visit,
    "/docs/deeper/": _Handler.deeper,
    "/docs/filter": _Handler.filter,
    "/docs/print/": _Handler.print_version,
    "/docs/chain/": _Handler.chain,
    "/blog/": _Handler.blog,
}

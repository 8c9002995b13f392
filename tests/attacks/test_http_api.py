"""Attacks on the HTTP API: hosts, origins and tokens of others, smuggled requests, paths that lead out."""

import asyncio
import itertools
from collections.abc import Callable, Collection
from pathlib import Path

from chatbot.frontends.http_api.application import make_api
from tests.chatbot.frontends.http_api.test_access import HOSTS, ORIGINS, raw
from tests.fakes.api_server import RunningApi, configured, running_api

Tally = Callable[[str, int, Collection[object]], None]
QUICK = {"serve.requests_per_minute": 1_000_000}
CANARY = "root:"

BODY = "0\r\n\r\nGET /api/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
SMUGGLING = (
    "Content-Length: 5\r\nTransfer-Encoding: chunked",
    "Transfer-Encoding: chunked\r\nContent-Length: 5",
    "Content-Length: 5\r\nContent-Length: 50",
    "Content-Length: 5, 50",
    "Content-Length: +5",
    "Content-Length: -5",
    "Content-Length: 5 5",
    "Content-Length: 0x5",
    "Content-Length : 5",
    "Transfer-Encoding: xchunked",
    "Transfer-Encoding: chunked, identity",
    "Transfer-Encoding: identity, chunked",
    "Transfer-Encoding : chunked",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
    "Transfer-Encoding:\x0bchunked",
    "Transfer-Encoding: \x00chunked",
    "X: a\r\n Transfer-Encoding: chunked\r\nContent-Length: 5\r\nContent-Length: 6",
    "X: a\nContent-Length: 5",
)
TRAVERSALS = (
    *("../", "..%2f", "%2e%2e/", "%2e%2e%2f", "..\\", "..%5c", "%252e%252e%252f", "..%c0%af", "..;/", "....//"),
    *("%00/", "/", "file:///", "http://127.0.0.1/", "\\\\", "~/", ".%2e/", "%uff0e%uff0e/"),
)
WANTED_FILES = ("etc/passwd", "proc/self/environ")
PREFIXES = ("/", "/api/", "/api/sessions/", "/api/chat/", "/api/library/collections/", "/v1/models/")


def operations(api: RunningApi) -> list[tuple[str, str]]:
    """Method and path of everything that the document has, each with an id that could be one."""
    paths = make_api(api.service).openapi()["paths"]
    named = {path: path.replace("{id}", "261126-bq4fk2x").replace("{name}", "magpie") for path in paths}
    return [
        (method.upper(), named[path].replace("{number}", "1"))
        for path, methods in paths.items()
        for method in methods
        if path != "/api/health"
    ]


async def status_of(api: RunningApi, method: str, path: str, headers: dict[str, str]) -> int:
    sent = {name: value.encode() for name, value in headers.items()}
    return (await api.client.request(method, path, headers=sent)).status_code


async def test_no_foreign_host_origin_or_token_is_let_in(tmp_path: Path, tally: Tally) -> None:
    async with running_api(configured(tmp_path, **QUICK)) as api:
        every = operations(api)
        hosts = [host for host in HOSTS if host.strip()]
        asked = list(itertools.product(every, hosts))
        found = [await status_of(api, *one, {"Host": host}) for one, host in asked]
        tally("HTTP API: hosts of others, as DNS rebinding sends them", len(asked), let_in(asked, found, (400, 421)))
        pages = list(itertools.product(every, ORIGINS))
        found = [await status_of(api, *one, {"Origin": origin}) for one, origin in pages]
        tally("HTTP API: pages of other origins", len(pages), let_in(pages, found, (403,)))
    async with running_api(configured(tmp_path, **QUICK, **{"serve.require_token": True})) as api:
        token = api.service.tokens.add("ann")
        wrong = ("", "x", token[:-1], f"{token}x", token.swapcase(), token[::-1], "' OR 1=1 --", "null", "é" * 20)
        sent = [f"{scheme} {one}" for scheme, one in itertools.product(("Bearer", "Basic", "Token"), wrong)]
        guessed = list(itertools.product(operations(api), [*sent, token, f"Basic {token}"]))
        found = [await status_of(api, *one, {"Authorization": text.strip() or "x"}) for one, text in guessed]
        tally("HTTP API: wrong tokens", len(guessed), let_in(guessed, found, (401, 429)))


def let_in(asked: Collection[object], statuses: Collection[int], refused: Collection[int]) -> list[object]:
    """Those that were answered otherwise than by a refusal."""
    return [(one, status) for one, status in zip(asked, statuses, strict=True) if status not in refused]


async def test_no_request_is_smuggled_and_no_path_leads_out(tmp_path: Path, tally: Tally) -> None:
    async with running_api(configured(tmp_path, **QUICK)) as api:
        host = api.url.removeprefix("http://")
        head = f"POST /api/chat HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n"
        answers = [await raw(api.url, f"{head}{lines}\r\n\r\n{BODY}".encode("latin-1")) for lines in SMUGGLING]
        second = [
            lines
            for lines, told in zip(SMUGGLING, answers, strict=True)
            if told.count("HTTP/1.1 ") > 1 or '"sessions"' in told or " 500 " in told
        ]
        tally("HTTP API: smuggled requests", len(SMUGGLING), second)
        paths = [
            f"{prefix}{way * depth}{end}"
            for prefix, way, depth, end in itertools.product(
                PREFIXES, TRAVERSALS, (1, 6), ("etc/passwd", "proc/self/environ")
            )
        ]
        sent = [f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n" for path in paths]
        told = await asyncio.gather(*(raw(api.url, one.encode()) for one in sent))
        out = [path for path, said in zip(paths, told, strict=True) if CANARY in said or " 500 " in said.split("\n")[0]]
        tally("HTTP API: paths that lead out", len(paths), out)

import asyncio
import contextlib
import gzip
import ipaddress
import ssl
import sys
import zlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.large_site import PLACES, LargeSite
from tests.fakes.places import SHARED
from tests.fakes.site import Site, article_page
from utils.errors import AddressRefused, NetworkError, Unreachable
from utils.network.access import NetworkAccess
from utils.network.addresses import IPAddress, Target, endpoint_policy, public_web
from utils.network.http import Client, ExchangeLimits, Response
from utils.network.settings import NetworkSettings

FAULTS = SHARED / "attacks/http/faultserver.py"
LOOPBACK = ipaddress.ip_address("127.0.0.1")


class Names:
    """A name server: each look-up of a host gives the next of its answers."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers = list(answers)

    async def __call__(self, host: str, port: int) -> list[IPAddress]:
        return [ipaddress.ip_address(address) for address in self.answers.pop(0)]


async def test_a_page_is_read_with_its_type_and_address() -> None:
    async with Site() as site:
        client = Client(public_web([site.host]))
        assert await client.get(site.url("/notes.txt#top")) == Response(
            site.url("/notes.txt"), 200, "text/plain", (await client.get(site.url("/notes.txt"))).body
        )
        assert (await client.get(site.url("/missing"))).status == 404


async def test_a_redirect_is_followed_and_told() -> None:
    async with Site() as site:
        response = await Client(public_web([site.host])).get(site.url("/moved"))
        assert (response.url, response.status, response.media_type) == (site.url("/bridge.html"), 200, "text/html")


async def test_private_addresses_are_refused_before_anything_is_sent() -> None:
    async with Site() as site:
        with pytest.raises(AddressRefused, match="private address"):
            await Client(public_web()).get(site.url("/bridge.html"))
        with pytest.raises(AddressRefused, match="configured"):
            await Client(endpoint_policy("http://127.0.0.1:9")).get(site.url("/bridge.html"))
        assert site.requests == {}


async def test_a_redirect_to_a_private_address_is_refused() -> None:
    async with Site() as site:
        with pytest.raises(AddressRefused, match=r"192\.168\.0\.1"):
            await Client(public_web([site.host])).get(site.url("/private"))


async def test_a_name_server_that_changes_its_answer_gains_nothing() -> None:
    async with Site() as site:
        port = site.host.rpartition(":")[2]
        names = Names(["127.0.0.1"], ["93.184.216.34"])
        with pytest.raises(AddressRefused, match=r"127\.0\.0\.1"):
            await Client(public_web(), reach=NetworkAccess(resolve=names)).get(f"http://rebinding.example:{port}/")
        assert names.answers == [["93.184.216.34"]]
        assert site.requests == {}


async def test_the_next_address_is_tried_when_one_does_not_answer() -> None:
    async with Site() as site:
        port = site.host.rpartition(":")[2]
        host = f"two.example:{port}"
        client = Client(public_web([host]), reach=NetworkAccess(resolve=Names(["127.0.0.9", "127.0.0.1"])))
        assert (await client.get(f"http://{host}/notes.txt")).status == 200


async def test_one_request_hands_a_redirect_out_as_it_is_and_sends_what_it_is_given() -> None:
    async with Site() as site:
        client = Client(public_web([site.host]))
        moved = await client.exchange(site.url("/moved"))
        assert (moved.status, moved.redirect, moved.body, site.requests) == (302, "/bridge.html", b"", {"/moved": 1})
    with LargeSite(2, astray=False) as large:
        client = Client(public_web([large.host]))
        tagged = next(path for path in large.known if sum(path.encode()) % 3 == 0 and path not in PLACES)
        first = await client.exchange(large.url(tagged))
        again = await client.exchange(large.url(tagged), headers={"If-None-Match": first.headers["etag"]})
        assert (first.status, first.redirect, again.status, again.body) == (200, "", 304, b"")


async def test_a_connection_that_is_kept_goes_to_checked_addresses_and_survives_a_server_that_closes_it() -> None:
    with LargeSite(2, astray=False) as large, LargeSite(2) as other:
        client = Client(public_web([large.host]))
        async with client.keep_connection():
            assert [(await client.get(large.url(path))).status for path in ("/docs/", "/docs/a/")] == [200, 200]
            with pytest.raises(AddressRefused):
                await client.get(other.start)
            with pytest.raises(NetworkError):
                await client.get(large.url("/docs/hostile/broken"))
            assert (await client.get(large.start)).status == 200
        assert (large.connections, other.connections) == (2, 0)
        assert (await client.get(large.start)).status == 200


async def test_one_clock_holds_for_the_whole_exchange() -> None:
    async with Site() as site:
        with pytest.raises(NetworkError, match=r"longer than 0\.3 s"):
            await Client(public_web([site.host]), ExchangeLimits(seconds=0.3)).get(site.url("/hang"))


async def test_a_huge_page_is_given_up_at_the_limit() -> None:
    async with Site() as site:
        with pytest.raises(NetworkError, match="larger than 1 MB"):
            await Client(public_web([site.host]), ExchangeLimits(max_bytes=1_000_000)).get(site.url("/huge"))


async def test_endless_redirects_are_given_up() -> None:
    async with Site() as site:
        with pytest.raises(NetworkError, match="more than 5 times"):
            await Client(public_web([site.host])).get(site.url("/loop"))
        assert site.requests == {"/loop": 6}


async def test_an_unwanted_type_is_refused_before_its_body_is_read() -> None:
    def refuse(target: Target, content_type: str) -> None:
        raise NetworkError(f"{content_type} at {target.path}")

    async with Site() as site:
        with pytest.raises(NetworkError, match=r"image/png at /picture\.png"):
            await Client(public_web([site.host])).get(site.url("/picture.png"), refuse)


async def test_a_server_that_is_gone_and_a_name_that_is_none_are_told_apart_from_refusals() -> None:
    async with Site() as site:
        await site.switch_off()
        with pytest.raises(Unreachable, match="Nothing answers"):
            await Client(public_web([site.host])).get(site.url("/"))
    with pytest.raises(Unreachable, match="cannot be found"):
        await Client(public_web()).get("http://no-such-host.invalid/")


@pytest.fixture
async def faults() -> AsyncIterator[str]:
    if not FAULTS.exists():
        pytest.skip("the server of faults is not on this machine")
    process = await asyncio.create_subprocess_exec(sys.executable, str(FAULTS), "0", stdout=asyncio.subprocess.PIPE)
    assert process.stdout
    yield (await process.stdout.readline()).decode().rpartition("//")[2].strip()
    process.kill()
    await process.wait()


async def test_every_fault_of_a_server_is_an_error_or_an_answer_within_limits(faults: str) -> None:
    client = Client(public_web([faults]), ExchangeLimits(seconds=1, max_bytes=300_000))

    async def outcome(path: str) -> str:
        try:
            return str((await client.get(f"http://{faults}/{path}")).status)
        except NetworkError as error:
            return error.problem.replace(faults, "HOST").replace("127.0.0.1", "HOST").split(":")[0]

    broken = "HOST broke off, or what it sent is no proper HTTP."
    endless = "The headers that HOST sends are too long."
    late = "HOST took longer than 1 s."
    large = "The page is larger than 0.3 MB."
    expected = {
        "ok": "200",
        "100x50": "200",
        "204": "204",
        "nocl": "200",
        "empty": "200",
        "slowheaders": late,
        "slowbody": late,
        "hang": late,
        "inf": large,
        "100mb": large,
        "ctlie": large,
        "gzipbomb?n=5000000": large,
        "gziplayers": "The page is packed as gzip, gzip, gzip, gzip, gzip, gzip, gzi…, which was not asked for.",
        "gzipcorrupt": "What HOST sent is damaged.",
        "gziptrail": "The page ended in the middle.",
        "shortcl": "200",
        "304": "304",
        "401": "401",
        "403": "403",
        "429": "429",
        "500": "500",
        "503ra": "503",
        "redir?to=ok": "200",
        "redirN?n=4": "200",
        "redirN?n=20": "HOST redirects more than 5 times.",
        "headers10k": "The page has more than 256 headers.",
        **dict.fromkeys(["setcookies", "infheaders", "hugeheader"], endless),
        **dict.fromkeys(
            ["charsetlie", "utf16", "utf7", "badcharset", "nul", "bomut8", "refresh", "ansi", "inject"], "200"
        ),
        "redirloop": "HOST redirects more than 5 times.",
        "redirfile": "Only a plain web address (http",
        "redirmeta": "169.254.169.254 is a private address (169.254.169.254), not the public internet.",
        **dict.fromkeys(
            ["reset", "closemid", "wronglen", "negcl", "chunkbad", "chunkhuge", "http09"],
            broken,
        ),
    }
    assert {path: await outcome(path) for path in expected} == expected


async def test_tls_is_spoken_to_the_checked_address_under_the_name_of_the_url() -> None:
    seen: list[str] = []
    pair = Path(__file__).parent / "loopback.pem"
    server_side = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server_side.load_cert_chain(pair)
    server_side.sni_callback = lambda _socket, name, _context: seen.append(name or "")

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.extend(
            line.decode().strip() for line in (await reader.readuntil(b"\r\n\r\n")).splitlines() if b":" in line
        )
        body = article_page("T", ("p",)).encode()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0, ssl=server_side) as server:
        port = server.sockets[0].getsockname()[1]
        host = f"museum.example:{port}"
        settings = NetworkSettings(ca_file=pair)
        client = Client(
            public_web([host]), None, NetworkAccess(settings, resolve=Names(["127.0.0.1"]), user_agent="Magpie/1")
        )
        assert (await client.get(f"https://{host}/")).status == 200
    assert [line for line in seen if not line.startswith("Accept")] == [
        "museum.example",
        f"Host: {host}",
        "User-Agent: Magpie/1",
        "Connection: close",
    ]


async def test_a_certificate_that_nobody_vouches_for_is_refused() -> None:
    server_side = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server_side.load_cert_chain(Path(__file__).parent / "loopback.pem")
    server = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0, ssl=server_side)
    async with server:
        host = f"museum.example:{server.sockets[0].getsockname()[1]}"
        with pytest.raises(NetworkError, match="No safe connection"):
            await Client(public_web([host]), reach=NetworkAccess(resolve=Names(["127.0.0.1"]))).get(f"https://{host}/")


class Raw:
    """Answers every request with these bytes, and remembers what it was sent."""

    def __init__(self, *pieces: bytes) -> None:
        self.pieces = pieces
        self.requests: list[bytes] = []

    async def __aenter__(self) -> "Raw":
        self.server = await asyncio.start_server(self.answer, "127.0.0.1", 0)
        self.host = f"127.0.0.1:{self.server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *exc: object) -> None:
        self.server.close()

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.requests.append(await reader.readuntil(b"\r\n\r\n"))
        for piece in self.pieces:
            writer.write(piece)
        with contextlib.suppress(ConnectionError):
            await writer.drain()
        writer.close()

    async def outcome(self, **limits: Any) -> str:
        try:
            return (
                await Client(public_web([self.host]), ExchangeLimits(**limits)).get(f"http://{self.host}/")
            ).body.decode()
        except NetworkError as error:
            return error.problem.replace(self.host, "HOST").replace("127.0.0.1", "HOST")


# Without the time: workers that run tests side by side must give them the same names.
PACKED = gzip.compress(b"words", mtime=0)
TWICE = gzip.compress(PACKED, mtime=0)
UNASKED = "which was not asked for."


@pytest.mark.parametrize(
    ("headers", "body", "outcome"),
    [
        ("Content-Encoding: gzip", PACKED, "words"),
        ("Content-Encoding: x-gzip, identity", PACKED, "words"),
        ("Content-Encoding: gzip, gzip", TWICE, f"The page is packed as gzip, gzip, {UNASKED}"),
        ("Content-Encoding: gzip\r\nContent-Encoding: gzip", b"", f"The page is packed as gzip, gzip, {UNASKED}"),
        ("Content-Encoding: br", b"", f"The page is packed as br, {UNASKED}"),
        ("Content-Encoding: deflate", b"", f"The page is packed as deflate, {UNASKED}"),
        ("Content-Encoding: zstd", b"", f"The page is packed as zstd, {UNASKED}"),
        ("Content-Encoding: gzip", PACKED + b"more", "The page goes on after its packed text has ended."),
        ("Content-Encoding: gzip", PACKED[:-4], "The page ended in the middle."),
        ("Content-Encoding: gzip", b"words", "What HOST sent is damaged."),
        ("Content-Encoding: gzip", b"", ""),
        ("Content-Encoding: \xff", b"", f"The page is packed as ÿ, {UNASKED}"),
        ("\r\n".join(f"X-{n}: 1" for n in range(300)), b"words", "The page has more than 256 headers."),
        ("\r\n".join(f"X-{n}: 1" for n in range(200)), b"words", "words"),
    ],
)
async def test_one_layer_of_gzip_is_taken_and_nothing_else(headers: str, body: bytes, outcome: str) -> None:
    head = f"HTTP/1.1 200 OK\r\n{headers}\r\nContent-Length: {len(body)}\r\n\r\n".encode("latin-1")
    async with Raw(head, body) as server:
        assert await server.outcome() == outcome


async def test_packed_bytes_that_unpack_to_nothing_count_as_well() -> None:
    # Empty stored blocks without end.
    nothing = zlib.compressobj(wbits=-15).flush(zlib.Z_SYNC_FLUSH)
    body = PACKED[:10] + nothing * 100_000
    async with Raw(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", body) as server:
        assert await server.outcome(max_bytes=100_000) == "The page is larger than 0.1 MB."


async def test_nothing_is_sent_that_would_tell_a_server_more_than_it_must_know() -> None:
    async with Raw(b"HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n") as server:
        client = Client(public_web([server.host]), None, NetworkAccess(user_agent="Magpie/1"))
        for _ in range(2):
            await client.get(f"http://{server.host}/")
    head = (
        f"GET / HTTP/1.1\r\nHost: {server.host}\r\nUser-Agent: Magpie/1\r\n"
        "Accept: text/html,application/xhtml+xml,application/pdf,text/plain,text/markdown,*/*;q=0.5\r\n"
        "Accept-Encoding: gzip\r\nConnection: close\r\n\r\n"
    )
    assert server.requests == [head.encode()] * 2


async def test_a_private_address_that_is_allowed_is_shown_when_it_is_used() -> None:
    told: list[str] = []
    async with Site() as site:
        client = Client(public_web([site.host]), None, NetworkAccess(tell=told.append))
        for _ in range(2):
            await client.get(site.url("/notes.txt"))
    assert told == [f"{site.host} is a private address; it was opened because fetch.allow_hosts names it."]


async def test_a_configured_server_leads_nowhere_but_to_itself() -> None:
    async with Site() as site, Raw(f"HTTP/1.1 302 X\r\nLocation: {site.url('/')}\r\n\r\n".encode()) as server:
        with pytest.raises(AddressRefused, match="is not the configured server"):
            await Client(endpoint_policy(f"http://{server.host}")).get(f"http://{server.host}/")
        assert site.requests == {}


async def test_every_connection_is_left_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "magpie.network")
    async with Site() as site:
        port = int(site.host.rpartition(":")[2])
        client = Client(public_web([f"two.example:{port}"]), None, NetworkAccess(resolve=Names(["127.0.0.1"])), "page")
        await client.get(f"http://two.example:{port}/notes.txt")
    told = [record.__dict__["data"] for record in caplog.records if record.name == "magpie.network"]
    assert told == [{"caller": "page", "host": "two.example", "address": "127.0.0.1", "port": port}]

import asyncio
import ipaddress
import ssl
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.fakes.site import Site, article_page
from utils.addresses import IPAddress, Target, endpoint, public_web
from utils.errors import AddressRefused, NetworkError, Unreachable
from utils.http import Client, Limits, Response

FAULTS = Path(__file__).parents[3] / "shared/attacks/http/faultserver.py"
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
            await Client(endpoint("http://127.0.0.1:9")).get(site.url("/bridge.html"))
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
            await Client(public_web(), resolve=names).get(f"http://rebinding.example:{port}/")
        assert names.answers == [["93.184.216.34"]]
        assert site.requests == {}


async def test_the_next_address_is_tried_when_one_does_not_answer() -> None:
    async with Site() as site:
        port = site.host.rpartition(":")[2]
        host = f"two.example:{port}"
        client = Client(public_web([host]), resolve=Names(["127.0.0.9", "127.0.0.1"]))
        assert (await client.get(f"http://{host}/notes.txt")).status == 200


async def test_one_clock_holds_for_the_whole_exchange() -> None:
    async with Site() as site:
        with pytest.raises(NetworkError, match=r"longer than 0\.3 s"):
            await Client(public_web([site.host]), Limits(seconds=0.3)).get(site.url("/hang"))


async def test_a_huge_page_is_given_up_at_the_limit() -> None:
    async with Site() as site:
        with pytest.raises(NetworkError, match="larger than 1 MB"):
            await Client(public_web([site.host]), Limits(max_bytes=1_000_000)).get(site.url("/huge"))


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
    client = Client(public_web([faults]), Limits(seconds=1, max_bytes=300_000))

    async def outcome(path: str) -> str:
        try:
            return str((await client.get(f"http://{faults}/{path}")).status)
        except NetworkError as error:
            return error.problem.replace(faults, "HOST").replace("127.0.0.1", "HOST").split(":")[0]

    broken = "HOST broke off or answered nonsense"
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
        "gzipbomb?n=5000000": large,
        "gziplayers": "The page is packed as gzip, gzip, gzip, gzip, gzip, gzip, gzi…, which was not asked for.",
        "gzipcorrupt": "What HOST sent is damaged.",
        "gziptrail": "The page ended in the middle.",
        "redirloop": "HOST redirects more than 5 times.",
        "redirfile": "Only a plain web address (http",
        "redirmeta": "169.254.169.254 is a private address (169.254.169.254), not the public internet.",
        **dict.fromkeys(
            ["reset", "closemid", "wronglen", "negcl", "chunkbad", "chunkhuge", "infheaders", "hugeheader", "http09"],
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
        trusting = ssl.create_default_context(cafile=str(pair))
        options = {"resolve": Names(["127.0.0.1"]), "user_agent": "Magpie/1"}
        client = Client(public_web([host]), ssl_context=trusting, **options)
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
            await Client(public_web([host]), resolve=Names(["127.0.0.1"])).get(f"https://{host}/")

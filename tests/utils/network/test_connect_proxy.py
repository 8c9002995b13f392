import asyncio
import ipaddress
import ssl
from pathlib import Path

import primp
import pytest

from tests.fakes.proxy import FakeProxy
from tests.fakes.site import Site
from utils.network.access import NetworkAccess
from utils.network.addresses import IPAddress, public_web
from utils.network.connect_proxy import open_relay
from utils.network.dialer import Dialer
from utils.network.settings import NetworkSettings


async def ask(proxy: str, url: str, ca_file: Path | None = None) -> str:
    """What primp, the client of ddgs, gets through a proxy: the text, or the status, or no answer."""

    def work() -> str:
        client = primp.Client(proxy=proxy, timeout=5, ca_cert_file=str(ca_file) if ca_file else None)
        try:
            answer = client.get(url)
        except primp.PrimpError:
            return "no answer"
        return str(answer.text if answer.status_code == 200 else answer.status_code)

    return await asyncio.to_thread(work)


async def test_a_foreign_client_reaches_public_addresses_and_nothing_else() -> None:
    async def resolve(host: str, port: int) -> list[IPAddress]:
        inward = ["93.184.216.34", "10.0.0.1"] if host == "two.example" else [host]
        return [ipaddress.ip_address(address) for address in inward]

    async with Site() as site, open_relay(Dialer(NetworkAccess(resolve=resolve), public_web(), "test")) as relay:
        port = site.host.rpartition(":")[2]
        places = {
            site.url("/notes.txt"): "502",
            f"https://127.0.0.1:{port}/": "no answer",
            f"http://localhost:{port}/": "502",
            "http://169.254.169.254/latest/": "502",
            "https://two.example/": "no answer",
            "http://8.8.8.8:22/": "502",
        }
        assert {url: await ask(relay.url, url) for url in places} == places
        assert str(relay.failure) == "Port 22 of 8.8.8.8 is none of the web's."
        assert site.requests == {}


async def test_no_other_process_gets_anything_through_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Site() as site, open_relay(Dialer(NetworkAccess(), public_web([site.host]), "test")) as relay:
        place = relay.url.rpartition("@")[2]
        strangers = [f"http://{place}", f"http://magpie:{'0' * 32}@{place}", f"http://magpie:@{place}"]
        assert [await ask(stranger, site.url("/notes.txt")) for stranger in strangers] == ["407"] * 3
        assert site.requests == {}
        # What a client may have read in its environment does not lead past it.
        monkeypatch.setenv("NO_PROXY", "*")
        monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
        assert "Cape Ravel" in await ask(relay.url, site.url("/notes.txt"))


@pytest.mark.parametrize(
    "request_",
    [
        b"GET /notes.txt HTTP/1.1\r\n\r\n",
        b"CONNECT 127.0.0.1 HTTP/1.1\r\n\r\n",
        b"nonsense\r\n\r\n",
        b"\r\n\r\n",
        b"GET http://example.org/ HTTP/1.1\r\nProxy-Authorization: Basic \xff\r\n\r\n",
        b"X" * 100_000,
        b"",
    ],
)
async def test_what_is_no_request_is_turned_away(request_: bytes) -> None:
    async with open_relay(Dialer(NetworkAccess(), public_web(), "test")) as relay:
        port = int(relay.url.rpartition(":")[2])
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request_)
        writer.write_eof()
        assert (await reader.read()).partition(b"\r\n")[0] in (b"", b"HTTP/1.1 407 Proxy Authentication Required")
        writer.close()


async def test_tls_goes_through_from_end_to_end_and_trusts_what_was_named() -> None:
    folder = Path(__file__).parent
    server_side = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server_side.load_cert_chain(folder / "vouched.pem")

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwords")
        await writer.drain()
        writer.close()

    async def resolve(host: str, port: int) -> list[IPAddress]:
        return [ipaddress.ip_address("127.0.0.1")]

    async with await asyncio.start_server(serve, "127.0.0.1", 0, ssl=server_side) as server:
        origin = f"museum.example:{server.sockets[0].getsockname()[1]}"
        dialer = Dialer(NetworkAccess(resolve=resolve), public_web([origin]), "test")
        async with open_relay(dialer) as relay:
            got = [await ask(relay.url, f"https://{origin}/", ca_file) for ca_file in (folder / "authority.pem", None)]
    assert got == ["words", "no answer"]


async def test_a_relay_goes_through_the_proxy_that_is_set() -> None:
    async def resolve(host: str, port: int) -> list[IPAddress]:
        return [ipaddress.ip_address(host if host.startswith("127.") else "93.184.216.34")]

    async with Site() as site, FakeProxy(site.host) as proxy:
        reach = NetworkAccess(NetworkSettings(proxy=f"http://{proxy.host}"), resolve=resolve)
        async with open_relay(Dialer(reach, public_web(), "test")) as relay:
            assert "Cape Ravel" in await ask(relay.url, "http://museum.example/notes.txt")
        assert proxy.asked == [["CONNECT 93.184.216.34:80 HTTP/1.1", "Host: 93.184.216.34:80"]]


async def test_what_is_under_way_ends_with_the_relay() -> None:
    async with Site() as site:
        async with open_relay(Dialer(NetworkAccess(), public_web([site.host]), "test")) as relay:
            asking = asyncio.create_task(ask(relay.url, site.url("/hang")))
            while not site.requests:
                await asyncio.sleep(0.01)
        assert await asking == "no answer"

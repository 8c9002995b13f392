import asyncio
import base64
import ipaddress
from pathlib import Path
from types import FunctionType
from typing import cast

import pytest

from tests.fakes.breaking import broken
from tests.fakes.proxy import FakeProxy
from tests.fakes.site import Site
from utils.errors import AddressRefused, ConfigError, NetworkError, Offline, Unreachable
from utils.network.access import NetworkAccess, record_connection
from utils.network.addresses import IPAddress, endpoint_policy, parse_url, public_web
from utils.network.dialer import Dialer
from utils.network.http import Client
from utils.network.settings import NetworkSettings

PUBLIC = "93.184.216.34"


async def lighthouse(host: str, port: int) -> list[IPAddress]:
    """A name server that knows one public address for every name, and this machine's own."""
    return [ipaddress.ip_address(host if host.startswith("127.") else PUBLIC)]


def reach(proxy: str, **options: object) -> NetworkAccess:
    return NetworkAccess(NetworkSettings(proxy=proxy), resolve=lighthouse, **options)  # type: ignore[arg-type]


async def test_a_proxy_is_told_the_checked_address_and_the_page_its_own_name() -> None:
    async with Site() as site, FakeProxy(site.host) as proxy:
        response = await Client(public_web(), None, reach(f"http://{proxy.host}")).get(
            "http://museum.example/notes.txt"
        )
        assert (response.status, response.url) == (200, "http://museum.example/notes.txt")
        assert proxy.asked == [[f"CONNECT {PUBLIC}:80 HTTP/1.1", f"Host: {PUBLIC}:80"]]
        assert site.requests == {"/notes.txt": 1}


async def test_the_proxy_s_password_goes_to_the_proxy_alone() -> None:
    async with Site() as site, FakeProxy(site.host) as proxy:
        client = Client(public_web(), None, reach(f"http://me:p%40ss@{proxy.host}"))
        await client.get("http://museum.example/notes.txt")
        assert proxy.asked[0][2] == f"Proxy-Authorization: Basic {base64.b64encode(b'me:p@ss').decode()}"


async def test_private_addresses_are_not_asked_of_a_proxy() -> None:
    async with Site() as site, FakeProxy(site.host) as proxy:
        through = reach(f"http://{proxy.host}")
        assert (await Client(endpoint_policy(site.url("/")), None, through).get(site.url("/notes.txt"))).status == 200
        assert (await Client(public_web([site.host]), None, through).get(site.url("/notes.txt"))).status == 200
        with pytest.raises(AddressRefused, match="private address"):
            await Client(public_web(), None, through).get(site.url("/notes.txt"))
        assert proxy.asked == []


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"HTTP/1.1 403 Forbidden\r\n\r\n", r"does not connect to museum\.example:80: it answers 403\."),
        (b"HTTP/1.1 200 OK\r\n\r\nand more", r"it answers 200\."),
        (b"SSH-2.0-OpenSSH\r\n\r\n", r"it gives no answer that can be read\."),
        (b"", r"it gives no answer that can be read\."),
        (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 9_000, r"it answers 200\."),
    ],
)
async def test_a_proxy_that_does_not_connect_is_told_of(answer: bytes, said: str) -> None:
    async with FakeProxy("127.0.0.1:9", answer) as proxy:
        with pytest.raises(NetworkError, match=said):
            await Client(public_web(), None, reach(f"http://{proxy.host}")).get("http://museum.example/")


async def test_a_proxy_that_is_not_there_is_told_of() -> None:
    with pytest.raises(Unreachable, match=r"Nothing answers at 127\.0\.0\.1:9\."):
        await Client(public_web(), None, reach("http://127.0.0.1:9")).get("http://museum.example/")


async def test_a_proxy_of_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Site() as site, FakeProxy(site.host) as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://{proxy.host}")
        host = f"127.0.0.1:{site.host.rpartition(':')[2]}"
        assert (await Client(public_web([host])).get(f"http://{host}/notes.txt")).status == 200
        assert proxy.asked == []


async def test_offline_nothing_but_this_machine_is_reached_and_no_name_is_looked_up() -> None:
    asked: list[str] = []

    async def resolve(host: str, port: int) -> list[IPAddress]:
        asked.append(host)
        return [ipaddress.ip_address("10.0.0.1" if host == "localhost" else "127.0.0.1")]

    async with Site() as site:
        port = site.host.rpartition(":")[2]
        still = NetworkAccess(offline=True, resolve=resolve)
        client = Client(public_web([site.host, f"nas:{port}", f"localhost:{port}"]), None, still)
        assert (await client.get(site.url("/notes.txt"))).status == 200
        for url in ("https://museum.example/", f"http://nas:{port}/", f"http://localhost:{port}/"):
            with pytest.raises(Offline, match=r"is not on this machine, and Magpie is offline\. /offline lets"):
                await client.get(url)
        assert asked == ["127.0.0.1", "localhost"]
        still.offline = False
        assert (await client.get(f"http://nas:{port}/notes.txt")).status == 200


@pytest.mark.parametrize("proxy", ["http://", "http://[::1", "http://a b:1", "https://host:99999", "http://0x7f.1:1"])
def test_a_proxy_that_cannot_be_is_a_wrong_setting(proxy: str) -> None:
    with pytest.raises(ConfigError, match=r"network\.proxy"):
        NetworkAccess(NetworkSettings(proxy=proxy))


def test_a_file_of_certificates_must_be_there_and_hold_some(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="There is no file"):
        NetworkAccess(NetworkSettings(ca_file=tmp_path / "none.pem"))
    (tmp_path / "ca.pem").write_text("no certificate")
    with pytest.raises(ConfigError, match="holds no certificates"):
        NetworkAccess(NetworkSettings(ca_file=tmp_path / "ca.pem"))


async def test_a_connection_is_closed_whatever_fails_once_it_is_made() -> None:
    gone = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        gone.set()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        host, port = server.sockets[0].getsockname()
        with broken(cast(FunctionType, record_connection), KeyError("gone")), pytest.raises(KeyError) as failed:
            await Dialer(NetworkAccess(), public_web([f"{host}:{port}"]), "test").open_connection(
                parse_url(f"http://{host}:{port}/")
            )
        await asyncio.wait_for(gone.wait(), 10)
        assert failed.type is KeyError

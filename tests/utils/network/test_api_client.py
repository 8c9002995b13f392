"""The client of the packages for model servers opens its server alone, and takes no more than it can bear."""

import gzip
import ipaddress
import json

import httpx2
import pytest

from tests.fakes.ollama import FakeOllama, Raw
from utils.errors import AddressRefused, ConfigError, Offline
from utils.network import api_client
from utils.network.access import NetworkAccess
from utils.network.addresses import IPAddress
from utils.network.api_client import ApiEndpoint, bound_events, open_api_client

EVENTS = "text/event-stream; charset=utf-8"


async def here(host: str, port: int) -> list[IPAddress]:
    """A name server to which every name is this machine."""
    return [ipaddress.ip_address("127.0.0.1")]


def opened(url: str) -> httpx2.AsyncClient:
    return open_api_client(ApiEndpoint(url, "openai", 5), NetworkAccess())


async def test_a_private_address_is_opened_where_it_is_the_base_url_and_no_other(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO", "magpie.network")
    async with FakeOllama() as server:
        endpoint = ApiEndpoint(f"{server.url}/v1", "openai", 5)
        async with open_api_client(endpoint, NetworkAccess()) as client:
            assert (await client.get(f"{server.url}/api/version")).json() == {"version": "0.33.0"}
            with pytest.raises(AddressRefused, match="is not the configured server"):
                await client.get("http://127.0.0.1:9/v1/models")
    assert [record.__dict__["data"]["caller"] for record in caplog.records] == ["openai"]


async def test_a_redirect_is_not_followed_and_the_environment_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    async with FakeOllama(paths={"/v1/models": Raw((b"",), 302)}) as server, opened(server.url) as client:
        assert (await client.get(f"{server.url}/v1/models")).status_code == 302
    assert server.headers[0]["accept-encoding"] == "identity"


async def test_offline_nothing_but_this_machine_is_asked_also_by_a_connection_that_was_kept() -> None:
    async with FakeOllama() as server:
        port = server.url.rpartition(":")[2]
        reach = NetworkAccess(resolve=here)
        async with open_api_client(ApiEndpoint(f"http://box.example:{port}", "openai", 5), reach) as client:
            assert (await client.get(f"http://box.example:{port}/api/version")).status_code == 200
            reach.offline = True
            with pytest.raises(Offline, match=r"box\.example is not on this machine"):
                await client.get(f"http://box.example:{port}/api/version")
        async with open_api_client(ApiEndpoint(server.url, "openai", 5), reach) as client:
            assert (await client.get(f"{server.url}/api/version")).status_code == 200


async def test_an_answer_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api_client, "MAX_API_ANSWER", 1_000_000)
    large = Raw((b"[" * 100_000,) * 11, content_type="application/json")
    async with FakeOllama(paths={"/v1/models": large}) as server, opened(server.url) as client:
        with pytest.raises(httpx2.ReadError, match="more than 1 MB"):
            await client.get(f"{server.url}/v1/models")


async def test_an_event_and_a_stream_have_bounds_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api_client, "MAX_API_ANSWER", 1_000)
    monkeypatch.setattr(api_client, "MAX_API_EVENT", 1_000_000)
    monkeypatch.setattr(api_client, "MAX_API_STREAM", 3_000_000)
    event = b"data: " + b"x" * 199_992 + b"\n\n"
    paths = {
        "/long": Raw((event,) * 10, content_type=EVENTS),
        "/endless": Raw((event,) * 16, content_type=EVENTS),
        "/event": Raw((b"data: " + b"x" * 99_994,) * 11, content_type=EVENTS),
        "/lines": Raw((b": " + b"x" * 99_997 + b"\n",) * 11, content_type=EVENTS),
    }
    async with FakeOllama(paths=paths) as server, opened(server.url) as client:  # type: ignore[arg-type]
        assert len((await client.get(f"{server.url}/long")).content) == 2_000_000
        for path, said in (("endless", "the stream has more than 3 MB"), ("event", "1 MB"), ("lines", "1 MB")):
            with pytest.raises(httpx2.ReadError, match=said):
                await client.get(f"{server.url}/{path}")
        # What one stream had does not count for the next one.
        assert len((await client.get(f"{server.url}/long")).content) == 2_000_000


@pytest.mark.parametrize("end", [b"\n\n", b"\r\n\r\n", b"\r\r"])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_an_event_ends_wherever_the_stream_is_cut(monkeypatch: pytest.MonkeyPatch, end: bytes, size: int) -> None:
    monkeypatch.setattr(api_client, "MAX_API_EVENT", 60)
    count, stream = bound_events(), (b"data: {}" + end) * 30
    for at in range(0, len(stream), size):
        part = stream[at : at + size]
        if size < 1000:
            count(part)
    if size == 1000:
        count(stream)
    with pytest.raises(httpx2.ReadError):
        count(b"x" * 70)


async def test_a_packed_answer_is_not_unpacked() -> None:
    class Packed(FakeOllama):
        def _known(self, path: str, body: dict[str, object]) -> Raw:
            packed = gzip.compress(json.dumps({"version": "0"}).encode())
            return Raw((packed,), 200, "application/json\r\nContent-Encoding: gzip")

    async with Packed() as server, open_api_client(ApiEndpoint(server.url, "openai", 5), NetworkAccess()) as client:
        with pytest.raises(httpx2.ReadError, match="packed"):
            await client.get(f"{server.url}/v1/models")


@pytest.mark.parametrize("url", ["box", "ftp://box/v1", "http://me:secret@box/v1", "http://[::1/v1", "", "http://:80"])
def test_a_base_url_that_is_none_is_said_in_one_sentence(url: str) -> None:
    with pytest.raises(ConfigError, match=r"^The base URL of openai cannot be used: ") as refused:
        open_api_client(ApiEndpoint(url, "openai", 5), NetworkAccess())
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("url", "local", "keyed"),
    [
        ("https://api.example.com/v1", False, True),
        ("http://api.example.com/v1", False, False),
        ("http://93.184.216.34:8000/v1", False, False),
        ("http://192.168.1.5:8000/v1", False, True),
        ("http://127.0.0.1:1234/v1", True, True),
        ("http://localhost:1234/v1", True, True),
        ("http://[::1]:1234/v1", True, True),
    ],
)
def test_what_is_on_this_machine_and_where_a_key_may_go(url: str, local: bool, keyed: bool) -> None:
    endpoint = ApiEndpoint(url, "openai", 5)
    assert (endpoint.is_local, endpoint.may_have_key) == (local, keyed)


async def test_what_the_packages_tell_of_this_machine_stays_here() -> None:
    async with FakeOllama() as server, opened(server.url) as client:
        headers = {"X-Stainless-OS": "Linux", "x-stainless-arch": "x64", "User-Agent": "Other/1", "X-Kept": "1"}
        await client.get(f"{server.url}/api/version", headers=headers)
    assert server.headers[0]["user-agent"] == "Magpie" and server.headers[0]["x-kept"] == "1"
    assert not [name for name in server.headers[0] if name.startswith("x-stainless")]

import ipaddress

import httpx
import pytest

from tests.fakes.site import Site
from utils.errors import AddressRefused, Offline
from utils.network.access import NetworkAccess
from utils.network.addresses import IPAddress, endpoint_policy
from utils.network.dialer import Dialer
from utils.network.httpx_transport import GuardedTransport


async def here(host: str, port: int) -> list[IPAddress]:
    """A name server to which every name is this machine."""
    return [ipaddress.ip_address("127.0.0.1")]


async def test_a_client_of_httpx_connects_to_its_endpoint_and_nothing_else(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "magpie.network")
    async with Site() as site:
        reach = NetworkAccess()
        transport = GuardedTransport(Dialer(reach, endpoint_policy(site.url("/")), "test"), tls=False)
        async with httpx.AsyncClient(transport=transport, trust_env=False, follow_redirects=True) as client:
            assert (await client.get(site.url("/notes.txt"))).status_code == 200
            with pytest.raises(AddressRefused, match=r"192\.168\.0\.1:80 is not the configured server"):
                await client.get(site.url("/private"))
            with pytest.raises(AddressRefused, match="is not the configured server"):
                await client.get("http://127.0.0.1:9/")
    told = [record.__dict__["data"] for record in caplog.records if record.name == "magpie.network"]
    port = int(site.host.rpartition(":")[2])
    assert told[0] == {"caller": "test", "host": "127.0.0.1", "address": "127.0.0.1", "port": port}


async def test_a_connection_that_was_kept_is_of_no_use_offline() -> None:
    async with Site() as site:
        port = site.host.rpartition(":")[2]
        reach = NetworkAccess(resolve=here)
        dialer = Dialer(reach, endpoint_policy(f"http://box.example:{port}"), "test")
        async with httpx.AsyncClient(transport=GuardedTransport(dialer, tls=False), trust_env=False) as client:
            assert (await client.get(f"http://box.example:{port}/notes.txt")).status_code == 200
            reach.offline = True
            with pytest.raises(Offline, match=r"box\.example is not on this machine"):
                await client.get(f"http://box.example:{port}/notes.txt")


async def test_offline_a_client_of_httpx_reaches_this_machine_alone() -> None:
    reach = NetworkAccess(offline=True)
    transport = GuardedTransport(Dialer(reach, endpoint_policy("http://10.0.0.1:11434"), "test"), tls=False)
    async with httpx.AsyncClient(transport=transport, trust_env=False) as client:
        with pytest.raises(Offline, match=r"10\.0\.0\.1 is not on this machine, and Magpie is offline"):
            await client.get("http://10.0.0.1:11434/api/tags")

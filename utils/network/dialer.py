"""Where connections are made: a host is resolved once, all its addresses are checked, and one of those is connected to.

No later answer of a name server matters, and no client gets past it: our own, httpx and the relay all connect here.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from utils.errors import NetworkError, Unreachable
from utils.network.access import NetworkAccess, Proxy, record_connection
from utils.network.addresses import IPAddress, Policy, Target, bracket_host, is_public, parse_url

if TYPE_CHECKING:
    import httpcore

DIAL_SECONDS = 5.0
"""For one of several addresses, before the next one is tried."""
TUNNEL_SECONDS = 10.0
"""For a proxy to make a connection."""
MAX_PROXY_HEAD = 16_384
"""Bytes of a proxy's answer."""


@dataclass(frozen=True)
class Dialer:
    """Connects for one caller, whose name the log tells, under one policy."""

    reach: NetworkAccess
    policy: Policy
    caller: str

    def check_target(self, target: Target) -> None:
        """Refuse what no look-up of the name could make right; raises `AddressRefused` and `Offline`."""
        self.policy.check_target(target)
        self.reach.permit_host(target.host)

    async def open_connection(self, target: Target) -> "httpcore.AsyncNetworkStream":
        """A connection to the first address of a host that answers, once all of them have passed.

        Private addresses that the policy opens are reached directly, public ones through the proxy where one is set:
        it is told the checked address and not the name. Raises `NetworkError`.
        """
        self.check_target(target)
        addresses = await self.reach.resolve(target.host, target.port)
        self.reach.permit_host(target.host, addresses)
        self.policy.check_addresses(target, addresses)
        public = all(map(is_public, addresses))
        if not public and not self.policy.only_opened:
            self.reach.tell_once(
                f"{target.origin} is a private address; it was opened because fetch.allow_hosts names it."
            )
        if public and self.reach.proxy:
            return await self._open_tunnel(self.reach.proxy, target, addresses[0])
        stream, address = await _connect_first(addresses, target)
        try:
            record_connection(self.caller, target.host, str(address), target.port)
            if stream.get_extra_info("client_addr")[0] == str(address) and not address.is_loopback:
                # A public address of this very machine.
                self.policy.check_port(target)
        except BaseException:
            await stream.aclose()
            raise
        return stream

    async def _open_tunnel(self, proxy: Proxy, target: Target, address: IPAddress) -> "httpcore.AsyncNetworkStream":
        """A connection to an address that the proxy makes for us."""
        try:
            async with asyncio.timeout(TUNNEL_SECONDS):
                known = await self.reach.resolve(proxy.target.host, proxy.target.port)
                stream, _ = await _connect_first(known, proxy.target)
                try:
                    record_connection(self.caller, target.host, str(address), target.port, proxy.target.origin)
                    if proxy.target.scheme == "https":
                        stream = await stream.start_tls(self.reach.tls_context, proxy.target.host)
                    await _ask_proxy(stream, proxy, target, f"{bracket_host(str(address))}:{target.port}")
                except BaseException:
                    await stream.aclose()
                    raise
        except TimeoutError as error:
            raise Unreachable(f"The proxy {proxy.target.origin} did not answer.", "Check network.proxy.") from error
        return stream


class GuardedBackend:
    """Makes the connections of httpcore, and so of httpx."""

    def __init__(self, dialer: Dialer) -> None:
        self._dialer = dialer

    async def connect_tcp(
        self, host: str, port: int, timeout: float | None = None, **_: Any
    ) -> "httpcore.AsyncNetworkStream":
        """A connection to a checked address of the host."""
        import httpcore

        try:
            async with asyncio.timeout(timeout):
                return await self._dialer.open_connection(parse_url(f"http://{bracket_host(host)}:{port}/"))
        except TimeoutError as error:
            raise httpcore.ConnectTimeout(f"no connection within {timeout:g} s") from error

    async def sleep(self, seconds: float) -> None:
        """Wait, as httpcore does between tries."""
        await asyncio.sleep(seconds)


async def _connect_first(
    addresses: Sequence[IPAddress], target: Target
) -> "tuple[httpcore.AsyncNetworkStream, IPAddress]":
    """The first connection that is made, and to which address."""
    import httpcore

    seconds = DIAL_SECONDS if len(addresses) > 1 else None
    failure: Exception | None = None
    for address in addresses:
        try:
            return await httpcore.AnyIOBackend().connect_tcp(str(address), target.port, seconds), address
        except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
            failure = error
    raise Unreachable(f"Nothing answers at {target.origin}.") from failure


async def _ask_proxy(stream: "httpcore.AsyncNetworkStream", proxy: Proxy, target: Target, place: str) -> None:
    """Have a proxy connect to a place; raises `NetworkError` unless it says that the connection stands."""
    import httpcore

    said = f"Proxy-Authorization: {proxy.authorization}\r\n" if proxy.authorization else ""
    head = b""
    try:
        await stream.write(f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n{said}\r\n".encode("ascii"))
        while b"\r\n\r\n" not in head and len(head) < MAX_PROXY_HEAD:
            piece = await stream.read(MAX_PROXY_HEAD)
            head += piece
            if not piece:
                break
    except httpcore.NetworkError:
        head = b""
    version, _, rest = head.partition(b" ")
    if version in (b"HTTP/1.0", b"HTTP/1.1") and rest.startswith(b"2") and head.endswith(b"\r\n\r\n"):
        return
    status = rest[:3].decode("ascii", "replace")
    how = f"answers {status}" if status.isdigit() else "gives no answer that can be read"
    raise NetworkError(f"The proxy {proxy.target.origin} does not connect to {target.origin}: it {how}.")

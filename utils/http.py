"""The guarded HTTP client: whatever is opened on the web goes through it, under the policy of its caller.

The guard sits where a connection is made: the host is resolved once, every address is checked, and the connection goes
to a checked one, so that no later answer of a name server matters. Each redirect goes through all of it again.
"""

import asyncio
import ipaddress
import socket
import ssl
import zlib
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

import truststore

from utils.addresses import IPAddress, Policy, Target, parse_url
from utils.errors import NetworkError, Unreachable
from utils.text import one_line
from utils.threads import run_detached

if TYPE_CHECKING:
    import httpcore

Resolve = Callable[[str, int], Awaitable[list[IPAddress]]]

REDIRECTS = frozenset({301, 302, 303, 307, 308})
CONNECT_SECONDS = 5.0
"""For one of several addresses, before the next one is tried."""


@dataclass(frozen=True)
class Limits:
    """What one exchange may take: seconds from the first name lookup to the last byte, bytes after decompression."""

    seconds: float = 20.0
    max_bytes: int = 10_000_000
    redirects: int = 5


@dataclass(frozen=True)
class Response:
    """An answer that was read whole. `url` is where the redirects led."""

    url: str
    status: int
    content_type: str
    body: bytes

    @property
    def media_type(self) -> str:
        """The content type without its parameters, lower case."""
        return self.content_type.partition(";")[0].strip().lower()


async def resolve_host(host: str, port: int) -> list[IPAddress]:
    """The addresses of a host, in the order in which the system would try them; raises `Unreachable`."""
    try:
        return [ipaddress.ip_address(host)]
    except ValueError:
        pass
    try:
        found = await run_detached(partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM))
    except OSError as error:
        raise Unreachable(
            f"The host {host} cannot be found.", "Check its spelling and the network connection."
        ) from error
    return list(dict.fromkeys(ipaddress.ip_address(str(entry[4][0])) for entry in found))


class Client:
    """Opens web addresses under one policy; keeps no cookies, reads no proxy or password from the environment."""

    def __init__(
        self,
        policy: Policy,
        limits: Limits | None = None,
        *,
        user_agent: str = "Magpie",
        resolve: Resolve = resolve_host,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        self._policy = policy
        self._limits = limits or Limits()
        self._user_agent = user_agent
        self._resolve = resolve
        self._ssl_context = ssl_context

    async def get(self, url: str, check: Callable[[Target, str], None] | None = None) -> Response:
        """The answer at an address, redirects followed; raises `NetworkError`.

        `check` is given the final address and its content type before the body is read, and may raise.
        """
        target = parse_url(url)
        try:
            async with asyncio.timeout(self._limits.seconds):
                for _ in range(self._limits.redirects + 1):
                    answer = await self._exchange(target, check)
                    if isinstance(answer, Response):
                        return answer
                    target = parse_url(urljoin(target.url, answer))
        except TimeoutError as error:
            raise NetworkError(f"{target.host} took longer than {self._limits.seconds:g} s.") from error
        raise NetworkError(f"{target.host} redirects more than {self._limits.redirects} times.")

    async def _exchange(self, target: Target, check: Callable[[Target, str], None] | None) -> Response | str:
        """One request: its answer, or where it redirects to."""
        import httpcore

        self._policy.check_target(target)
        backend: Any = _GuardedBackend(target, self._policy, self._resolve)
        pool = httpcore.AsyncConnectionPool(self._tls(target), max_connections=1, network_backend=backend)
        address = httpcore.URL(
            scheme=target.scheme.encode(), host=target.host.encode(), port=target.port, target=target.path.encode()
        )
        with _translated(target):
            async with pool, pool.stream("GET", address, headers=self._headers(target)) as response:
                headers = {name.lower(): value.decode("latin-1") for name, value in response.headers}
                if response.status in REDIRECTS and b"location" in headers:
                    return headers[b"location"]
                kind = headers.get(b"content-type", "")
                if check and response.status < 400:
                    check(target, kind)
                body = await _read_body(response, headers.get(b"content-encoding", ""), self._limits.max_bytes)
                return Response(target.url, response.status, kind, body)

    def _headers(self, target: Target) -> dict[str | bytes, str | bytes]:
        return {
            "Host": target.authority,
            "User-Agent": self._user_agent,
            "Accept": "text/html,application/xhtml+xml,application/pdf,text/plain,text/markdown,*/*;q=0.5",
            "Accept-Encoding": "gzip",
            "Connection": "close",
        }

    def _tls(self, target: Target) -> ssl.SSLContext | None:
        """The system's certificates, read once and only when they are needed."""
        if target.scheme == "https" and self._ssl_context is None:
            self._ssl_context = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        return self._ssl_context


class _GuardedBackend:
    """Makes connections for httpcore, to addresses that were checked and to nothing else."""

    def __init__(self, target: Target, policy: Policy, resolve: Resolve) -> None:
        self._target, self._policy, self._resolve = target, policy, resolve

    async def connect_tcp(self, host: str, port: int, **options: Any) -> "httpcore.AsyncNetworkStream":
        """A connection to the host's first address that answers, once all of them have passed."""
        import httpcore

        addresses = await self._resolve(host, port)
        self._policy.check_addresses(self._target, addresses)
        options["timeout"] = CONNECT_SECONDS if len(addresses) > 1 else None
        failure: Exception | None = None
        for address in addresses:
            try:
                return await httpcore.AnyIOBackend().connect_tcp(str(address), port, **options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise Unreachable(f"Nothing answers at {self._target.origin}.") from failure


async def _read_body(response: "httpcore.Response", encoding: str, max_bytes: int) -> bytes:
    """The decoded body; the limit holds while it is decoded, so that a small bomb stays small."""
    names = [name for name in encoding.lower().replace(" ", "").split(",") if name not in ("", "identity")]
    if names not in ([], ["gzip"], ["x-gzip"]):
        raise NetworkError(f"The page is packed as {one_line(encoding, 40)}, which was not asked for.")
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16) if names else None
    body = bytearray()
    async for part in response.aiter_stream():
        body += unpacker.decompress(part, max_bytes - len(body) + 1) if unpacker else part
        if len(body) > max_bytes:
            raise NetworkError(f"The page is larger than {max_bytes / 1e6:g} MB.")
    if unpacker and body and not unpacker.eof:
        raise NetworkError("The page ended in the middle.")
    return bytes(body)


@contextmanager
def _translated(target: Target) -> Iterator[None]:
    """Turns what httpcore and zlib raise into a `NetworkError`."""
    import httpcore

    try:
        yield
    except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
        raise NetworkError(f"No safe connection to {target.origin}: {one_line(str(error))}.") from error
    except httpcore.TimeoutException as error:
        raise NetworkError(f"{target.host} did not answer in time.") from error
    except (httpcore.NetworkError, httpcore.ProtocolError) as error:
        reason = one_line(str(error)) or type(error).__name__
        raise NetworkError(f"{target.host} broke off or answered nonsense: {reason}.") from error
    except zlib.error as error:
        raise NetworkError(f"What {target.host} sent is damaged.") from error

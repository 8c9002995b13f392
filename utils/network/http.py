"""The guarded HTTP client: whatever is opened on the web goes through it, under the policy of its caller.

The guard itself sits where connections are made, in `dialing.py`. Each redirect goes through all of it again.
"""

import asyncio
import zlib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from utils.errors import NetworkError
from utils.network.access import NetworkAccess
from utils.network.addresses import Policy, Target, follow_redirect, parse_url
from utils.network.dialer import Dialer, GuardedBackend
from utils.text import one_line

if TYPE_CHECKING:
    import httpcore

REDIRECTS = frozenset({301, 302, 303, 307, 308})
MAX_HEADERS = 256
"""Header lines of an answer; h11 allows them 100 KB in all. Python's own client stops at 100 lines."""
JOINED_HEADERS = {"content-encoding": ", ", "link": "\n", "x-robots-tag": "\n"}
"""Headers of which all lines count, and what stands between them."""
Check = Callable[[Target, str], None]
"""Is given the final address and its content type before the body is read, and may raise."""


@dataclass(frozen=True)
class ExchangeLimits:
    """What one exchange may take: seconds from the first name lookup to the last byte, bytes after decompression."""

    seconds: float = 20.0
    max_bytes: int = 10_000_000
    redirects: int = 5


@dataclass(frozen=True)
class Response:
    """An answer that was read whole, of a redirect its head. `url` is where the redirects led."""

    url: str
    status: int
    content_type: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    """By lower-case name."""

    @property
    def media_type(self) -> str:
        """The content type without its parameters, lower case."""
        return self.content_type.partition(";")[0].strip().lower()

    @property
    def redirect(self) -> str:
        """Where it redirects to, as it stands in the answer; empty where it does not."""
        return self.headers.get("location", "") if self.status in REDIRECTS else ""


class Client:
    """Opens web addresses under one policy; keeps no cookies, reads no proxy or password from the environment.

    `caller` names the part of Magpie for the log.
    """

    def __init__(
        self,
        policy: Policy,
        limits: ExchangeLimits | None = None,
        reach: NetworkAccess | None = None,
        caller: str = "web",
    ) -> None:
        self._policy = policy
        self._limits = limits or ExchangeLimits()
        self._reach = reach or NetworkAccess()
        self._dialer = Dialer(self._reach, policy, caller)
        self._kept: httpcore.AsyncConnectionPool | None = None

    def admit_url(self, url: str) -> Target:
        """An address that may be opened, as far as it tells by itself; raises `AddressRefused`."""
        target = parse_url(url)
        self._policy.check_target(target)
        return target

    async def get(self, url: str, check: Check | None = None) -> Response:
        """The answer at an address, redirects followed; raises `NetworkError`."""
        target = self.admit_url(url)
        async with self._time_limit(target):
            for _ in range(self._limits.redirects + 1):
                answer = await self._exchange_once(target, check, {})
                if not answer.redirect:
                    return answer
                target = follow_redirect(target, answer.redirect)
        raise NetworkError(f"{target.host} redirects more than {self._limits.redirects} times.")

    async def exchange(
        self, url: str, check: Check | None = None, headers: Mapping[str, str] | None = None
    ) -> Response:
        """The answer to one request with these headers beside the usual ones; a redirect is handed out as it is.

        Raises `NetworkError`.
        """
        target = self.admit_url(url)
        async with self._time_limit(target):
            return await self._exchange_once(target, check, headers or {})

    @asynccontextmanager
    async def keep_connection(self) -> AsyncIterator[None]:
        """Meanwhile requests go over one connection, for as long as the server leaves it open."""
        async with self._make_pool(with_tls=True) as self._kept:
            try:
                yield
            finally:
                self._kept = None

    @asynccontextmanager
    async def _time_limit(self, target: Target) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(self._limits.seconds):
                yield
        except TimeoutError as error:
            raise NetworkError(f"{target.host} took longer than {self._limits.seconds:g} s.") from error

    async def _exchange_once(self, target: Target, check: Check | None, also: Mapping[str, str]) -> Response:
        """One request, and its answer."""
        import httpcore

        # What needs no connection is refused before certificates are read.
        self._dialer.check_target(target)
        address = httpcore.URL(
            scheme=target.scheme.encode(), host=target.host.encode(), port=target.port, target=target.path.encode()
        )
        async with AsyncExitStack() as stack:
            stack.enter_context(_translate_errors(target))
            pool = self._kept
            if pool is None:
                pool = await stack.enter_async_context(self._make_pool(target.scheme == "https"))
            sent = [(name.encode(), value.encode()) for name, value in self._request_headers(target, also).items()]
            response = await stack.enter_async_context(pool.stream("GET", address, headers=sent))
            headers = read_headers(response.headers)
            kind = headers.get("content-type", "")
            if response.status in REDIRECTS and headers.get("location"):
                return Response(target.url, response.status, kind, b"", headers)
            if check and response.status < 400:
                check(target, kind)
            body = await _read_body(response, headers.get("content-encoding", ""), self._limits.max_bytes)
            return Response(target.url, response.status, kind, body, headers)

    def _make_pool(self, with_tls: bool) -> "httpcore.AsyncConnectionPool":
        import httpcore

        backend: Any = GuardedBackend(self._dialer)
        trust = self._reach.tls_context if with_tls else None
        return httpcore.AsyncConnectionPool(trust, max_connections=1, network_backend=backend)

    def _request_headers(self, target: Target, also: Mapping[str, str]) -> dict[str, str]:
        return {
            "Host": target.authority,
            "User-Agent": self._reach.user_agent,
            "Accept": "text/html,application/xhtml+xml,application/pdf,text/plain,text/markdown,*/*;q=0.5",
            "Accept-Encoding": "gzip",
            **({} if self._kept else {"Connection": "close"}),
            **also,
        }


def read_headers(lines: Sequence[tuple[bytes, bytes]]) -> Mapping[str, str]:
    """The headers of an answer by lower-case name; raises `NetworkError` for too many.

    Of those of one name the first counts, but for those of `JOINED_HEADERS`.
    """
    if len(lines) > MAX_HEADERS:
        raise NetworkError(f"The page has more than {MAX_HEADERS} headers.")
    headers: dict[str, str] = {}
    for name, value in lines:
        key = name.decode("ascii", "replace").lower()
        try:
            text = value.decode("utf-8")
        except UnicodeDecodeError:
            text = value.decode("latin-1")
        if key in JOINED_HEADERS and key in headers:
            headers[key] += f"{JOINED_HEADERS[key]}{text}"
        headers.setdefault(key, text)
    return headers


async def _read_body(response: "httpcore.Response", encoding: str, max_bytes: int) -> bytes:
    """The decoded body; the limit holds while it is decoded, so that a small bomb stays small.

    It holds for what came in as well: packed bytes can unpack to nothing without end.
    """
    names = [name for name in encoding.lower().replace(" ", "").split(",") if name not in ("", "identity")]
    if names not in ([], ["gzip"], ["x-gzip"]):
        raise NetworkError(f"The page is packed as {one_line(encoding, 40)}, which was not asked for.")
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16) if names else None
    body = bytearray()
    received = 0
    async for part in response.aiter_stream():
        received += len(part)
        body += unpacker.decompress(part, max_bytes - len(body) + 1) if unpacker else part
        if max(len(body), received) > max_bytes:
            raise NetworkError(f"The page is larger than {max_bytes / 1e6:g} MB.")
        if unpacker and unpacker.unused_data:
            raise NetworkError("The page goes on after its packed text has ended.")
    if unpacker and received and not unpacker.eof:
        raise NetworkError("The page ended in the middle.")
    return bytes(body)


@contextmanager
def _translate_errors(target: Target) -> Iterator[None]:
    """Turns what httpcore and zlib raise into a `NetworkError`."""
    import httpcore

    try:
        yield
    except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
        raise NetworkError(f"No safe connection to {target.origin}: {one_line(str(error))}.") from error
    except httpcore.TimeoutException as error:
        raise NetworkError(f"{target.host} did not answer in time.") from error
    except (httpcore.NetworkError, httpcore.ProtocolError) as error:
        # h11's word for a head of more than 100 KB.
        if "too long" in str(error):
            raise NetworkError(f"The headers that {target.host} sends are too long.") from error
        raise NetworkError(f"{target.host} broke off, or what it sent is no proper HTTP.") from error
    except zlib.error as error:
        raise NetworkError(f"What {target.host} sent is damaged.") from error

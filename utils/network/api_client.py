"""The client that the packages of model servers are given: what it opens, how it waits, how much it takes."""

import ipaddress
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from utils.errors import AddressRefused, ConfigError
from utils.network.access import NetworkAccess
from utils.network.addresses import Target, endpoint_policy, is_public, is_this_machine, parse_url
from utils.network.dialer import Dialer

if TYPE_CHECKING:
    import httpx2

MAX_API_ANSWER = 64_000_000
"""Bytes of an answer that is no stream: a list of 100,000 models has some 20 MB."""
MAX_API_EVENT = 4_000_000
"""Bytes of one event of a stream: a live one has some hundred, a whole tool call some thousand."""
MAX_API_STREAM = 256_000_000
"""Bytes of a whole stream, whatever its reader makes of it."""
CONNECT_API_SECONDS = 10.0
TELLING_HEADERS = "x-stainless-"
"""How headers begin by which the packages tell system, processor and versions."""


@dataclass(frozen=True)
class ApiEndpoint:
    """A server that the user named. `caller` is its name in the log, `timeout` the seconds without a sign from it."""

    base_url: str
    caller: str
    timeout: float
    settings: str = ""
    """How the names of its settings begin, to `base_url` and `key_file`; empty: with the caller and a dot."""

    @property
    def target(self) -> Target:
        """The base URL in parts; raises `ConfigError` where it is no web address, or more than one.

        It is told to the user and written to the log: what may be a key has no place in it, and is not repeated.
        """
        settings = self.settings or f"{self.caller}."
        remedy = f"Write it as http://host:port/v1 or https://host/v1; a key stands in the file of {settings}key_file."
        named = f"{settings}base_url" if self.settings else f"The base URL of {self.caller}"
        refused = f"{named} cannot be used"
        try:
            target = parse_url(self.base_url)
        except AddressRefused as error:
            raise ConfigError(f"{refused}: {error.problem}", remedy) from error
        if {"?", "#"} & set(self.base_url):
            raise ConfigError(f"{refused}: there is more behind its path.", remedy)
        return target

    @property
    def host(self) -> str:
        """The host, as it is told to the user."""
        return self.target.host

    @property
    def is_local(self) -> bool:
        """Whether it is on this machine."""
        return is_this_machine(self.host)

    @property
    def may_have_key(self) -> bool:
        """Whether a key can go there unread by others: by TLS, on this machine, or to a private address."""
        if self.target.scheme == "https" or self.is_local:
            return True
        with suppress(ValueError):
            return not is_public(ipaddress.ip_address(self.host))
        return False


def open_api_client(endpoint: ApiEndpoint, reach: NetworkAccess) -> "httpx2.AsyncClient":
    """A client for the openai and anthropic packages, made but not connected yet; raises `ConfigError`.

    It connects by the guard and to this server alone, which may be a private address; it follows no redirect and reads
    nothing from the environment. Answers come unpacked and have a bound: `MAX_API_ANSWER` bytes, of a stream
    `MAX_API_EVENT` an event and `MAX_API_STREAM` in all. What passes it is raised as `AnswerRefused`. What the packages
    tell of this machine in headers of their own stays here.
    """
    target = endpoint.target
    import httpx2

    from utils.network.httpx2_transport import GuardedTransport2

    async def name_ourselves(request: httpx2.Request) -> None:
        for name in [name for name in request.headers if name.startswith(TELLING_HEADERS)]:
            del request.headers[name]
        request.headers["user-agent"] = reach.user_agent

    dialer = Dialer(reach, endpoint_policy(endpoint.base_url), endpoint.caller)
    transport = GuardedTransport2(
        dialer, tls=target.scheme == "https", max_bytes=MAX_API_ANSWER, bound_events=bound_events
    )
    return httpx2.AsyncClient(
        transport=transport,
        timeout=httpx2.Timeout(endpoint.timeout, connect=min(CONNECT_API_SECONDS, endpoint.timeout)),
        trust_env=False,
        follow_redirects=False,
        event_hooks={"request": [name_ourselves]},
    )


def bound_events() -> Callable[[bytes], None]:
    """What is given each part of one stream of events, and raises `AnswerRefused` beyond the bounds."""
    from utils.network.httpx2_transport import AnswerRefused

    whole = open_event = 0
    tail = b""

    def count(part: bytes) -> None:
        nonlocal whole, open_event, tail
        whole += len(part)
        joined = tail + part
        ended = max(joined.rfind(end) for end in (b"\n\n", b"\r\n\r\n", b"\r\r"))
        open_event = len(joined) - ended if ended >= 0 else open_event + len(part)
        tail = joined[-3:]
        if open_event > MAX_API_EVENT:
            raise AnswerRefused(f"an event has more than {MAX_API_EVENT // 1_000_000} MB")
        if whole > MAX_API_STREAM:
            raise AnswerRefused(f"the stream has more than {MAX_API_STREAM // 1_000_000} MB")

    return count

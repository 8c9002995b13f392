"""Requests to authorization servers: a server names them, so they may be no private address but the server's own."""

import httpx2

from tools.mcp_client.config import ServerSpec
from utils.errors import AddressRefused
from utils.network.access import NetworkAccess
from utils.network.addresses import Policy, Target, is_this_machine, parse_url, public_web
from utils.network.dialer import Dialer
from utils.network.httpx2_transport import GuardedTransport2

_REQUEST_SECONDS = 10.0
"""For one request."""
_MAX_ANSWER_BYTES = 1_000_000
"""Bytes of an answer."""


class Outside:
    """What a sign-in to one server may reach."""

    def __init__(self, spec: ServerSpec, reach: NetworkAccess) -> None:
        self._url = spec.url
        self._caller = f"mcp {spec.name} sign-in"
        self._reach = reach

    async def send_request(self, request: httpx2.Request) -> httpx2.Response:
        """The answer of an authorization server, or of the server about itself; raises `NetworkError`, `HTTPError`."""
        target = parse_url(str(request.url))
        dialer = Dialer(self._reach, self.policy_for(target), self._caller)
        transport = GuardedTransport2(dialer, tls=target.scheme == "https", max_bytes=_MAX_ANSWER_BYTES)
        request.headers["User-Agent"] = self._reach.user_agent
        async with httpx2.AsyncClient(transport=transport, timeout=_REQUEST_SECONDS, trust_env=False) as client:
            return await client.send(request)

    def policy_for(self, target: Target) -> Policy:
        """What may be opened: the public web by TLS; private addresses only where the server itself is."""
        own, reach = parse_url(self._url), self._reach
        near = target.host == own.host or (is_this_machine(own.host) and is_this_machine(target.host))
        if target.scheme != "https" and not (near and own.scheme == "http"):
            raise AddressRefused(f"{target.origin} would be told secrets without encryption.")
        if not near:
            return public_web((), reach.own_ports, reach.own_servers)
        closed = reach.own_ports if target.origin != own.origin else ()
        return Policy(frozenset({target.origin}), True, closed)

"""The transport that other people's httpx clients are given: their connections are made by the guard."""

from typing import Any

import httpx

from utils.network.addresses import DEFAULT_PORTS, bracket_host, parse_url
from utils.network.dialer import Dialer, GuardedBackend


class GuardedTransport(httpx.AsyncHTTPTransport):
    """Connects as `dialer` may; with `tls` the certificates are those that the reach trusts."""

    def __init__(self, dialer: Dialer, *, tls: bool) -> None:
        # Certificates are read for TLS alone (20 ms).
        super().__init__(verify=dialer.reach.tls_context if tls else False, trust_env=False)
        backend: Any = GuardedBackend(dialer)
        # httpx has no argument for it; a test sees that nothing gets past it.
        self._pool._network_backend = backend
        self._dialer = dialer

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The answer; each request is checked, for a connection may be kept from before Magpie was switched offline."""
        port = request.url.port or DEFAULT_PORTS[request.url.scheme]
        self._dialer.check_target(parse_url(f"http://{bracket_host(request.url.host)}:{port}/"))
        return await super().handle_async_request(request)

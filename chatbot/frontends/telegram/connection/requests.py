"""The requests of Telegram's library, sent by the guard: to the named server alone, with a bound on what comes back."""

import os
from typing import Any

import httpx
from telegram.error import NetworkError, TimedOut
from telegram.request import BaseRequest, RequestData

from utils.network.access import NetworkAccess
from utils.network.addresses import endpoint_policy
from utils.network.api_client import ApiEndpoint
from utils.network.dialer import Dialer
from utils.network.httpx_transport import GuardedTransport

# The library warns of its own seconds, which are to become timedeltas: it is asked for these now.
os.environ.setdefault("PTB_TIMEDELTA", "1")


class GuardedRequest(BaseRequest):
    """Sends what the library wants sent; an answer has at most `max_bytes`, and comes unpacked."""

    def __init__(self, endpoint: ApiEndpoint, reach: NetworkAccess, max_bytes: int) -> None:
        self._endpoint = endpoint
        self._user_agent = reach.user_agent
        self._max_bytes = max_bytes
        dialer = Dialer(reach, endpoint_policy(endpoint.base_url), endpoint.caller)
        self._client = httpx.AsyncClient(
            transport=GuardedTransport(dialer, tls=endpoint.target.scheme == "https"),
            trust_env=False,
            follow_redirects=False,
        )

    @property
    def read_timeout(self) -> float:
        """Seconds without a sign from the server."""
        return self._endpoint.timeout

    async def initialize(self) -> None:
        """Nothing is connected before the first request."""

    async def shutdown(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def do_request(
        self, url: str, method: str, request_data: RequestData | None = None, *_: Any, **timeouts: Any
    ) -> tuple[int, bytes]:
        """Status and body; raises the library's errors, and ours for what may not be reached."""
        # For news, which are waited for, the library names seconds; else a mark that stands for the usual ones.
        named = timeouts.get("read_timeout")
        seconds = named if isinstance(named, int | float) else self._endpoint.timeout
        headers = {"User-Agent": self._user_agent, "Accept-Encoding": "identity"}
        data = request_data.json_parameters if request_data else None
        timeout = httpx.Timeout(self._endpoint.timeout, read=seconds)
        try:
            sending = self._client.stream(method, url, data=data, headers=headers, timeout=timeout)
            async with sending as response:
                return response.status_code, await self._read_body(response)
        except httpx.TimeoutException as error:
            raise TimedOut from error
        except httpx.HTTPError as error:
            raise NetworkError(type(error).__name__) from error

    async def _read_body(self, response: httpx.Response) -> bytes:
        if response.headers.get("content-encoding", "identity").strip().lower() != "identity":
            raise NetworkError("its answer is packed, which was not asked for")
        body = bytearray()
        async for piece in response.aiter_raw():
            body += piece
            if len(body) > self._max_bytes:
                raise NetworkError(f"its answer has more than {self._max_bytes:,} bytes")
        return bytes(body)

"""Requests to one site: one at a time, some time apart, and again when it has too much to do."""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Mapping

from tools.settings import CrawlSettings
from tools.web.fetch import check_type
from utils.errors import NetworkError
from utils.network.addresses import Target, host_of
from utils.network.http import Client, Response
from utils.network.retries import RetryableFailure, read_retry_after, retry_request

BUSY_STATUSES = frozenset({429, 503})
"""By which a site says that it has too much to do."""

Sleep = Callable[[float], Awaitable[None]]


class SiteBusy(NetworkError):
    """A site has too much to do."""

    def __init__(self, response: Response) -> None:
        super().__init__(f"{host_of(response.url)} has too much to do (status {response.status}).")
        self.after = read_retry_after(response.headers)


class PoliteClient:
    """Asks a site for one thing after another; `requests` says how often it did."""

    def __init__(
        self, client: Client, settings: CrawlSettings, tell: Callable[[str], None], sleep: Sleep = asyncio.sleep
    ) -> None:
        self.client = client
        self.requests = 0
        self.delay = settings.delay
        """Seconds from one request to the next."""
        self._settings = settings
        self._tell = tell
        self._sleep = sleep
        self._last = -math.inf

    def slow_down(self, asked: float) -> None:
        """Leave as much time between requests as a site asks for, within reason."""
        if asked > self._settings.max_delay:
            self._tell(
                f"The site asks for {asked:,.0f} s between two requests; Magpie waits {self._settings.max_delay:g} s"
                " (crawl.max_delay)."
            )
        self.delay = max(self.delay, min(asked, self._settings.max_delay))

    async def get(
        self, address: str, headers: Mapping[str, str] | None = None, *, of_any_type: bool = False
    ) -> Response:
        """The answer to a request, once its turn has come; raises `NetworkError` and `DocumentError`."""

        async def send() -> Response:
            await self._wait_turn()
            response = await self.client.exchange(address, accept_all if of_any_type else check_type, headers)
            if response.status in BUSY_STATUSES:
                raise SiteBusy(response)
            return response

        return await retry_request(send, self._busy_for, self._tell, self._sleep)

    async def get_followed(self, address: str) -> Response:
        """The answer at an address, where its redirects lead, be that another site; raises `NetworkError`."""
        await self._wait_turn()
        return await self.client.get(address)

    def _busy_for(self, error: Exception) -> RetryableFailure | None:
        """What may be over soon, where the site does not ask for more time than there is."""
        if not isinstance(error, SiteBusy) or (error.after or 0.0) > self._settings.max_delay:
            return None
        return RetryableFailure(error.problem.rstrip("."), error.after)

    async def _wait_turn(self) -> None:
        wait = self._last + self.delay - time.monotonic()
        if wait > 0:
            await self._sleep(wait)
        self._last = time.monotonic()
        self.requests += 1


def accept_all(target: Target, content_type: str) -> None:
    """Take whatever type is sent."""

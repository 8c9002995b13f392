"""The model hub, and how its library may reach it; what is fetched there is no business of this module."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from utils.errors import Offline
from utils.network.access import NetworkAccess, record_connection

if TYPE_CHECKING:
    import httpx2

Made = TypeVar("Made")

ASKING_SECONDS = 10.0
DOMAINS = ("huggingface.co", "hf.co")
"""The hub and whatever serves its files."""


@dataclass(frozen=True)
class Hub:
    """The hub as this run may use it; `endpoint` is its address where it is not the usual one."""

    reach: NetworkAccess = field(default_factory=NetworkAccess)
    endpoint: str | None = None

    def govern_client(self) -> None:
        """Make the client of huggingface_hub, which a process has one of, connect as this says from now on.

        It reaches the hub's own hosts, by the proxy and with the certificates of the settings, and no proxy or password
        of the environment.
        """
        import httpx2
        import huggingface_hub

        def make_client() -> "httpx2.Client":
            return httpx2.Client(
                event_hooks={"request": [self._admit_request], "response": [log_connection]},
                follow_redirects=True,
                timeout=None,
                trust_env=False,
                proxy=self.reach.proxy.url if self.reach.proxy else None,
                verify=self.reach.tls_context,
            )

        huggingface_hub.set_client_factory(make_client)

    def load_model(self, name: str, load: Callable[[bool], Made]) -> Made:
        """The model `load` makes: of what was fetched before (called with True), and only then of the hub (False).

        Raises `OSError` where neither has it.
        """
        try:
            return load(True)
        except OSError:
            pass
        from httpx2 import HTTPError
        from huggingface_hub import HfApi

        try:
            self.reach.require_online(f"{name} is not on this disk")
            self.govern_client()
            # Asked first, for a download tries for a minute and more to reach a hub that does not answer.
            HfApi(token=False).model_info(name, timeout=ASKING_SECONDS)
            return load(False)
        except Offline as error:
            raise OSError(str(error)) from error
        except (HTTPError, OSError) as error:
            raise OSError(f"it is not on this disk, and not to be had from the hub: {error}") from error

    def _admit_request(self, request: "httpx2.Request") -> None:
        """Let requests to the hub through, and no others; raises `httpx2.ConnectError`."""
        import httpx2
        from huggingface_hub import constants

        own = urlsplit(self.endpoint or constants.ENDPOINT)
        official = request.url.scheme == "https" and within_domains(request.url.host, DOMAINS)
        there = (request.url.scheme, request.url.host, request.url.port) == (own.scheme, own.hostname, own.port)
        shut = self.reach.offline or constants.HF_HUB_OFFLINE
        if shut or not (there or (official and within_domains(own.hostname or "", DOMAINS))):
            raise httpx2.ConnectError(f"{request.url.host} is not the hub")


def within_domains(host: str, domains: tuple[str, ...]) -> bool:
    """Whether a host is one of the domains, or in one."""
    return any(host == domain or host.endswith(f".{domain}") for domain in domains)


def log_connection(response: "httpx2.Response") -> None:
    """Leave a connection to the hub in the log."""
    stream: Any = response.extensions.get("network_stream")
    address = stream.get_extra_info("server_addr") if stream else None
    record_connection("hub", response.request.url.host, *(address[:2] if address else ("", 0)))

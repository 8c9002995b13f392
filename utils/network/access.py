"""What of the network a run may use: one object that every client is given, and the record of what they connect to."""

import base64
import logging
import ssl
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote, urlsplit

from utils.errors import AddressRefused, ConfigError, FileMissing, FileUnreadable
from utils.files import expand_home, read_text
from utils.network.addresses import IPAddress, Target, bracket_host, parse_url
from utils.network.dns import resolve_host
from utils.network.offline import OfflineSwitch
from utils.network.settings import NetworkSettings
from utils.secrets import learn_secret

log = logging.getLogger("magpie.network")

Resolve = Callable[[str, int], Awaitable[list[IPAddress]]]


@dataclass(frozen=True)
class Proxy:
    """Where the proxy is, and what it is told by whoever uses it."""

    target: Target
    authorization: str = ""
    """Value of the header Proxy-Authorization; empty for none."""
    url: str = ""
    """As it was set, for clients that speak to it themselves."""


class NetworkAccess(OfflineSwitch):
    """The network as this run may use it. Every client follows at once where it is switched `offline`.

    `tell` is given the sentences that the user should see. Raises `ConfigError` for settings that cannot be.
    """

    def __init__(
        self,
        settings: NetworkSettings | None = None,
        *,
        offline: bool = False,
        user_agent: str = "Magpie",
        tell: Callable[[str], None] = lambda said: None,
        resolve: Resolve = resolve_host,
    ) -> None:
        settings = settings or NetworkSettings()
        super().__init__(offline)
        self.user_agent = user_agent
        self._tell = tell
        self._told: set[str] = set()
        self.resolve = resolve
        self.own_ports: set[int] = set()
        """Ports of Magpie's own servers and of those of models: no page is opened there, whatever is allowed."""
        self.own_servers: set[str] = set()
        """Servers that Magpie itself uses, as `host:port`, to which the same holds wherever they are."""
        self.proxy = read_proxy(settings.proxy)
        self.ca_file = expand_home(settings.ca_file) if settings.ca_file else None
        if self.ca_file:
            # What cannot be read is said at the start.
            self._read_ca_file(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), self.ca_file)

    @cached_property
    def tls_context(self) -> ssl.SSLContext:
        """The system's certificates and those of `network.ca_file`."""
        # Reading them takes a moment, and a chat without the web needs none.
        import truststore

        context: ssl.SSLContext = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        if self.ca_file:
            self._read_ca_file(context, self.ca_file)
        return context

    def _read_ca_file(self, context: ssl.SSLContext, path: Path) -> None:
        try:
            # Between the certificates there may be words in any encoding.
            context.load_verify_locations(cadata=read_text(path, encoding="ascii", errors="ignore"))
        except FileMissing as error:
            raise ConfigError(f"There is no file {path}.", "Name one of certificates: network.ca_file.") from error
        except FileUnreadable as error:
            raise ConfigError(error.problem, "Name one of certificates: network.ca_file.") from error
        except (ValueError, ssl.SSLError) as error:
            raise ConfigError(f"{path} holds no certificates that can be read.", "It must be PEM.") from error

    def tell_once(self, said: str) -> None:
        """Let the user know, once a run."""
        if said not in self._told:
            self._told.add(said)
            self._tell(said)


def read_proxy(url: str) -> Proxy | None:
    """The proxy of a setting, with the name and password that it may hold; raises `ConfigError`."""
    if not url:
        return None
    try:
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 3128)
        target = parse_url(f"{parts.scheme}://{bracket_host(parts.hostname or '')}:{port}/")
    except (ValueError, AddressRefused) as error:
        raise ConfigError("network.proxy is no address of a proxy.", "Write it as http://host:port.") from error
    if parts.username is None:
        return Proxy(target, "", url)
    secret = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    encoded = base64.b64encode(secret.encode()).decode()
    for form in (parts.password or "", unquote(parts.password or ""), encoded):
        learn_secret(form)
    return Proxy(target, f"Basic {encoded}", url)


def record_connection(caller: str, host: str, address: str, port: int, proxy: str = "") -> None:
    """Leave in the log that `caller` was connected to an address, by way of a proxy where one is named."""
    data = {"caller": caller, "host": host, "address": address, "port": port} | ({"proxy": proxy} if proxy else {})
    log.info("connect", extra={"data": data})

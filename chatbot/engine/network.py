"""What a configuration says of the network: what may be reached, and what opens pages."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from chatbot import SERVER_PORT, __version__
from chatbot.config import Config
from chatbot.models.backends import BACKENDS
from chatbot.models.remote.destination import complete_scheme
from rag.zim.shelf import ZimShelf
from tools.web.browser.renderer import PageRenderer, find_browser
from tools.web.fetch import Fetcher
from tools.web.page_cache import PageCache
from utils.errors import AddressRefused, ConfigError
from utils.network.access import NetworkAccess
from utils.network.addresses import bracket_host, public_web
from utils.network.http import Client, ExchangeLimits

USER_AGENT = f"Magpie/{__version__}"


def make_reach(config: Config, tell: Callable[[str], None] = lambda said: None) -> NetworkAccess:
    """What may be reached, for every client alike; `tell` shows the user a sentence. Raises `ConfigError`."""
    reach = NetworkAccess(config.network, offline=config.offline, user_agent=USER_AGENT, tell=tell)
    reach.own_ports |= {SERVER_PORT, config.serve.port}
    named = config.named_models.values()
    for backend in BACKENDS:
        reach.own_ports |= backend.ports
        for settings in (
            config.backends[backend.name],
            *(one.settings for one in named if one.backend == backend.name),
        ):
            # An address that cannot be read is said by whoever asks that server for something; others do without it.
            with suppress(ConfigError):
                _close_to_pages(reach, backend.server(settings))
    # The same holds for what this address can be.
    with suppress(ValueError):
        _close_to_pages(reach, complete_scheme(config.rag.embedding_base_url.strip()))
    return reach


def _close_to_pages(reach: NetworkAccess, url: str) -> None:
    """Have no page opened at the server of a base URL, if there is one."""
    server = urlsplit(url)
    if server.hostname:
        port = server.port or (443 if server.scheme == "https" else 80)
        reach.own_ports.add(port)
        reach.own_servers.add(f"{bracket_host(server.hostname)}:{port}")


def make_shelf(config: Config, reach: NetworkAccess) -> ZimShelf:
    """The archives of the settings; what is wrong with one is told the user once."""
    return ZimShelf(config.search.zim_files, reach.tell_once)


def make_fetcher(config: Config, data: Path, reach: NetworkAccess, shelf: ZimShelf | None = None) -> Fetcher:
    """What opens pages, for the tools and for `/rag-index`; with a shelf it opens articles as well."""
    kept = PageCache(data / "pages", 0 if config.private else config.fetch.cache_hours)
    client = make_page_client(config, reach, "page")
    return Fetcher(client, kept, config.fetch, shelf, make_renderer(config, reach, client))


def make_renderer(config: Config, reach: NetworkAccess, client: Client) -> PageRenderer | None:
    """What has the pages rendered that a client opens; None where that is not wanted, or cannot be."""
    if not config.fetch.browser or find_browser() is None:
        return None
    others = make_page_client(config, reach, "page's script", public=True)
    seconds, max_bytes = config.fetch.timeout, config.fetch.max_bytes
    return PageRenderer(client, others, user_agent=reach.user_agent, seconds=seconds, max_bytes=max_bytes)


def make_page_client(config: Config, reach: NetworkAccess, caller: str, *, public: bool = False) -> Client:
    """What asks web servers for pages; Magpie's own ports are closed to it whatever is allowed.

    One that is `public` asks those of the public web alone.
    """
    try:
        policy = public_web(() if public else config.fetch.allow_hosts, reach.own_ports, reach.own_servers)
    except AddressRefused as error:
        raise ConfigError(f"fetch.allow_hosts cannot be read: {error.problem}", "Write host:port.") from error
    return Client(policy, ExchangeLimits(config.fetch.timeout, config.fetch.max_bytes), reach, caller)

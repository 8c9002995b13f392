"""Which addresses belong to what is gone over: those of one site, below the address that it began with."""

from dataclasses import dataclass, replace
from urllib.parse import urljoin

from tools.web.crawling.canonical import canonical_target
from utils.errors import AddressRefused
from utils.network.addresses import DEFAULT_PORTS, Target, parse_url


@dataclass(frozen=True)
class SitePlace:
    """An address as the crawl knows it, and where it lies."""

    address: str
    on_site: bool
    below: bool
    """Whether it is on the site and below the start, and so may be asked for."""


@dataclass(frozen=True)
class Scope:
    """One site, or what is below one address of it."""

    start: Target
    """In its canonical form."""
    aliases: frozenset[tuple[str, str, int]] = frozenset()
    """Scheme, host and port of other names of the site, which are read as its own."""
    whole_site: bool = False

    @property
    def folder(self) -> str:
        """The path below which all is: that of the start, or the one that its file is in."""
        path = self.start.path.partition("?")[0]
        if self.whole_site:
            return "/"
        above, _, last = path.rpartition("/")
        return f"{above}/" if "." in last or not last else f"{path}/"

    def locate(self, url: str) -> SitePlace:
        """Where an address lies; raises `AddressRefused` for what is none."""
        target = canonical_target(self._own_name(parse_url(url)))
        if (target.scheme, target.host, target.port) != (self.start.scheme, self.start.host, self.start.port):
            return SitePlace(target.url, False, False)
        path = target.path.partition("?")[0]
        below = f"{path}/".startswith(self.folder) or target.path == self.start.path
        return SitePlace(target.url, True, below)

    def follow(self, address: str, location: str) -> SitePlace | None:
        """Where a link or a redirect of a page leads; None where that is no address."""
        try:
            return self.locate(urljoin(address, location))
        except (ValueError, AddressRefused):
            return None

    def renamed(self, found: Target) -> "Scope":
        """The same where the site turned out to be called otherwise: by https, or with `www.` before its name."""
        if not is_same_site(self.start, found):
            return self
        start = replace(self.start, scheme=found.scheme, host=found.host, port=found.port)
        aliases = {*self.aliases, *_names_of(self.start), *_names_of(start)}
        return replace(self, start=start, aliases=frozenset(aliases))

    def _own_name(self, target: Target) -> Target:
        if (target.scheme, target.host, target.port) in self.aliases:
            return replace(target, scheme=self.start.scheme, host=self.start.host, port=self.start.port)
        return target


def begin_scope(url: str, *, whole_site: bool = False) -> Scope:
    """What is gone over from an address; raises `AddressRefused` for what is none."""
    start = canonical_target(parse_url(url))
    return Scope(start, frozenset(_names_of(start)), whole_site)


def is_same_site(one: Target, other: Target) -> bool:
    """Whether two addresses are of one site, by its name with and without `www.`, at the ports of http and https."""
    if (one.host, one.port) == (other.host, other.port):
        return one.scheme == other.scheme
    by_default = all(target.port == DEFAULT_PORTS[target.scheme] for target in (one, other))
    return by_default and one.host.removeprefix("www.") == other.host.removeprefix("www.")


def _names_of(target: Target) -> set[tuple[str, str, int]]:
    """The names by which a site has the same pages: http and https at their own ports."""
    own = {(target.scheme, target.host, target.port)}
    if target.port != DEFAULT_PORTS[target.scheme]:
        return own
    return own | {(scheme, target.host, port) for scheme, port in DEFAULT_PORTS.items()}

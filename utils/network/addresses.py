"""Which web addresses may be opened: reads a URL strictly and knows the public from the private networks.

It opens nothing and asks no name server.
"""

import ipaddress
import re
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from urllib.parse import quote, urljoin, urlsplit

import idna

from utils.errors import AddressRefused

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

DEFAULT_PORTS = {"http": 80, "https": 443}

# Everything that the IANA registries of special-purpose addresses (RFC 6890 and its successors) do not give to the
# public internet, multicast and the 6to4 relays (RFC 7526) included.
_PRIVATE_V4 = tuple(
    map(
        ipaddress.IPv4Network,
        (
            "0.0.0.0/8",
            "10.0.0.0/8",
            "100.64.0.0/10",
            "127.0.0.0/8",
            "169.254.0.0/16",
            "172.16.0.0/12",
            "192.0.0.0/24",
            "192.0.2.0/24",
            "192.88.99.0/24",
            "192.168.0.0/16",
            "198.18.0.0/15",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "224.0.0.0/4",
            "240.0.0.0/4",
        ),
    )
)
# Only global unicast is public in IPv6: that leaves out loopback, link-local, unique local, multicast, NAT64 and every
# form that wraps an IPv4 address. Inside it: IETF protocols with Teredo, documentation (two), 6to4.
_GLOBAL_V6 = ipaddress.IPv6Network("2000::/3")
_PRIVATE_V6 = tuple(map(ipaddress.IPv6Network, ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")))

_URL = re.compile(r"(https?)://([^/?#]+)([^#]*)(?:#.*)?", re.IGNORECASE | re.DOTALL)
_AUTHORITY = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:\[\]@%]+)(?::([0-9]{0,5}))?")
_HOST_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
# A last label of this form makes browsers and C libraries read the whole host as a number (WHATWG URL, "ends in a
# number"): then only the plain dotted form is taken.
_NUMBER_LABEL = re.compile(r"[0-9]+|0x[0-9a-f]*")
# Control characters, backslashes and halves of surrogate pairs, which no UTF-8 takes.
_FORBIDDEN_IN_URL = re.compile(r"[\x00-\x1f\x7f-\x9f\\\ud800-\udfff]")
# Top-level names that never lead to the public internet (RFC 6761, 6762, 7686, 8375, 9476; ICANN 2024 on internal).
_LOCAL_NAMES = re.compile(r"(?:.*\.)?(?:localhost|local|onion|alt|internal|home\.arpa)")
MAX_URL = 8192
"""Characters of an address: RFC 9110 asks for at least 8,000."""


@dataclass(frozen=True)
class Target:
    """A URL in parts: `host` is lower-case ASCII without brackets, `path` holds the query too, percent-encoded."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def origin(self) -> str:
        """Host and port as `fetch.allow_hosts` writes them."""
        return f"{bracket_host(self.host)}:{self.port}"

    @property
    def authority(self) -> str:
        """The value of the Host header: the port only where it is not the scheme's own."""
        host, _, _ = self.origin.rpartition(":")
        return host if self.port == DEFAULT_PORTS[self.scheme] else self.origin

    @property
    def url(self) -> str:
        """The whole address."""
        return f"{self.scheme}://{self.authority}{self.path}"


@dataclass(frozen=True)
class Policy:
    """What one caller may open.

    `opened` are origins (`host:port`) that may have private addresses; with `only_opened` nothing else may be opened.
    `closed_ports` are never opened at a private address, nor on this machine, and `closed` origins never, whatever
    `opened` says.
    """

    opened: frozenset[str] = frozenset()
    only_opened: bool = False
    closed_ports: Collection[int] = ()
    closed: Collection[str] = ()

    def check_target(self, target: Target) -> None:
        """Refuse by what the URL says, an address in it included; raises `AddressRefused`."""
        if target.origin in self.closed:
            raise AddressRefused(f"{target.origin} is closed to web pages.")
        if target.origin not in self.opened:
            self._check_name(target)
        with suppress(ValueError):
            self.check_addresses(target, [ipaddress.ip_address(target.host)])

    def _check_name(self, target: Target) -> None:
        if self.only_opened:
            raise AddressRefused(f"{target.origin} is not the configured server.")
        named = "." in target.host and not _LOCAL_NAMES.fullmatch(target.host)
        if not named and ":" not in target.host:
            raise AddressRefused(f"{target.host} is not a name on the public internet.")

    def check_addresses(self, target: Target, addresses: Iterable[IPAddress]) -> None:
        """Refuse if any address that the host resolves to is not public; raises `AddressRefused`."""
        private = [address for address in addresses if not is_public(address)]
        if not private:
            return
        self.check_port(target)
        if target.origin not in self.opened:
            raise AddressRefused(f"{target.host} is a private address ({private[0]}), not the public internet.")

    def check_port(self, target: Target) -> None:
        """Refuse a closed port where the host is known to be no other on the internet; raises `AddressRefused`."""
        if target.port in self.closed_ports:
            raise AddressRefused(f"Port {target.port} of {target.host} is closed to web pages.")


def public_web(
    allow_hosts: Iterable[str] = (), closed_ports: Collection[int] = (), closed: Collection[str] = ()
) -> Policy:
    """The policy for addresses that a model, a page or a search result names.

    `allow_hosts` are `host:port`; raises `AddressRefused` where one cannot be read.
    """
    opened = frozenset(parse_url(f"http://{host}/").origin for host in allow_hosts)
    return Policy(opened, False, closed_ports, closed)


def endpoint_policy(url: str) -> Policy:
    """The policy for a server that the user configured: that host and port, private or not, and nothing else.

    From port 80 it may lead to TLS on the same host.
    """
    target = parse_url(url)
    plain = target.port == DEFAULT_PORTS["http"]
    return Policy(frozenset({target.origin} | ({replace(target, port=443).origin} if plain else set())), True)


def is_public(address: IPAddress) -> bool:
    """Whether an address belongs to the public internet."""
    if isinstance(address, ipaddress.IPv4Address):
        return not any(address in network for network in _PRIVATE_V4)
    # ISATAP (RFC 5214): an interface identifier 0:5efe or 200:5efe wraps an IPv4 address under any prefix.
    isatap = (int(address) >> 32) & 0xFDFFFFFF == 0x00005EFE
    return address in _GLOBAL_V6 and not isatap and not any(address in network for network in _PRIVATE_V6)


def parse_url(url: str) -> Target:
    """Read a web address strictly: what two parsers could read differently is refused; raises `AddressRefused`."""
    url = url.strip()
    if len(url) > MAX_URL:
        raise AddressRefused(f"The address is longer than {MAX_URL} characters.")
    match = None if _FORBIDDEN_IN_URL.search(url) else _URL.fullmatch(url)
    if not match:
        raise AddressRefused("Only a plain web address (http://... or https://...) can be opened.")
    scheme, authority, path = match[1].lower(), match[2], match[3]
    parts = _AUTHORITY.fullmatch(authority)
    if not parts:
        raise AddressRefused("A web address may not hold a user name, and its host must be written plainly.")
    port = int(parts[2]) if parts[2] else DEFAULT_PORTS[scheme]
    if not 0 < port < 65536:
        raise AddressRefused(f"There is no port {port}.")
    path = path if path.startswith("/") else "/" + path
    return Target(scheme, _read_host(parts[1]), port, quote(path, safe="%/?:@!$&'()*+,;=-._~[]|"))


def follow_redirect(target: Target, location: str) -> Target:
    """Where a redirect from an address leads; raises `AddressRefused`."""
    try:
        return parse_url(urljoin(target.url, location))
    except ValueError as error:
        raise AddressRefused(f"{target.host} redirects to what is no web address.") from error


def bracket_host(host: str) -> str:
    """A host as it stands in a URL."""
    return f"[{host}]" if ":" in host else host


def is_this_machine(host: str) -> bool:
    """Whether a host, without brackets, is this machine by its name or its address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def host_of(url: str) -> str:
    """The host of an address for showing it; empty where there is none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _read_host(host: str) -> str:
    if host.startswith("["):
        try:
            return ipaddress.IPv6Address(host[1:-1]).compressed
        except ValueError:
            raise AddressRefused(f"{host} is not an IPv6 address.") from None
    host = _to_ascii(host).removesuffix(".")
    labels = host.split(".")
    if len(host) > 253 or not all(_HOST_LABEL.fullmatch(label) for label in labels):
        raise AddressRefused("That is not the name of a host.")
    if _NUMBER_LABEL.fullmatch(labels[-1]):
        try:
            return str(ipaddress.IPv4Address(host))
        except ValueError:
            raise AddressRefused(f"{host} is a number in an odd form, not the name of a host.") from None
    return host


def _to_ascii(host: str) -> str:
    """A host in the form that name servers know (IDNA 2008, nothing mapped but case: look-alike digits are refused)."""
    # Letter by letter: Python ends a word on another small sigma than the web does.
    host = "".join(map(str.lower, host))
    try:
        encoded = host if host.isascii() else idna.encode(host).decode("ascii")
        read = [idna.ulabel(label) for label in encoded.split(".") if label.startswith("xn--")]
    except UnicodeError:
        raise AddressRefused("The name of the host holds characters that no host name has.") from None
    if any(map(str.isnumeric, read)):
        # To the web digits of another script are letters; other programs read a number in them.
        raise AddressRefused(f"{host} is a number in an odd form, not the name of a host.")
    return encoded

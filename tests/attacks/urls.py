"""Hostile addresses: made by rules from private addresses, and by chance; and a second reader to compare ours with.

stood, tried = compare_readings(20_000)     # what `make attack` counts; raises on a crash or a wrong reading
"""

import ipaddress
import socket
import time
from contextlib import suppress

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from pydantic_core import Url

from utils.errors import AddressRefused
from utils.network.addresses import IPAddress, Target, is_public, parse_url, public_web

PRIVATE_V4 = ("127.0.0.1", "10.0.0.1", "169.254.169.254", "192.168.1.1", "172.16.0.1", "100.64.0.1", "0.0.0.0")
NUMERALS = ("０１２３４５６７８９", "⓪①②③④⑤⑥⑦⑧⑨", "𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗", "٠١٢٣٤٥٦٧٨٩", "०१२३४५६७८९")
DOTS = ("。", "．", "｡", "%2e", "․", "..")
INVISIBLE = (
    "\u00ad",
    "\u200b",
    "\u200d",
    "\u2060",
    "\ufeff",
    "\u180e",
    "\u202e",
    "\U000e0061",
    "%00",
    "%20",
    "\t",
    "\n",
)
SCHEMES = ("http", "https", "HTTP", "hTTps", "ftp", "file", "gopher", "ws", "javascript", "")
SLASHES = ("://", ":/", ":", "//", ":\\\\", ":/\\", ":///")
TAILS = ("", "/", "/a?b=c", "?@example.com/", "#@example.com", "/%2e%2e/", "\\@example.com", "/\ud800", "/ü ü", ";x")
BEFORE = ("", "", "", "user@", "user:word@", "example.com@", "example.com%00@", "@", ":@", "example.com:80@", "[::1]@")
PORTS = ("", "", ":80", ":00080", ":", ":0", ":65536", ":99999", ":22", ":80:80", ":８０", ":-1", ":0x50")
STRANGE = ("@", ":", "/", "\\", "#", "?", "%", "[", "]", "0x", "xn--", "xn--a", "ß", "İ", "ς", "K", "ﬁ", "ǆ", " ")
LETTERS = (
    "a",
    "b9",
    "-",
    "_",
    ".",
    "1",
    "255",
    "0x7f",
    "09",
    "A",
    "ü",
    "日本",
    "Σ",
    "example",
    "127.0.0.1",
    "é",
    "e\u0301",
)
GOOD_HOSTS = ("example.org", "bücher.example", "8.8.8.8", "www.", ".com", "xn--bcher-kva.de", "[2606:4700:4700::1111]")


def notations_v4(address: str) -> list[str]:
    """The ways in which a program or another can be made to read an IPv4 address."""
    value = int(ipaddress.IPv4Address(address))
    a, b, c, d = address.split(".")
    octets = [int(part) for part in (a, b, c, d)]
    forms = [address, f"{address}.", str(value), hex(value), f"0X{value:X}", f"0{value:o}", f"{value + 2**32}"]
    forms += [".".join(map(hex, octets)), ".".join(f"0{octet:o}" for octet in octets)]
    forms += [".".join(f"{octet:04o}" for octet in octets), ".".join(f"{octet:03d}" for octet in octets)]
    forms += [f"{hex(octets[0])}.{b}.{c}.{d}", f"{a}.{b}.{octets[2] * 256 + octets[3]}", f"{a}.{value & 0xFFFFFF}"]
    forms += [".".join(str(octet + 256) for octet in octets), "".join(f"%{ord(sign):x}" for sign in address)]
    forms += [address.replace(".", dot) for dot in DOTS]
    forms += ["".join(digits[int(sign)] if sign.isdigit() else sign for sign in address) for digits in NUMERALS]
    return [*forms, *(f"[{inner}]" for inner in notations_v6(address))]


def notations_v6(address: str) -> list[str]:
    """The IPv6 forms that wrap an IPv4 address."""
    value = int(ipaddress.IPv4Address(address))
    pair = f"{value >> 16:x}:{value & 0xFFFF:x}"
    flipped = value ^ 0xFFFFFFFF
    forms = [f"::ffff:{address}", f"::ffff:{pair}", f"0:0:0:0:0:ffff:{pair}", f"::{address}", f"::ffff:0:{address}"]
    forms += [f"64:ff9b::{pair}", f"64:ff9b::{address}", f"64:ff9b:1::{pair}", f"2002:{pair}::1"]
    forms += [f"2001:0:4136:e378:8000:63bf:{flipped >> 16:x}:{flipped & 0xFFFF:x}"]
    forms += [f"2606:4700::5efe:{address}", f"2606:4700::200:5efe:{address}", f"fe80::5efe:{address}", address]
    return [*forms, f"::ffff:{address}%25lo", f"::ffff:{address}%lo"]


@st.composite
def private_urls(draw: st.DrawFn) -> str:
    """An address of a private network, in whatever notation, with what may lead a parser astray."""
    host = draw(st.sampled_from(notations_v4(draw(st.sampled_from(PRIVATE_V4)))))
    if draw(st.integers(0, 4)) == 0:
        place = draw(st.integers(0, len(host)))
        host = host[:place] + draw(st.sampled_from(INVISIBLE)) + host[place:]
    scheme = draw(st.sampled_from(SCHEMES)) + draw(st.sampled_from(SLASHES[:1] * 6 + SLASHES))
    before = draw(st.sampled_from(BEFORE))
    return f"{scheme}{before}{host}{draw(st.sampled_from(PORTS))}{draw(st.sampled_from(TAILS))}"


@st.composite
def any_urls(draw: st.DrawFn) -> str:
    """Something like an address: half of it plain, the rest made of pieces that parsers differ on."""
    pieces = st.sampled_from([*GOOD_HOSTS * 4, *LETTERS, *INVISIBLE, *DOTS, *STRANGE])
    host = draw(st.lists(pieces, min_size=1, max_size=3).map("".join))
    odd = draw(st.integers(0, 3))
    scheme = draw(st.sampled_from(SCHEMES)) + draw(st.sampled_from(SLASHES)) if odd == 1 else "http://"
    before = draw(st.sampled_from(BEFORE)) if odd == 2 else ""
    port = draw(st.sampled_from(PORTS)) if odd == 3 else draw(st.sampled_from(PORTS[:3]))
    return f"{scheme}{before}{host}{port}/{draw(st.text(max_size=8))}{draw(st.sampled_from(TAILS))}"


def read(url: str) -> Target | None:
    """How Magpie reads an address under its policy for pages; None where it refuses."""
    try:
        target = parse_url(url)
        public_web().check_target(target)
        with suppress(ValueError):
            public_web().check_addresses(target, [ipaddress.ip_address(target.host)])
    except AddressRefused:
        return None
    return target


def differences(url: str, target: Target) -> list[str]:
    """In what other readers do not agree with ours: `url` by the WHATWG's rules, C's numbers, Python's addresses."""
    found = []
    try:
        other = Url(url)
    except ValidationError:
        return ["the WHATWG parser refuses it"]
    host = (other.host or "").strip("[]").removesuffix(".")
    if literal(host) or host:
        same = literal(host) == literal(target.host) if literal(host) else host == target.host
        found += [] if same else [f"host {host}"]
    found += [] if other.port == target.port else [f"port {other.port}"]
    found += ["a user name"] if other.username or other.password else []
    with suppress(OSError):
        # What C's library takes for a number must be the plain dotted form of a public address.
        found += [] if socket.inet_ntoa(socket.inet_aton(target.host)) == target.host else ["a number for C"]
    address = literal(target.host)
    found += ["a private address"] if address and not is_public(address) else []
    return found


def literal(host: str) -> IPAddress | None:
    """The address that a host is, if it is one."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def compare_readings(count: int) -> tuple[int, float]:
    """Read `count` addresses; how many were let through, and the slowest in seconds. Raises for a wrong reading."""
    passed, slowest = 0, 0.0
    unbounded = settings(
        max_examples=count // 2,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )

    def timed(url: str) -> Target | None:
        nonlocal slowest
        start = time.perf_counter()
        target = read(url)
        slowest = max(slowest, time.perf_counter() - start)
        return target

    @unbounded
    @given(private_urls())
    def refuse_private(url: str) -> None:
        assert timed(url) is None, url

    @unbounded
    @given(any_urls())
    def read_alike(url: str) -> None:
        nonlocal passed
        target = timed(url)
        if target is not None:
            passed += 1
            assert differences(url, target) == [], (url, target)
            assert read(target.url) == target, url

    refuse_private()
    read_alike()
    return passed, slowest

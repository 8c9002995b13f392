import ipaddress
import json
import os

import pytest

from tests.attacks.urls import compare_readings
from tests.conftest import Tally
from tests.fakes.places import SHARED
from utils.errors import AddressRefused
from utils.network.addresses import Policy, Target, endpoint_policy, follow_redirect, is_public, parse_url, public_web

ATTACKS = SHARED / "attacks/ssrf/urls.jsonl"


def verdict(url: str, policy: Policy) -> str:
    """What the policy says of a URL; a host that is no address is taken as it is."""
    try:
        target = parse_url(url)
        policy.check_target(target)
        try:
            policy.check_addresses(target, [ipaddress.ip_address(target.host)])
        except ValueError:
            return f"resolve {target.host}"
    except AddressRefused:
        return "block"
    return "allow"


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("https://Example.org", Target("https", "example.org", 443, "/")),
        ("HTTP://example.org:8080/a/b?q=1#part", Target("http", "example.org", 8080, "/a/b?q=1")),
        ("https://bücher.example/straße 1", Target("https", "xn--bcher-kva.example", 443, "/stra%C3%9Fe%201")),
        ("https://example.org./%2F?x=a%20b", Target("https", "example.org", 443, "/%2F?x=a%20b")),
        ("http://[2001:4860:4860:0::8888]/", Target("http", "2001:4860:4860::8888", 80, "/")),
        ("http://example.org?q", Target("http", "example.org", 80, "/?q")),
        # A capital sigma at the end of a word is the plain small one, as browsers have it.
        ("http://ΟΔΟΣ.example/", Target("http", "xn--pxavbq.example", 80, "/")),
    ],
)
def test_a_web_address_is_read(url: str, target: Target) -> None:
    assert parse_url(url) == target


def test_a_target_knows_its_names() -> None:
    target = parse_url("http://[2001:4860:4860::8888]:80/x")
    assert (target.origin, target.authority, target.url) == (
        "[2001:4860:4860::8888]:80",
        "[2001:4860:4860::8888]",
        "http://[2001:4860:4860::8888]/x",
    )


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://example.org/",
        "//example.org/",
        "http:///x",
        "http://user@example.org/",
        "http://user:word@example.org/",
        "http://example.org:0/",
        "http://example.org:65536/",
        "http://example.org:8o/",
        "http://exa mple.org/",
        "http://example.org\\@127.0.0.1/",
        "http://example.org\n/",
        "http://-example.org/",
        "http://a..b/",
        "http://[::1/",
        "http://[fe80::1%25eth0]/",
        "http://0x7f.1/",
        "http://017700000001/",
        "http://127.0.0.01/",
        "http://2130706433/",
        "http://١٢٧.0.0.1/",
        "http://१००.६४.०.१/",
        "http://१२७。०。०。१。/",
        "http://xn--e4bcp/",
        "http://exam\u200bple.org/",
        "http://exam\u00adple.org/",
        "http://example.org\u202e/",
        "http://\U000e0061example.org/",
        "http://%65xample.org/",
        "http://xn--a/",
        "http://xn--a.example.org/",
        "http://example.org/\ud800",
        "http://example.org/" + "a" * 8192,
        "",
    ],
)
def test_what_is_no_plain_web_address_is_refused(url: str) -> None:
    with pytest.raises(AddressRefused):
        parse_url(url)


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.216.34", True),
        ("100.63.255.255", True),
        ("100.64.0.1", False),
        ("169.254.169.254", False),
        ("192.88.99.1", False),
        ("255.255.255.255", False),
        ("2606:4700:4700::1111", True),
        ("::1", False),
        ("::ffff:8.8.8.8", False),
        ("64:ff9b::808:808", False),
        ("2001:0:4136:e378:8000:63bf:3fff:fdd2", False),
        ("2002:808:808::1", False),
        ("2606:4700::5efe:10.0.0.1", False),
        ("2606:4700::200:5efe:10.0.0.1", False),
        ("fe80::1", False),
        ("fd00::1", False),
        ("ff02::1", False),
    ],
)
def test_public_addresses_are_known(address: str, public: bool) -> None:
    assert is_public(ipaddress.ip_address(address)) is public


def test_one_private_address_among_several_is_enough_to_refuse() -> None:
    addresses = [ipaddress.ip_address("93.184.216.34"), ipaddress.ip_address("10.0.0.1")]
    with pytest.raises(AddressRefused, match=r"10\.0\.0\.1"):
        public_web().check_addresses(parse_url("http://example.org/"), addresses)


def test_allow_hosts_opens_exactly_that_host_and_port() -> None:
    policy = public_web(["127.0.0.1:8080", "NAS:80", "[0::1]:81"], closed_ports=[11434])
    assert [
        verdict(url, policy)
        for url in (
            "http://127.0.0.1:8080/x",
            "http://127.0.0.1:8081/",
            "http://127.0.0.2:8080/",
            "http://[::1]:81/",
            "http://nas/",
            "http://nas:81/",
            "http://other/",
        )
    ] == ["allow", "block", "block", "allow", "resolve nas", "block", "block"]


def test_a_closed_port_stays_closed_at_a_private_address_that_is_allowed() -> None:
    assert verdict("http://127.0.0.1:11434/", public_web(["127.0.0.1:11434"], closed_ports=[11434])) == "block"


def test_a_configured_endpoint_opens_itself_and_nothing_else() -> None:
    policy = endpoint_policy("http://192.168.1.5:8888/searx")
    assert [verdict(url, policy) for url in ("http://192.168.1.5:8888/", "http://192.168.1.5/", "http://8.8.8.8/")] == [
        "allow",
        "block",
        "block",
    ]


@pytest.mark.skipif(not ATTACKS.exists(), reason="the collection of hostile URLs is not on this machine")
def test_every_hostile_url_is_blocked_and_every_good_one_allowed(tally: Tally) -> None:
    cases = [json.loads(line) for line in ATTACKS.read_text(encoding="utf-8").splitlines()]
    wrong = [case for case in cases if verdict(case["url"], public_web()) != case["expect"]]
    tally("hostile addresses, and good ones among them", len(cases), wrong)


def test_names_that_never_lead_to_the_public_internet_are_not_even_looked_up() -> None:
    hosts = ("printer.local", "a.localhost", "wiki.corp.internal", "fritz.home.arpa", "x.onion", "localhost.")
    assert [verdict(f"http://{host}/", public_web()) for host in hosts] == ["block"] * len(hosts)
    assert verdict("http://printer.local/", public_web(["printer.local:80"])) == "resolve printer.local"


@pytest.mark.parametrize(
    ("location", "leads"),
    [
        ("/b?c", "http://example.org/b?c"),
        ("//other.example/x", "http://other.example/x"),
        ("https://example.org/ü", "https://example.org/%C3%BC"),
        ("http://[::1", "refused"),
        ("http://user@example.org/", "refused"),
        ("javascript:alert(1)", "refused"),
        ("\\\\127.0.0.1/", "refused"),
        ("http://\ud800/", "refused"),
    ],
)
def test_a_redirect_leads_to_a_plain_web_address_or_nowhere(location: str, leads: str) -> None:
    try:
        where = follow_redirect(parse_url("http://example.org/a"), location).url
    except AddressRefused:
        where = "refused"
    assert where == leads


def test_an_endpoint_may_lead_to_tls_on_its_own_host() -> None:
    policy = endpoint_policy("http://searx.corp/")
    urls = ("https://searx.corp/", "http://searx.corp:8080/", "https://other.corp/")
    assert [verdict(url, policy) for url in urls] == ["resolve searx.corp", "block", "block"]


def test_generated_addresses_are_read_as_other_readers_do_and_private_ones_never_pass(tally: Tally) -> None:
    count = 20_000 if os.environ.get("ATTACK") else 1_000
    passed, slowest = compare_readings(count)
    assert passed > 0
    tally("generated addresses", count, [slowest] if slowest > 5 else [])

"""Web addresses as a person can judge them: where they really lead, without what hides it."""

import re
from urllib.parse import quote, urlsplit

from utils.text import clean, one_line

# Every printable ASCII character but the backslash, which browsers take for a slash; anything else is percent-encoded,
# as terminals ask of a link's address.
_SAFE_URL_CHARS = "".join(map(chr, range(0x21, 0x7F))).replace("\\", "")
_URL_PARTS = re.compile(r"(https?)://([^/?#\\]*)(.*)", re.IGNORECASE | re.DOTALL)


def web_address(source: str) -> str:
    """The address as a link's target, empty where it is not one of the web.

    All ASCII, the host in the form that name servers know, so that look-alike letters and zero-width characters are
    seen; without a user name, which could pass for a host.
    """
    parts = _URL_PARTS.fullmatch(clean(source).replace("\n", "").replace("\t", "").strip())
    if parts is None:
        return ""
    host, colon, port = parts[2].rpartition("@")[2].partition(":")
    path = f"/{parts[3]}" if parts[3].startswith("\\") else parts[3]
    address = quote(f"{parts[1].lower()}://{_ascii_host(host)}{colon}{port}{path}", safe=_SAFE_URL_CHARS)
    try:
        return address if urlsplit(address).hostname else ""
    except ValueError:
        return ""


def shown_source(source: str, limit: int = 500) -> str:
    """A web address as above, or the path of a file, on one line."""
    return one_line(web_address(source) or source, limit)


def _ascii_host(host: str) -> str:
    if host.isascii():
        return host.lower()
    import idna

    try:
        return idna.encode(host.lower(), uts46=True).decode("ascii")
    except idna.IDNAError:
        return host

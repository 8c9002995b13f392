"""One address for each page: without what tracks visitors, counts their sessions, or can be written in several ways."""

import re
from dataclasses import replace

from utils.network.addresses import Target

_TRACKING_PREFIXES = ("utm_", "hsa_", "mtm_", "oly_", "pk_", "vero_", "aspsessionid")
_NO_CONTENT = frozenset(
    {
        *("_ga", "_gl", "dclid", "fbclid", "gbraid", "gclid", "gclsrc", "igshid", "mc_cid", "mc_eid", "msclkid"),
        *("srsltid", "twclid", "wbraid", "yclid", "ysclid"),
        *("cfid", "cftoken", "jsessionid", "oscsid", "phpsessid", "session_id", "sessionid", "zenid"),
    }
)
"""Names behind a question mark that say who comes from where, and nothing of what is shown."""
_MAYBE_SESSION = frozenset({"s", "session", "sid", "token"})
"""Names that stand for a visit where their value is one that nobody would write."""
_OPAQUE_LENGTH = 16
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_PATH_SESSION = re.compile(r";jsessionid=[^/?;]{0,200}", re.IGNORECASE)
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


def canonical_target(target: Target) -> Target:
    """The address under which a page is known, whatever a link to it looks like."""
    path, _, query = _ESCAPE.sub(_plain_escape, target.path).partition("?")
    path = _resolve_dots(_PATH_SESSION.sub("", path))
    kept = sorted((part for part in query.split("&") if part and not _tracks(part)), key=_name_of)
    return replace(target, path=f"{path}?{'&'.join(kept)}" if kept else path)


def _name_of(part: str) -> str:
    return part.partition("=")[0]


def _tracks(part: str) -> bool:
    """Whether a part of a query says nothing of the page."""
    name, _, value = part.partition("=")
    name = name.lower()
    opaque = len(value) >= _OPAQUE_LENGTH and value.isalnum() and not value.isalpha()
    return name in _NO_CONTENT or name.startswith(_TRACKING_PREFIXES) or (name in _MAYBE_SESSION and opaque)


def _plain_escape(match: "re.Match[str]") -> str:
    character = chr(int(match[1], 16))
    return character if character in _UNRESERVED else match[0].upper()


def _resolve_dots(path: str) -> str:
    """A path without `.` and `..`: a server that resolves them shows something that is elsewhere."""
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            kept = kept[:-1]
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)

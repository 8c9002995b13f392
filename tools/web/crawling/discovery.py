"""What a site says of itself before its pages are asked for: its robots.txt, and its maps."""

import logging
from http import HTTPStatus
from urllib.parse import urljoin

from rag.readers import read_sitemap
from tools.web.crawling.polite import BUSY_STATUSES, PoliteClient
from tools.web.crawling.robots import RobotsRules
from tools.web.crawling.scope import Scope
from utils.errors import AddressRefused, DocumentError, NetworkError, Offline, Unreachable
from utils.network.addresses import parse_url

log = logging.getLogger(__name__)

MAX_MAPS = 50
"""Maps of a site that are read; each has up to 50,000 addresses."""
MAX_MAPPED_ADDRESSES = 50_000
"""Addresses that are taken of all maps together."""
MAP_OF_SITE = "/sitemap.xml"
"""Where a map is looked for of which robots.txt says nothing."""


async def read_rules(client: PoliteClient, scope: Scope) -> tuple[RobotsRules, Scope]:
    """The rules of a site, and the scope with the name by which the site answers.

    Raises `NetworkError`: a site whose rules cannot be had is left alone, as RFC 9309 wants it.
    """
    try:
        response = await client.get_followed(urljoin(scope.start.url, "/robots.txt"))
    except (AddressRefused, Offline, Unreachable):
        raise
    except NetworkError as error:
        raise _rules_missing(scope, error.problem) from error
    if response.status >= HTTPStatus.INTERNAL_SERVER_ERROR or response.status in BUSY_STATUSES:
        raise _rules_missing(scope, f"{scope.start.host} answers {response.status}.")
    text = response.body.decode("utf-8", "replace") if response.status == HTTPStatus.OK else ""
    rules = RobotsRules(text)
    client.slow_down(rules.delay)
    return rules, scope.renamed(parse_url(response.url))


def _rules_missing(scope: Scope, problem: str) -> NetworkError:
    return NetworkError(
        f"The robots.txt of {scope.start.host} cannot be read, so nothing else of it is asked for: {problem}",
        "Try again later.",
    )


async def read_maps(client: PoliteClient, scope: Scope, rules: RobotsRules) -> list[str]:
    """The addresses in the maps of a site; a map that cannot be read is passed over, which the log tells.

    Raises `Offline`.
    """
    waiting = rules.sitemaps or [MAP_OF_SITE]
    seen: set[str] = set()
    found: dict[str, None] = {}
    while waiting and len(seen) < MAX_MAPS and len(found) < MAX_MAPPED_ADDRESSES:
        place = scope.follow(scope.start.url, waiting.pop(0))
        if place is None or not place.on_site or place.address in seen or not rules.allows(place.address):
            continue
        seen.add(place.address)
        try:
            response = await client.get(place.address, of_any_type=True)
            if response.redirect:
                waiting.append(urljoin(place.address, response.redirect))
                continue
            if response.status != HTTPStatus.OK:
                log.info("no map of the site: %s answers %d", place.address, response.status)
                continue
            read = await read_sitemap(response.body, place.address)
        except Offline:
            raise
        except (NetworkError, DocumentError) as error:
            log.warning("A map of a site cannot be read: %s", error)
            continue
        found |= dict.fromkeys(read.pages)
        waiting += read.maps
    return list(found)[:MAX_MAPPED_ADDRESSES]

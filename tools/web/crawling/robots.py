"""What a site asks of programs: its robots.txt, and what its pages and answers say."""

from collections.abc import Iterable
from dataclasses import dataclass

from protego import Protego

ROBOT_NAME = "magpie"
"""By what name robots.txt and pages speak to us."""
MAX_ROBOTS_CHARS = 512_000
"""Of a robots.txt so much is read, as RFC 9309 has it."""
_DIRECTIVES = frozenset({"all", "index", "follow", "noindex", "nofollow", "none"})


class RobotsRules:
    """The rules of a robots.txt; an empty one allows everything."""

    def __init__(self, text: str = "") -> None:
        self._rules = Protego.parse(text[:MAX_ROBOTS_CHARS])

    def allows(self, address: str) -> bool:
        """Whether the site wants the address to be asked for."""
        return self._rules.can_fetch(address, ROBOT_NAME)

    @property
    def delay(self) -> float:
        """Seconds between two requests that it asks for; 0 where it says nothing."""
        rate = self._rules.request_rate(ROBOT_NAME)
        return max(self._rules.crawl_delay(ROBOT_NAME) or 0.0, rate.seconds / rate.requests if rate else 0.0)

    @property
    def sitemaps(self) -> list[str]:
        """The addresses of the maps that it names, each once."""
        return list(dict.fromkeys(self._rules.sitemaps))


@dataclass(frozen=True)
class PageWishes:
    """What a page asks of programs."""

    index: bool = True
    follow: bool = True


def read_wishes(meta: str, header: str) -> PageWishes:
    """What is asked in a page's `meta` elements and in the lines of its header X-Robots-Tag."""
    asked = {*_words(meta.split(","))}
    for line in header.splitlines():
        asked |= _addressed_to_us(line)
    return PageWishes(index=not asked & {"noindex", "none"}, follow=not asked & {"nofollow", "none"})


def _words(parts: Iterable[str]) -> Iterable[str]:
    return (part.strip().lower() for part in parts)


def _addressed_to_us(line: str) -> set[str]:
    """The directives of a line that are for every program or for us: `googlebot: noindex` is for another one."""
    found: set[str] = set()
    ours = True
    for part in _words(line.split(",")):
        name, colon, value = part.partition(":")
        if colon and name.strip() not in _DIRECTIVES and value.strip() in _DIRECTIVES:
            ours = name.strip() == ROBOT_NAME
            part = value.strip()
        if ours:
            found.add(part)
    return found

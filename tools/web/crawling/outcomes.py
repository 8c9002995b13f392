"""What became of an address of a site, and in which words that is told."""

from enum import StrEnum


class PageOutcome(StrEnum):
    """What became of an address in one run."""

    WAITING = ""
    """It is to be asked for."""
    TAKEN = "taken"
    UNLINKED = "unlinked"
    """It is still there, though no page of the site leads to it any more."""
    GONE = "gone"
    FAILED = "failed"
    DUPLICATE = "duplicate"
    RENAMED = "renamed"
    MOVED = "moved"
    OFF_SITE = "off site"
    NOINDEX = "noindex"
    KIND = "kind"
    EMPTY = "empty"
    ROBOTS = "robots"
    TRAP = "trap"
    OUTSIDE = "outside"
    ELSEWHERE = "elsewhere"


UNVISITED_OUTCOMES = (
    PageOutcome.WAITING,
    PageOutcome.ROBOTS,
    PageOutcome.TRAP,
    PageOutcome.OUTSIDE,
    PageOutcome.ELSEWHERE,
    PageOutcome.KIND,
)
"""Those of addresses that were not asked for, or of which nothing was read."""
WITHDRAWN_OUTCOMES = (PageOutcome.GONE, PageOutcome.NOINDEX, PageOutcome.ROBOTS, PageOutcome.OFF_SITE)
"""Those by which a site has taken back a page that it had."""
REPLACED_OUTCOMES = (PageOutcome.DUPLICATE, PageOutcome.RENAMED, PageOutcome.MOVED)
"""Those of addresses whose page is known by another one."""
PAGELESS_OUTCOMES = (
    PageOutcome.GONE,
    PageOutcome.FAILED,
    PageOutcome.MOVED,
    PageOutcome.OFF_SITE,
    PageOutcome.KIND,
    PageOutcome.EMPTY,
)
"""Those of addresses at which there is no page of their own."""

LEFT_OUT_WORDS = {
    PageOutcome.OUTSIDE: "not below the start",
    PageOutcome.ELSEWHERE: "on other sites",
    PageOutcome.OFF_SITE: "redirected elsewhere",
    PageOutcome.ROBOTS: "closed by robots.txt",
    PageOutcome.NOINDEX: "noindex",
    PageOutcome.DUPLICATE: "with the text of another page",
    PageOutcome.RENAMED: "other addresses of a page",
    PageOutcome.MOVED: "redirected to another page",
    PageOutcome.TRAP: "like too many others",
    PageOutcome.KIND: "of other types",
    PageOutcome.EMPTY: "without text that can be read",
    PageOutcome.GONE: "not there",
}
"""Why addresses were left out, in the order in which it is told."""

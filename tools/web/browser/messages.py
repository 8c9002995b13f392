"""What Magpie and the process beside the browser tell each other: a line of JSON each, bytes in it as base64."""

from collections.abc import Mapping
from dataclasses import dataclass, field

FEW_CHARACTERS = 300
"""Text that a page has less of without its scripts: hardly more than that it needs them."""


@dataclass(frozen=True)
class PageOrder:
    """A page that is to be rendered, as it came from its server."""

    url: str
    headers: Mapping[str, str]
    body: bytes
    program: str
    """The browser's; empty for the one that playwright brought."""
    user_agent: str
    seconds: float
    """How long its scripts may go on asking for more."""
    max_characters: int
    folder: str
    """Where the browser may keep what it must while it runs."""


@dataclass(frozen=True)
class PageRequest:
    """Something that the page asks for."""

    number: int
    url: str


@dataclass(frozen=True)
class RequestAnswer:
    """What it gets; `status` 0: nothing."""

    number: int
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True)
class RenderedPage:
    """The page as its scripts left it, or why there is none."""

    html: str = ""
    failure: str = ""


@dataclass(frozen=True)
class BrowserMessage:
    """What the process says: one of both."""

    request: PageRequest | None = None
    page: RenderedPage | None = None

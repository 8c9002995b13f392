"""How long the embedded engine may take: to load, to be reached, and until it gives the next sign of an answer."""

from typing import TYPE_CHECKING

from utils.errors import ReplyBroken

if TYPE_CHECKING:
    import httpx

LOAD_SECONDS = 120.0
"""How long loading may take: ten times what a cold disk took."""
ENGINE_CONNECT_SECONDS = 5.0


def make_timeout(seconds: float) -> "httpx.Timeout":
    """The limits of a request; `seconds`, the setting `request_timeout`, are those between two signs of an answer."""
    import httpx

    return httpx.Timeout(seconds, connect=ENGINE_CONNECT_SECONDS)


def no_sign_within(seconds: float) -> ReplyBroken:
    """What is said of an engine that gave no sign for so long."""
    return ReplyBroken(
        f"The language model gave no sign for {seconds:.0f} seconds.", "Ask again, or raise request_timeout."
    )

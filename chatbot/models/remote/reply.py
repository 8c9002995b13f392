"""What replies of every API have in common: how long one may be, how long it took, and the calls in it."""

import time
from collections.abc import Iterable
from typing import Any

from chatbot.conversation.messages import ToolCall
from chatbot.models.wire_values import MAX_CALLS_IN_REPLY, read_arguments
from utils.errors import ReplyBroken

EVENT_COST = 64
"""Characters that an event counts for by itself: a live one brings a token or more."""


class ReplyMeter:
    """Measures a reply; raises `ReplyBroken` for one that is longer than `max_tokens` can be."""

    def __init__(self, max_tokens: int) -> None:
        # A token is at most some 100 characters (runs of spaces).
        self._left = 256 * max_tokens + 65_536
        self._begun = time.monotonic()
        self._first = 0.0

    def spend(self, characters: int) -> None:
        """Count what has come."""
        self._left -= characters
        if self._left < 0:
            raise ReplyBroken("The server sends more than it was asked for, and was cut off.", "Ask again.")

    def note_piece(self) -> None:
        """Note that a piece of the reply is there."""
        self._first = self._first or time.monotonic()

    def read_seconds(self) -> tuple[float, float]:
        """Seconds to the first piece, and from there to now."""
        now = time.monotonic()
        first = self._first or now
        return first - self._begun, now - first


def check_calls(number: int) -> None:
    """Raise `ReplyBroken` for more calls than one reply may ask for."""
    if number > MAX_CALLS_IN_REPLY:
        raise ReplyBroken(f"The model asked for more than {MAX_CALLS_IN_REPLY} tools at once.", "Ask again.")


def make_calls(given: Iterable[tuple[str, Any, str]]) -> list[ToolCall]:
    """Calls of (name, arguments, id), each with an id of its own or none; arguments that cannot be read become none.

    Raises `ReplyBroken` for one without a name.
    """
    seen: set[str] = set()
    calls = []
    for name, arguments, identity in given:
        if not name:
            raise ReplyBroken("The model asked for a tool without saying which.", "Ask again.")
        calls.append(ToolCall(name, read_arguments(arguments), "" if identity in seen else identity))
        seen.add(identity)
    return calls

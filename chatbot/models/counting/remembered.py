"""Tokens of texts that a server counted, remembered: each is asked for once."""

from collections.abc import Awaitable, Callable

TEXTS_COUNTED = 2048
"""Texts whose tokens are remembered; the oldest one gives way."""


class RememberedCounts:
    """Counts texts by asking for each once; what could not be counted is asked for again."""

    def __init__(self, ask: Callable[[str], Awaitable[int | None]]) -> None:
        self._ask = ask
        self._counts: dict[str, int] = {}

    async def count_tokens(self, text: str) -> int | None:
        """Tokens of the text; None where they were not told."""
        if text not in self._counts:
            tokens = await self._ask(text)
            if tokens is None:
                return None
            if len(self._counts) >= TEXTS_COUNTED:
                self._counts.pop(next(iter(self._counts)))
            self._counts[text] = tokens
        return self._counts[text]

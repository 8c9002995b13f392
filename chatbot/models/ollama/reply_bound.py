"""How long a reply may become, whatever its server makes of the limit that it was given."""

from typing import Any

from chatbot.models.ollama.values import length_of
from utils.errors import ReplyBroken


class ReplyBound:
    """The length that a reply may have at most; beyond it the server does not stop by itself."""

    def __init__(self, max_tokens: int) -> None:
        # A token is at most some 100 characters (runs of spaces).
        self._left = 256 * max_tokens + 65_536

    def take(self, chunk: dict[str, Any]) -> None:
        """Count a chunk; raises `ReplyBroken` beyond the bound."""
        self._left -= length_of(chunk)
        if self._left < 0:
            raise ReplyBroken("Ollama sends more than it was asked for, and was cut off.", "Ask again.")

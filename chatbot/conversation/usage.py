"""What a reply of a model took: tokens and seconds."""

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

MOST_TOKENS = 10**12
"""Of one reply: more is no count, and so many can still be added up a million times."""
Tokens = Annotated[int, Meta(ge=0, le=MOST_TOKENS)]


@dataclass(frozen=True)
class Usage:
    """Tokens and seconds of one reply, or of several added up."""

    prompt_tokens: Tokens = 0
    cached_tokens: Tokens = 0
    """Of the prompt's tokens, those that the server did not have to read again; 0 where it does not tell."""
    reply_tokens: Tokens = 0
    prompt_seconds: float = 0.0
    reply_seconds: float = 0.0
    written_tokens: Tokens = 0
    """Of the prompt's tokens, those that the server wrote into its cache; 0 where it does not tell."""
    hour_tokens: Tokens = 0
    """Of those that were written, the ones that stay for an hour and not for minutes."""

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.cached_tokens + other.cached_tokens,
            self.reply_tokens + other.reply_tokens,
            self.prompt_seconds + other.prompt_seconds,
            self.reply_seconds + other.reply_seconds,
            self.written_tokens + other.written_tokens,
            self.hour_tokens + other.hour_tokens,
        )

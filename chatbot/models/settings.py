"""How a language model replies, whatever runs it; what a backend has of its own stands beside it."""

from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta

Effort = Literal["low", "medium", "high"]
"""How hard a model thinks before it answers."""


@dataclass(frozen=True, kw_only=True)
class Generation:
    """How a reply is made: the same for every backend."""

    temperature: Annotated[float, Meta(ge=0, le=2)] = 0.3
    """0 always takes the likeliest word."""
    seed: Annotated[int, Meta(ge=-(2**31), lt=2**32)] | None = None
    """Makes sampling repeatable."""
    max_tokens: Annotated[int, Meta(ge=16, le=10_000_000)] = 1024
    """Tokens that one reply may have."""
    context_window: Annotated[int, Meta(ge=1024, le=10_000_000)] = 8192
    """Tokens of prompt and reply together; clamped to what the model was trained for."""
    request_timeout: Annotated[float, Meta(gt=0, le=86_400)] = 300
    """Seconds without any sign from the model after which a request is given up."""
    thinking_enabled: bool = True
    """Let a model think that can."""
    thinking_effort: Effort | None = None
    """How hard it thinks, where it lets that be chosen: low, medium or high; unset: as it does by itself."""

    @property
    def effort(self) -> Effort | None:
        """The effort to ask a model for; None: none was chosen, or it is not to think at all."""
        return self.thinking_effort if self.thinking_enabled else None

"""Whether a server read the whole prompt: older versions and other servers cut a long one without a word."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from chatbot.models.counting.token_estimate import estimate_tokens
from utils.errors import PromptCut

# Runs of one character, which tokenizers take at once.
_CHARACTER_RUNS = re.compile(r"(\s|[^\w\s])\1{3,}")
# Scripts that put no spaces between words: Kana, Han, Hangul.
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
CHARACTERS_PER_TOKEN = 6.0
"""The most that was seen on average over a text, in any script and with any vocabulary."""
UNSPACED_PER_TOKEN = 3.0
TEMPLATE_TOKENS = 5
"""Tokens that Qwen's template puts around a message."""
SHARE = 0.6
"""A count below this share of the estimate is of a part only."""
GROWTH = 0.65
"""The same for what was added to the prompt before, whose own count is known."""
NOISE = 10
"""Tokens by which a count may be off where one prompt extends another."""
SLACK = 1.1
"""How much longer than its count a prompt must look where the count is one at which servers cut."""
CLOSE = 1.03
"""The same where the prompt extends one whose count is known."""
WINDOWS = tuple(1024 << power for power in range(9))
"""The windows that servers have unless told otherwise: 1,024 to 262,144."""
SMALLEST = 512
"""No window is smaller, and no prompt that fits half of it was cut."""


@dataclass(frozen=True)
class Sent:
    """The messages of a prompt as they go over the wire, its tools, and how far estimates are off for this model."""

    messages: Sequence[dict[str, Any]]
    tools: Any = None
    correction: float = 1.0

    @property
    def likely_tokens(self) -> float:
        """The tokens that the messages most likely have; not every template writes the tools down as well."""
        return self.correction * estimate_messages(self.messages)

    @property
    def least_tokens(self) -> float:
        """Fewer tokens than this the messages cannot have: words are never joined to one token."""
        text = _CHARACTER_RUNS.sub(r"\1", "\n".join(str(message["content"]) for message in self.messages))
        unspaced = len(_UNSPACED.findall(text)) / UNSPACED_PER_TOKEN
        return max(len(text.split()), len(text) / CHARACTERS_PER_TOKEN, unspaced)

    def added_to(self, before: "Sent") -> float | None:
        """The tokens that were most likely added to the prompt before; None where this one does not extend it.

        Templates leave out old thinking, so that a longer prompt with some may have fewer tokens.
        """
        known = len(before.messages)
        extends = self.tools == before.tools and list(self.messages[:known]) == list(before.messages)
        if not extends or any(message.get("thinking") for message in self.messages):
            return None
        return self.correction * estimate_messages(self.messages[known:])


@dataclass(frozen=True)
class Counted:
    """A prompt that was read whole, and its count."""

    sent: Sent
    count: int


def find_cut(sent: Sent, before: Counted | None, count: int, window: int) -> PromptCut | None:
    """What a server's count of a prompt means, None if it read all; `before` is the prompt before it.

    Ollama keeps half of the window and 2 tokens (recorded: 514 of 1,024), others the whole window, or leave out the
    oldest messages.
    """
    likely = sent.likely_tokens
    if not count or likely < SMALLEST / 2:
        return None
    added = sent.added_to(before.sent) if before else None
    expected = likely if before is None or added is None else before.count + added
    cut_at = next((size for size in (window, *WINDOWS) if is_cut_to(count, size)), 0)
    if cut_at and expected > (SLACK if added is None else CLOSE) * count:
        return PromptCut(count, round(expected), cut_at)
    short = count < SHARE * likely or count < sent.least_tokens
    if before and added is not None:
        short = short or count < before.count + GROWTH * added - NOISE
        # Old servers that have the rest in their cache count only what was added.
        short = short and not GROWTH * added <= count <= added / GROWTH + NOISE
    return PromptCut(count, round(max(expected, sent.least_tokens)), max(count, SMALLEST)) if short else None


def is_cut_to(count: int, window: int) -> bool:
    """Whether a prompt of so many tokens is what remains of a longer one in this window."""
    return abs(count - window // 2 - 2) <= 2 or 0 <= window - count <= 2


def estimate_messages(messages: Sequence[dict[str, Any]]) -> float:
    """Tokens that messages have by the estimate, as a template writes them down."""
    return sum(TEMPLATE_TOKENS + sum(map(estimate_tokens, texts_of(message))) for message in messages)


def texts_of(message: dict[str, Any]) -> list[str]:
    """What a template writes down of a message."""
    calls = [json.dumps(call["function"]) for call in message.get("tool_calls", ())]
    return [message["content"], message.get("thinking", ""), *calls]

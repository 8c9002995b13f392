"""Whether a server read the whole prompt: older versions and other servers cut a long one without a word."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from utils.errors import PromptCut

# Runs of one character, which tokenizers take at once.
_RUNS = re.compile(r"(\s|[^\w\s])\1{3,}")
# Scripts that put no spaces between words: Kana, Han, Hangul.
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
CHARACTERS_PER_TOKEN = 6.0
"""The most that was seen on average over a text, in any script and with any vocabulary."""
UNSPACED_PER_TOKEN = 3.0
TYPICAL = 4.0
"""Characters of a token before a server has counted anything."""
HALF = 0.5
"""A count below this share of a calibrated estimate is of a part only."""
SLACK = 1.25
"""How much longer than its count a prompt must look where the count is one at which servers cut."""
WINDOWS = tuple(1024 << power for power in range(9))
"""The windows that servers have unless told otherwise: 1,024 to 262,144."""
SMALLEST = 512
"""No window is smaller, and no prompt that fits half of it was cut."""


@dataclass(frozen=True)
class Sent:
    """What is known of a prompt: its messages' texts, and the tokens that it should have by what was counted before."""

    texts: Sequence[str]
    estimate: float = 0.0
    """0 before anything was counted."""

    @property
    def least(self) -> float:
        """Fewer tokens than this the messages cannot have: words are never joined to one token."""
        text = _RUNS.sub(r"\1", "\n".join(self.texts))
        unspaced = len(_UNSPACED.findall(text)) / UNSPACED_PER_TOKEN
        return max(len(text.split()), len(text) / CHARACTERS_PER_TOKEN, unspaced)

    @property
    def likely(self) -> float:
        """The tokens that it most likely has."""
        return self.estimate or sum(map(len, self.texts)) / TYPICAL


def find_cut(sent: Sent, before: Sequence[str], count: int, window: int) -> PromptCut | None:
    """What a server's count of a prompt means, None if it read all; `before` are the texts of the prompt before it.

    Ollama keeps half of the window and 2 tokens (recorded: 514 of 1,024), others the whole window, or leave out the
    oldest messages.
    """
    if not count or sent.likely < SMALLEST / 2:
        return None
    cut_at = next((size for size in (window, *WINDOWS) if is_cut_to(count, size)), 0)
    if cut_at and sent.likely > SLACK * count:
        return PromptCut(count, round(sent.likely), cut_at)
    short = count < sent.least or count < HALF * sent.estimate
    if not short or only_new_counted(sent, before, count):
        return None
    return PromptCut(count, round(max(sent.likely, sent.least)), max(count, SMALLEST))


def is_cut_to(count: int, window: int) -> bool:
    """Whether a prompt of so many tokens is what remains of a longer one in this window."""
    return abs(count - window // 2 - 2) <= 2 or 0 <= window - count <= 2


def only_new_counted(sent: Sent, before: Sequence[str], count: int) -> bool:
    """Whether the count is of what was added to the prompt before, as old servers count that have the rest cached."""
    same = 0
    while same < min(len(before), len(sent.texts)) and before[same] == sent.texts[same]:
        same += 1
    added = sum(map(len, sent.texts[same:])) / TYPICAL
    return same > 0 and added / 2 <= count <= 2 * added + 20

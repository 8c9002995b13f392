"""What has been written of a text so far: its whole sentences as it streams, and what an answer consists of."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

WRITTEN_SENTENCE_END = re.compile(
    r"(?<=\n)|(?<=[^\W\d][.!?…])\s+(?=\S)|(?:(?<=\d[!?…])|(?<=[\d:.,£$€]\d\d\.))\s+(?=[^\W\d_])|(?<=[。！？।؟])"
)
"""Where a sentence or an item ends: not behind the number that an item begins with, nor in "am 3. Dezember"."""

_NUMBER_MARKS = re.compile(r"\s?\[\d{1,3}(?:, ?\d{1,3})*\]")
LENGTHS = {
    "fact": 96,
    "yesno": 96,
    "told": 96,
    "several": 160,
    "comparison": 160,
    "list": 320,
    "summary": 320,
    "explain": 240,
}
"""Tokens that an answer may have, by its form."""


class SentenceSplitter:
    """Takes a text as it streams and gives its sentences as they end, where `ends` matches."""

    def __init__(self, ends: re.Pattern[str]) -> None:
        self._ends = ends
        self._begun = ""

    def feed(self, text: str) -> list[str]:
        """The sentences that end in this piece."""
        *whole, self._begun = self._ends.split(self._begun + text)
        return whole

    def rest(self) -> list[str]:
        """The sentence that was begun, if there is one."""
        return [self._begun] if self._begun else []


@dataclass
class WrittenAnswer:
    """What has been written of an answer."""

    text: str = ""
    cited: list[int] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    """Sentences that no passage says."""

    def note_citations(self, numbers: Sequence[int]) -> None:
        """Note the numbers that stand behind what was written, each once."""
        self.cited += [number for number in numbers if number not in self.cited]


def number_marks(numbers: Sequence[int]) -> str:
    """The numbers of sources as they stand behind a sentence; 0, of a text without one, is left out."""
    return "".join(f" [{number}]" for number in numbers if number)


def without_number_marks(answer: str) -> str:
    """An answer without the numbers of its sources."""
    return _NUMBER_MARKS.sub("", answer)


def trailing_space(sentence: str) -> str:
    """What stands behind the last sign of a sentence."""
    return sentence[len(sentence.rstrip()) :]

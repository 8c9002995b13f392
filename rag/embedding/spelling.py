"""How a model's vocabulary spells a text: in words and their parts, or in scraps where it was made for others."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from utils.languages.scripts import UNSEGMENTED

MULTILINGUAL_ENTRIES = 64_000
"""Entries of a vocabulary that was made for many languages: those have 105,000 to 500,000, others up to 61,000."""
LETTERS = 3.0
"""Letters that a piece of a text has where its words are known: with MiniLM 3.2 to 5.8 in each of 407 English texts,
0.9 to 2.6 in one text in each of 13 other languages."""
SIGNS = 0.9
"""The same where signs stand for syllables and words: 1 where all are known; with MiniLM 0.0 in Thai, 0.3 in Chinese,
0.4 in Korean, 0.8 in Japanese."""
_SIGN = re.compile(f"[{UNSEGMENTED}\uac00-\ud7af]")


@dataclass(frozen=True)
class Spelling:
    """A text in word pieces."""

    text: str
    pieces: Sequence[tuple[int, int]]
    """Where each begins and ends in the text."""
    known: Sequence[bool]
    """Whether it is in the vocabulary; what is not goes unread."""
    entries: int
    """Of the vocabulary."""

    @property
    def is_fluent(self) -> bool:
        """Whether the vocabulary was made for the language of the text; a text without letters is in none."""
        spelt = [
            (span, known) for span, known in zip(self.pieces, self.known, strict=True) if self._count_letters(*span)
        ]
        if self.entries >= MULTILINGUAL_ENTRIES or not spelt:
            return True
        # Several pieces may stand for one letter, which counts once.
        read = {i for (start, end), known in spelt if known for i in range(start, end) if is_letter(self.text[i])}
        signs = 2 * len(_SIGN.findall(self.text)) > self._count_letters(0, len(self.text))
        return len(read) / len(spelt) >= (SIGNS if signs else LETTERS)

    def _count_letters(self, start: int, end: int) -> int:
        return sum(map(is_letter, self.text[start:end]))


def is_letter(character: str) -> bool:
    """Whether it is a letter or a mark on one, as Hindi and Thai have them."""
    return unicodedata.category(character)[0] in "LM"

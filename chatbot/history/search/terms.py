"""The terms by which conversations are found while a word is still being typed: words, pairs of characters in scripts
that write no spaces, without case and accents."""

import re
import unicodedata

from rag.search.tokenization import character_pairs
from utils.languages.scripts import UNSEGMENTED

HISTORY_TERMS_VERSION = "1"
"""Grows when the same text gives other terms: the words are then read anew."""
_ACCENTS = re.compile("[\u0300-\u036f]")
# Signs within words that are not letters themselves: of Hebrew, Arabic and the scripts of India.
_WORD_RUN = re.compile(f"([{UNSEGMENTED}]+)|((?:[^\\W{UNSEGMENTED}]|[\u0591-\u05c7\u064b-\u065f\u0900-\u0dff])+)")
_MAX_TERM_CHARS = 64


def text_terms(text: str) -> list[str]:
    """The terms of a text, each once; the last character of a run of pairs stands for itself as well."""
    found: dict[str, None] = {}
    for together, word in _WORD_RUN.findall(fold_text(text)):
        if together:
            found.update(dict.fromkeys([*character_pairs(together), together[-1]]))
        else:
            found[word[:_MAX_TERM_CHARS]] = None
            if "_" in word:
                found.update(dict.fromkeys(part[:_MAX_TERM_CHARS] for part in word.split("_") if part))
    return list(found)


def wanted_terms(text: str) -> list[tuple[str, bool]]:
    """The terms that all must occur, and of each whether it may go on: the last while it is still being typed."""
    runs = _WORD_RUN.findall(fold_text(text))
    asked: dict[tuple[str, bool], None] = {}
    for number, (together, word) in enumerate(runs):
        last = number == len(runs) - 1
        if together:
            asked.update(dict.fromkeys((pair, len(pair) == 1) for pair in character_pairs(together)))
        else:
            asked[word[:_MAX_TERM_CHARS], last and not text[-1:].isspace()] = None
    return list(asked)


def fts_phrase(term: str, open_end: bool = False) -> str:
    """A term as FTS5 is asked for it; terms hold no quotation marks."""
    return f'"{term}"*' if open_end else f'"{term}"'


def fold_text(text: str) -> str:
    """The text as it is compared."""
    if text.isascii():
        return text.lower()
    plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", text.casefold()))
    return unicodedata.normalize("NFC", plain)

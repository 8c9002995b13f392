"""The terms by which conversations are found while a word is still being typed: words, pairs of characters in scripts
that write no spaces, without case and accents."""

import re
import unicodedata

from rag.search.tokenization import bigrams
from utils.languages.scripts import UNSEGMENTED

TERMS_VERSION = "1"
"""Grows when the same text gives other terms: the words are then read anew."""
_ACCENTS = re.compile("[\u0300-\u036f]")
# Signs within words that are not letters themselves: of Hebrew, Arabic and the scripts of India.
_RUN = re.compile(f"([{UNSEGMENTED}]+)|((?:[^\\W{UNSEGMENTED}]|[\u0591-\u05c7\u064b-\u065f\u0900-\u0dff])+)")
_LONGEST = 64


def terms(text: str) -> list[str]:
    """The terms of a text, each once; the last character of a run of pairs stands for itself as well."""
    found: dict[str, None] = {}
    for together, word in _RUN.findall(folded(text)):
        if together:
            found.update(dict.fromkeys([*bigrams(together), together[-1]]))
        else:
            found[word[:_LONGEST]] = None
            if "_" in word:
                found.update(dict.fromkeys(part[:_LONGEST] for part in word.split("_") if part))
    return list(found)


def wanted(text: str) -> list[tuple[str, bool]]:
    """The terms that all must occur, and of each whether it may go on: the last while it is still being typed."""
    runs = _RUN.findall(folded(text))
    asked: dict[tuple[str, bool], None] = {}
    for number, (together, word) in enumerate(runs):
        last = number == len(runs) - 1
        if together:
            asked.update(dict.fromkeys((pair, len(pair) == 1) for pair in bigrams(together)))
        else:
            asked[word[:_LONGEST], last and not text[-1:].isspace()] = None
    return list(asked)


def phrase(term: str, open_end: bool = False) -> str:
    """A term as FTS5 is asked for it; terms hold no quotation marks."""
    return f'"{term}"*' if open_end else f'"{term}"'


def folded(text: str) -> str:
    """The text as it is compared."""
    if text.isascii():
        return text.lower()
    plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", text.casefold()))
    return unicodedata.normalize("NFC", plain)

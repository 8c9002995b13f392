"""Accents: who types in a hurry leaves them out."""

import re
import unicodedata

_ACCENT = re.compile("(?<=[a-zα-ω])[\u0300-\u0307\u0309-\u036f]+")
"""All but the two dots: without these who knows no key for them writes another letter more, "Kueche"."""
_BARE_LETTERS = str.maketrans("łøđı", "lodi")
"""Letters whose stroke or missing dot is no accent."""


def without_accents(text: str) -> str:
    """A text in small letters without the accents of Latin and Greek ones; dots make another letter."""
    if text.isascii():
        return text
    bare = _ACCENT.sub("", unicodedata.normalize("NFD", text).translate(_BARE_LETTERS))
    return unicodedata.normalize("NFC", bare)

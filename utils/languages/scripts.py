"""Scripts: which of them write no spaces between words, and which signs belong to a word that are no letters."""

UNSEGMENTED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Thai, Lao, Burmese, Khmer, Japanese, Chinese; for a class of characters in a pattern."""
WORD_SIGNS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0971-\u0dff"
"""Vowels and points that stand at letters (Devanagari and its kin, Arabic, Hebrew), and accents that stand alone: no
letters to `re`; for a class of characters in a pattern."""

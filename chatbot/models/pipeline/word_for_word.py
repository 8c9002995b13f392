"""What a passage says nearly word for word: an item of a list, a row of a table, which no sentence is alike to."""

import re

from rag.rare_words import beginnings
from tools.reckoning.numerals import numbers_in

ITEM_SHARE = 0.8
"""Of an item's words, how many the passage must have."""
_ROW = re.compile(r"^.*\|.*\|.*$", re.MULTILINE)


def has_item(text: str, item: str) -> bool:
    """Whether a text has an item of a list: its numbers, and nearly all of its words."""
    said = beginnings(item)
    found = len(said & beginnings(text))
    return bool(said) and found >= ITEM_SHARE * len(said) and set(numbers_in(item)) <= set(numbers_in(text))


def has_row(text: str, sentence: str, question: str) -> bool:
    """Whether one row of a table has all figures of a sentence that the question does not say, and there are some."""
    figures = set(numbers_in(sentence)) - set(numbers_in(question))
    return bool(figures) and any(figures <= set(numbers_in(row)) for row in _ROW.findall(text))

"""What a passage says nearly word for word: an item of a list, a row of a table, which no sentence is alike to."""

from rag.rare_words import beginnings
from rag.tables import spoken_rows
from tools.reckoning.numerals import numbers_in

ITEM_SHARE = 0.8
"""Of an item's words, how many the passage must have."""


def has_item(text: str, item: str) -> bool:
    """Whether a text has an item of a list: its numbers, and nearly all of its words."""
    said = beginnings(item)
    found = len(said & beginnings(text))
    return bool(said) and found >= ITEM_SHARE * len(said) and set(numbers_in(item)) <= set(numbers_in(text))


def has_row(text: str, sentence: str, question: str) -> bool:
    """Whether one row of a table has all figures of a sentence that the question does not say, and there are some.

    No other row has more of the question's words: of two rows that both have a price, the one for adults is meant.
    """
    figures = set(numbers_in(sentence)) - set(numbers_in(question))
    asked = beginnings(question)
    rows = [(len(asked & beginnings(row)), figures <= set(numbers_in(row))) for row in spoken_rows(text)]
    most = max((words for words, _ in rows), default=0)
    return bool(figures) and any(has and words == most for words, has in rows)

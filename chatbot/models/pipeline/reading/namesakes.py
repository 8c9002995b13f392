"""Things whose names hold the name of another: the Harrow Water Museum is not the Harrow Museum."""

import re
from collections.abc import Iterator, Sequence

MAX_WORDS_BETWEEN = 2
"""Words that the longer of two such names has between those of the other, at most."""
_CAPITALS = re.compile(r"(?<![\w'’-])[^\W\d_a-z][\w'’-]*(?: [^\W\d_a-z][\w'’-]*)+")
_NAME_PART = re.compile(r"\w+")


def longer_named_titles(question: str, titles: Sequence[str]) -> list[bool]:
    """Which titles have the words of a name of a question with others between them, where another title has it as it
    is."""
    names = list(_names_of_several_words(question))
    words = [tuple(_NAME_PART.findall(title.casefold())) for title in titles]
    whole = [name for name in names if any(_holds(title, name) for title in words)]
    return [any(not _holds(title, name) and _holds_apart(title, name) for name in whole) for title in words]


def _names_of_several_words(question: str) -> Iterator[tuple[str, ...]]:
    """Words with capitals beside each other; the first of a sentence may be no part of the name."""
    for found in _CAPITALS.finditer(question):
        words = tuple(_NAME_PART.findall(found[0].casefold()))
        yield words
        if len(words) > 2:
            yield words[1:]


def _holds(title: tuple[str, ...], name: tuple[str, ...]) -> bool:
    return any(title[at : at + len(name)] == name for at in range(len(title)))


def _holds_apart(title: tuple[str, ...], name: tuple[str, ...]) -> bool:
    """Whether a title has the words of a name in their order, not far from each other."""
    for start, word in enumerate(title):
        if word == name[0]:
            near = iter(title[start : start + len(name) + MAX_WORDS_BETWEEN])
            if all(word in near for word in name):
                return True
    return False

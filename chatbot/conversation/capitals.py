"""Names that were typed small, "oberwiesach": texts in which they stand tell that they are names."""

import re
from collections import Counter
from collections.abc import Iterable

_TYPED_WORD = re.compile(r"[^\W\d_][\w'’-]{2,}")
_CAPITAL_BEHIND = re.compile(r" [^\W\d_a-z][a-zß-ÿ]+ [a-zß-ÿ]")
"""What goes on with a capital and then small."""
_SELDOM_NAMES = ("may", "will", "march", "mark")
"""Words of questions that are names as well, and seldom meant so."""
_WITHIN_SENTENCE = re.compile(r"(?:[^\W\d_A-Z]|[,;\d]) ")
"""What stands before a word whose capital is its own: behind a stop, and in the cell of a table, any word has one."""


def with_capitals(question: str, texts: Iterable[str]) -> str:
    """A question that was typed in small letters with those words as some texts have them that never stand there small.

    One in which something has a capital is as it was meant.
    """
    if _has_capitals(question):
        return question
    wanted = {word for word in _TYPED_WORD.findall(question) if word == word.lower()}.difference(_SELDOM_NAMES)
    forms, small = dict[str, Counter[str]](), set[str]()
    for text in texts:
        for found in _TYPED_WORD.finditer(text):
            word = found[0].lower()
            if word not in wanted:
                continue
            if found[0][0].islower():
                small.add(word)
            elif _is_names_own(text, found):
                forms.setdefault(word, Counter())[found[0]] += 1
    named = {word: counts.most_common(1)[0][0] for word, counts in forms.items() if word not in small}
    return _TYPED_WORD.sub(lambda found: named.get(found[0], found[0]), question)


def _is_names_own(text: str, word: re.Match[str]) -> bool:
    """Whether the capital of a word is its own: within a sentence, or at its beginning where a name of several words
    goes on, "Odham Pool lies ..."; in headings and tables any word may have one."""
    line = text[text.rfind("\n", 0, word.start()) + 1 : word.start()]
    if line.startswith(("#", "|")):
        return False
    within = _WITHIN_SENTENCE.fullmatch(text, max(0, word.start() - 2), word.start())
    return within is not None or _CAPITAL_BEHIND.match(text, word.end()) is not None


def _has_capitals(question: str) -> bool:
    """Whether a word behind the first one begins with a capital and goes on small."""
    _, *words = [*_TYPED_WORD.findall(question), ""]
    return any(word[:1].isupper() and word[1:] != word[1:].upper() for word in words)

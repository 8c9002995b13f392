"""What a question names: without the words that any question has, and without addresses."""

import re
from functools import cache

from chatbot.models.dialogue import ADDRESS
from chatbot.models.pipeline.decision.arguments import MAX_QUESTION_CHARS
from chatbot.prompts.fewshot import clip_middle
from utils.languages.detection import language_of
from utils.languages.language_names import locale_of

_NAME_WORD = re.compile(r"\w[\w'’.-]*")
_FILE_NAMED = re.compile(
    r"(?<!\S)@(?:\"[^\"\n]{1,200}\"|\S{0,200}[./\\]\S*)|(?<!\S)(?:~/\S+|\.{0,2}/\S{1,200}\.\w{1,5}(?!\S))"
)
"""A file that comes with a message, as it is typed, or a path; somebody's name with @ before it is none."""
MAX_JOINING_WORDS = 2
"""Words between two names that belong to them: "Odo's tower in Vellin"."""
_SET_APART = re.compile(r"[^\w\s'’-]|\b(?:and|or|than|und|oder|als|et|ou|que|y|o|e|u|en|og|och|eller|i|lub|и|или)\b")
"""What stands between two names that do not belong together."""
_SENTENCE_OPENING = re.compile(r"(?:^|(?<=[.?!:…] )|(?<=[¿¡]))\w[\w'’.-]*")
"""The word that a sentence begins with: its capital says nothing."""


def names_in(question: str) -> str:
    """The words of a question that are written with a capital or hold a figure; all where a script has no capitals.

    Without bare numbers, days and months, which name nothing that a later question would be about.
    """
    question = without_addresses(question)
    if question.lower() == question.upper():
        return clip_middle(question, MAX_QUESTION_CHARS // 3)
    openings = {found.start() for found in _SENTENCE_OPENING.finditer(question)}
    words = [(found[0], found.start() in openings) for found in _NAME_WORD.finditer(question)]
    named = [word for word, opens in words if (word[0].isupper() and not opens) or has_digit(word)]
    nameless = _calendar_words(language_of(question) or "en")
    return " ".join(
        word for word in dict.fromkeys(named) if not (word.rstrip(".").isdigit() or word in nameless or word == "I")
    )


def with_names(message: str, earlier: str) -> str:
    """A message with the names of an earlier question behind it, if that has any, each with what joins it to the next:
    the bells of "St Odo's tower in Vellin" are not those of a school there."""
    named = " ".join(_joined_names(earlier)) or names_in(earlier)
    return f"{message} ({named})" if named else message


def _joined_names(question: str) -> list[str]:
    """The names of a question, with the words between those that stand near each other; each of them once."""
    names, joined, end = dict.fromkeys(names_in(question).split()), dict[str, None](), -1
    question = without_addresses(question)
    for word in _NAME_WORD.finditer(question):
        if word[0] not in names:
            continue
        between = question[end : word.start()] if end >= 0 and word[0] not in joined else ""
        if len(between.split()) <= MAX_JOINING_WORDS and not _SET_APART.search(between):
            joined.update(dict.fromkeys(between.split()))
        joined[word[0]] = None
        end = word.end()
    return list(joined)


def with_question(message: str, earlier: str) -> str:
    """A message with the whole of an earlier question behind it, the middle of a long one left out."""
    return f"{message} ({clip_middle(earlier, MAX_QUESTION_CHARS // 3)})"


@cache
def _calendar_words(language: str) -> frozenset[str]:
    """The names of days and months in a language, whole and short."""
    locale = locale_of(language)
    kinds = [names["format"][width] for names in (locale.days, locale.months) for width in ("wide", "abbreviated")]
    return frozenset(name.rstrip(".") for kind in kinds for name in kind.values())


def without_addresses(question: str) -> str:
    """A question without the addresses in it, which no page says of itself, and without files that came with it, whose
    names are nobody's affair; as it is where nothing else is in it."""
    said = " ".join(ADDRESS.sub(" ", _FILE_NAMED.sub(" ", question)).split())
    # A file's name in brackets is taken for an address too.
    return said.replace("( )", "").strip() or question


def has_digit(text: str) -> bool:
    """Whether there is a figure in a text."""
    return any(character.isdigit() for character in text)

"""Whose words a text is made of: the user's own, or those of something that was fetched; no language is known here."""

import re
import unicodedata
from collections.abc import Sequence

# The package before its parts: `from rapidfuzz.distance import ...` in one thread and `from rapidfuzz import ...` in
# another wait for each other, and one of them fails.
from rapidfuzz import distance

from chatbot.conversation.messages import Message
from rag.search.tokenization import character_pairs
from utils.languages.scripts import UNSEGMENTED

TYPED = 1000
"""Characters of a message beyond which it was pasted or piped in rather than typed."""
_SCRIPT_RUN = re.compile(rf"([{UNSEGMENTED}]+)|([^\W_{UNSEGMENTED}]+)")
# Two forms of one word share this much of the longer one: "lives" and "live", not "vegetables" and "vegetarian".
_MIN_SHARED_LETTERS = 0.7


def is_users_own(text: str, messages: Sequence[Message], neutral: frozenset[str]) -> bool:
    """Whether a text is borne out by what the user typed in a conversation.

    Once a tool has brought something, or a picture was seen, all of its words must be the user's. Before that half of
    them and those with a digit, for a model finds words of its own; but none that stands in an attachment. `neutral`
    words are looked at on neither side: those that Magpie's own prompts are made of.
    """
    typed = [message.content for message in messages if is_typed(message)]
    # What a model saw in a picture is known to nobody else.
    brought = any(message.is_result or message.origin or message.pictures for message in messages)
    own, attached = words_of(" ".join(typed)), words_of(" ".join(message.note for message in messages))
    others = _foreign_words(words_of(text) - neutral, own)
    if any(brought or word in attached or not word.isalpha() for word in others):
        return False
    return has_half_the_words(text, " ".join(typed), neutral)


def has_half_the_words(text: str, said: str, neutral: frozenset[str]) -> bool:
    """Whether at least half of the words of a text, and one, were said; `neutral` ones do not count."""
    words = words_of(text) - neutral
    others = _foreign_words(words, words_of(said))
    return 2 * len(others) <= len(words) and bool(words - others)


def is_typed(message: Message) -> bool:
    """Whether the user wrote the words of a message: neither pasted nor piped them in, nor took them from a prompt."""
    return message.is_question and not message.origin and len(message.content) <= TYPED


def words_of(text: str) -> frozenset[str]:
    """The words of a text without regard to case, of more than one letter; pairs where a script writes no spaces."""
    found: set[str] = set()
    for together, word in _SCRIPT_RUN.findall(unicodedata.normalize("NFKC", text)):
        if together:
            found.update(character_pairs(together))
        elif len(word) > 1 or word.isdigit():
            found.add(word.casefold())
    return frozenset(found)


def _foreign_words(words: frozenset[str], own: frozenset[str]) -> set[str]:
    return {word for word in words if not any(_are_alike(word, known) for known in own)}


def _are_alike(one: str, other: str) -> bool:
    same = distance.Prefix.similarity(one, other)
    return one == other or (one.isalpha() and same >= max(3, _MIN_SHARED_LETTERS * max(len(one), len(other))))

"""Sentences worth keeping word for word, picked from what was said in any language, without a model."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chatbot.conversation.messages import Message
from chatbot.models.pipeline.reading.sentences import asks_something, split_sentences
from rag.search.tokenization import DEFAULT, text_terms

# A name within a sentence, in scripts that have capitals; a quotation, an address, a path.
_NAMED_THING = re.compile(r"(?<=[^\W\d_] )[^\W\d_]*[A-ZÀ-ÖØ-ÞΑ-ΩА-Я]\w*|[\"“«„「][^\"”»“」«„「]+[\"”»“」]|\w[@/\\.]\w")
MAX_SENTENCE_CHARS = 300
"""Characters of one sentence that are kept."""
RAREST = 4
"""Words of a sentence that decide how rare it is."""
BY_USER = 2.0
"""What the user said is worth more than what was answered: it cannot be looked up again."""
QUESTION_WORTH = 0.25
"""What a question is worth: it tells little."""
NUMBER_WORTH = 1.0
NAME_WORTH = 0.5
MIN_SENTENCE_LIKENESS = 0.7
"""Share of common words from which one of two sentences is enough."""


@dataclass(frozen=True)
class Excerpt:
    """A sentence with who said it, and its place in the conversation."""

    place: int
    speaker: str
    text: str
    worth: float = 0.0


def pick_excerpts(messages: Sequence[Message]) -> Iterator[Excerpt]:
    """The sentences of questions and answers, the one most worth keeping first, none that says the same again."""
    said = list(sentences_of(messages))
    words = [frozenset(text_terms(excerpt.text, DEFAULT)) for excerpt in said]
    common = Counter(word for found in words for word in found)
    ranked = sorted(
        (
            (sentence_worth(excerpt, found, common, len(said)), place)
            for place, (excerpt, found) in enumerate(zip(said, words, strict=True))
        ),
        key=lambda item: (-item[0], item[1]),
    )
    kept: list[frozenset[str]] = []
    for value, place in ranked:
        found = words[place]
        if found and not any(are_alike(found, other) for other in kept):
            kept.append(found)
            yield Excerpt(place, said[place].speaker, said[place].text, value)


def sentences_of(messages: Sequence[Message]) -> Iterator[Excerpt]:
    """What was said, sentence by sentence; tools' results, calls and thinking are not."""
    place = 0
    for message in messages:
        for sentence in split_sentences(message.content) if message.is_said else ():
            yield Excerpt(place, message.speaker, " ".join(sentence.split())[:MAX_SENTENCE_CHARS])
            place += 1


def sentence_worth(excerpt: Excerpt, words: frozenset[str], common: Counter[str], total: int) -> float:
    """How much a sentence tells: rare words, numbers, names."""
    rarities = sorted((math.log((total + 1) / common[word]) for word in words), reverse=True)[:RAREST]
    value = sum(rarities) / RAREST
    value += NUMBER_WORTH * any(character.isdigit() for character in excerpt.text)
    value += NAME_WORTH * bool(_NAMED_THING.search(excerpt.text))
    value += BY_USER * (excerpt.speaker == "User")
    return value * (QUESTION_WORTH if asks_something(excerpt.text) else 1.0)


def are_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two sentences say the same, by their words."""
    return len(one & other) >= MIN_SENTENCE_LIKENESS * len(one | other)

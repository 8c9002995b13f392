"""What a summary of a text begins with, and what it left out."""

from collections.abc import Sequence

from chatbot.conversation.messages import Source
from chatbot.models.dialogue import ADDRESS
from chatbot.models.pipeline.reading.answer_evidence import Reading
from chatbot.models.pipeline.reading.sentences import asks_something, body_sentences, is_head, split_sentences
from chatbot.models.pipeline.writing.lists import without_sign
from chatbot.models.pipeline.writing.wished_length import read_length
from rag.search.rare_words import telling_words, word_stems
from tools.reckoning.numerals import numbers_in
from utils.languages.detection import language_of, same_language

MIN_SENTENCES, MOST_SENTENCES, MIN_TELLING_LETTERS = 4, 7, 40
"""Sentences of a summary at least, and at most where some were added, and letters of one that says something."""
_SENTENCE_ENDS = (*".!?…", *"。！？｡।॥؟۔")
"""What a sentence ends with, and no line that tells who wrote it and when."""
SAID_SHARE, MIN_SAID_WORDS = 0.75, 3
"""Of two sentences that say the same, the telling words of the shorter one that the other has; and how many it has."""


WORDS_OF_TEXT = 2
"""Telling words that a sentence of a summary has of its text, at least."""


def left_out(reading: Reading, question: str, told: str, cited: Sequence[int], language: str) -> list[tuple[str, int]]:
    """Sentences of the passages that a summary lacks, each with its number: of each passage the first one.

    Where few passages are there, others of the text. Nothing where the message says how long it is to be, unless
    nothing was told: of a summary that the text does not bear out its own sentences take the place, of a text without a
    number as well. `told` is the summary, `cited` the numbers in it, `language` its ISO 639-1 code.
    """
    if told.strip() and _says_length(question):
        return []
    sources = reading.numbered_sources or ([] if told.strip() else reading.sources)
    every = [one for source in sources for one in _telling_sentences(source, told, language)]
    firsts, told_of = list[tuple[str, int]](), set(cited)
    for sentence, number in every:
        if number not in told_of:
            firsts.append((sentence, number))
            told_of.add(number)
    said = len(split_sentences(told))
    chosen = spread_over(firsts, MOST_SENTENCES - said)
    others = [one for one in every if one not in firsts]
    chosen += spread_over(others, MIN_SENTENCES - said - len(chosen))
    return [(without_sign(sentence), number) for sentence, number in every if (sentence, number) in chosen]


def lead_of(reading: Reading, question: str, language: str) -> tuple[str, int] | None:
    """The sentence that a document begins with, and its number: what a report is about, which small models leave out.

    None where that is in another language (ISO 639-1), or the message says how long the summary is to be.
    """
    first = next(iter(reading.numbered_sources), None)
    if first is None or first.passage.chunk_index or _says_length(question):
        return None
    telling = [
        one for one, _ in _telling_sentences(first, "", language) if one.rstrip("\"'”’»)").endswith(_SENTENCE_ENDS)
    ]
    return (without_sign(telling[0]), first.number) if telling else None


def is_told(sentence: str, told: str) -> bool:
    """Whether a sentence has little that one of a summary has not: "It was built in 1854 by Lowe" is said in part."""
    return _is_said(sentence, _said_in(told))


def _said_in(told: str) -> list[frozenset[str]]:
    return [telling_words(one) for one in split_sentences(told)]


def _is_said(sentence: str, said: Sequence[frozenset[str]]) -> bool:
    words = telling_words(sentence)
    return any(len(words & one) >= SAID_SHARE * min(len(words), len(one)) for one in said if len(one) >= MIN_SAID_WORDS)


def tells_nothing_of(text: str, sentence: str) -> bool:
    """Whether a sentence of a summary asks something, or has hardly a word of its text: "I would be glad to help"."""
    if asks_something(sentence):
        return True
    comparable = same_language(sentence, language_of(text) or "en")
    words = telling_words(sentence)
    return comparable and len(words & word_stems(text)) < min(WORDS_OF_TEXT, len(words))


def _says_length(question: str) -> bool:
    return bool(numbers_in(ADDRESS.sub(" ", question))) or read_length(question) is not None


def _telling_sentences(source: Source, told: str, language: str) -> list[tuple[str, int]]:
    """The sentences of a passage that say something and were not said, each with its number."""
    sentences = [s for s in body_sentences(source.passage.text) if len(s) > MIN_TELLING_LETTERS and not is_head(s)]
    said = _said_in(told)
    return [(s, source.number) for s in sentences if not _is_said(s, said) and same_language(s, language)]


def spread_over(items: Sequence[tuple[str, int]], most: int) -> list[tuple[str, int]]:
    """At most so many of some things, from all of them."""
    count = max(0, min(most, len(items)))
    return [items[place * len(items) // count] for place in range(count)]

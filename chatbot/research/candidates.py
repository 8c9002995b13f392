"""The sentences of a passage that can be notes on a question: those with what it asks for, the nearest first."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from chatbot.citations.checker import plain_sentence
from chatbot.models.pipeline.reading.calendar.weekdays import days_in
from chatbot.models.pipeline.reading.editions import years_in
from chatbot.models.pipeline.reading.evidence import Evidence, EvidenceFinder
from chatbot.models.pipeline.reading.expected import UNSIGNED, expected_kind, is_of_kind
from chatbot.models.pipeline.reading.sentences import asks_something, body_sentences, is_head
from rag.chunking.tables import table_rows, without_tables
from rag.documents import Passage
from rag.search.rare_words import RareWords, word_stems

SENTENCES_OF_PASSAGE, ROWS_OF_TABLE = 3, 8
"""Sentences of a passage that can be notes; rows, where a row is the nearest: the hours of a week are seven."""
NEAR_BEST = 0.12
"""How much less like the question than a passage's best sentence another one may be."""
MIN_NOTE_CHARS, MAX_NOTE_CHARS = 15, 320
"""Letters of a sentence that can be a note: a longer one is a paragraph without full stops."""
COVERED = 0.3
"""What the share of a question's words weighs beside the cosine of a sentence, as for passages."""
MAX_BYLINE_WORDS = 9
"""Words of a line with a year and without a full stop that is no sentence: "21 November 2026, match report"."""
_LABEL_BEHIND = re.compile(r"(?<=[.!?…])\s[^.!?…]{1,40}[:：]$")
"""A label that the next line was to follow: \"It is closed. Last changed:\"."""


@dataclass(frozen=True)
class NoteCandidate:
    """A sentence that can be a note."""

    text: str
    before: str
    """The sentence before it; empty for a row of a table."""
    is_row: bool
    similarity: float = 0.0
    """Cosine of the question and the sentence below its page's title."""
    coverage: float = 0.0
    """The share of the question's words that it has there."""

    @property
    def score(self) -> float:
        """By which sentences are ordered."""
        return self.similarity + COVERED * self.coverage


@dataclass(frozen=True)
class NotablePassage:
    """A passage with the sentences of it that can be notes, the nearest first; rows of one table in its order."""

    evidence: Evidence
    candidates: tuple[NoteCandidate, ...]
    score: float
    """Of the nearest one: by it passages are ordered."""


async def find_notable(finder: EvidenceFinder, question: str, found: Sequence[Evidence]) -> list[NotablePassage]:
    """The passages that have sentences with what a question asks for, the one with the nearest first."""
    usable = _of_the_days(question, [_usable_sentences(question, one.source.passage) for one in found])
    # With its title, which names what all of them are about: else the one that repeats the name would be nearest.
    told = [
        [f"{one.source.passage.headed_title}: {sentence.text}" for sentence in sentences]
        for one, sentences in zip(found, usable, strict=True)
    ]
    every = [text for texts in told for text in texts]
    if not every:
        return []
    [aim] = await finder.embed_texts([question])
    rare, notable = RareWords(question, every), list[NotablePassage]()
    for one, sentences, texts in zip(found, usable, told, strict=True):
        if texts:
            alike = (await finder.embed_texts(texts)) @ aim
            measured = [
                replace(sentence, similarity=float(like), coverage=rare.share_of(text))
                for sentence, like, text in zip(sentences, alike, texts, strict=True)
            ]
            chosen = _choose_nearest(measured)
            notable.append(NotablePassage(one, tuple(chosen), max(sentence.score for sentence in chosen)))
    return sorted(notable, key=lambda passage: -passage.score)


def _choose_nearest(sentences: Sequence[NoteCandidate]) -> list[NoteCandidate]:
    """The sentences that are nearest, the nearest first; where that is a row, the rows of its table in their order."""
    best = max(sentences, key=lambda sentence: sentence.score)
    near = [sentence for sentence in sentences if sentence.score >= best.score - NEAR_BEST]
    if best.is_row:
        return [sentence for sentence in near if sentence.is_row][:ROWS_OF_TABLE]
    return sorted(near, key=lambda sentence: -sentence.score)[:SENTENCES_OF_PASSAGE]


def _usable_sentences(question: str, passage: Passage) -> list[NoteCandidate]:
    """Sentences that have what a question asks for, and the rows of tables that it means."""
    text, prose = passage.text, without_tables(passage.text)
    told = body_sentences(prose) if prose.strip() else []
    sentences = [
        NoteCandidate(_LABEL_BEHIND.sub("", plain_sentence(one)), told[place - 1] if place else "", False)
        for place, one in enumerate(told)
        if not (is_head(one) or asks_something(one) or _is_byline(one))
    ]
    meant = [NoteCandidate(plain_sentence(row), "", True) for row in _meant_rows(question, text)]
    return [
        one
        for one in (*sentences, *meant)
        if MIN_NOTE_CHARS <= len(one.text) <= MAX_NOTE_CHARS and _has_wanted(one.text, question)
    ]


def _of_the_days(question: str, usable: Sequence[list[NoteCandidate]]) -> list[list[NoteCandidate]]:
    """The sentences on the weekdays that a question names, where there are any: else all."""
    days = days_in(question)
    fitting = [[one for one in sentences if days & days_in(one.text)] for sentences in usable]
    return fitting if any(fitting) else list(usable)


def _meant_rows(question: str, text: str) -> list[str]:
    """The rows of a text's tables that have most of a question's words: all where it names none of them."""
    asked, rows = word_stems(question), [row.spoken for row in table_rows(text)]
    shared = [len(asked & word_stems(row)) for row in rows]
    return [row for row, count in zip(rows, shared, strict=True) if count == max(shared)]


def _is_byline(line: str) -> bool:
    """Whether a line tells only who wrote what stands below it, and when."""
    said = line.rstrip("*_ ")
    is_told = said.endswith((".", "!", "…", "。", "।")) or ":" in said or said.startswith(("-", "*", "•"))
    return not is_told and bool(years_in(said)) and len(said.split()) <= MAX_BYLINE_WORDS


def _has_wanted(sentence: str, question: str) -> bool:
    """Whether a sentence has what a question is answered by: a price, a figure, a time or a date."""
    return is_of_kind(sentence, expected_kind(question), question)


def asks_for_kind(question: str) -> bool:
    """Whether a question tells what it is answered by: a price, a figure, a time or a date."""
    return expected_kind(question) not in UNSIGNED

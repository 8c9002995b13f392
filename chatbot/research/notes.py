"""Notes on a sub-question: sentences of passages that hold an answer, each borne out as its number says."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from chatbot.citations.checker import plain_sentence
from chatbot.citations.texts import analyse_statement
from chatbot.conversation.messages import Source
from chatbot.models.base import LanguageModel
from chatbot.models.pipeline.decision.arguments import text_fields
from chatbot.models.pipeline.reading.answer_evidence import FOREIGN_LIKENESS, Reading
from chatbot.models.pipeline.reading.answerability import holds_answer
from chatbot.models.pipeline.reading.evidence import Evidence, EvidenceFinder, asks_something, is_head
from chatbot.models.pipeline.reading.expected import Kind, expected_kind, is_of_kind
from chatbot.models.pipeline.writing.given import Supports
from chatbot.models.pipeline.writing.word_for_word import figures_in
from chatbot.prompts.fewshot import clip_middle, load_prompt
from chatbot.research.state import Note
from rag.search.rare_words import RareWords, word_stems
from utils.errors import ReplyBroken
from utils.fence import fence_text
from utils.languages.detection import language_of, same_language

PASSAGES_READ, PASSAGES_OF_PAGE = 5, 2
"""Passages that are read for one sub-question, the nearest first, and of one page."""
SENTENCES_OF_PASSAGE = 3
NEAR_BEST = 0.12
"""How much less like the question than a passage's best sentence a second one may be."""
MIN_NOTE_CHARS, MAX_NOTE_CHARS = 20, 400
"""Letters of a sentence that can be a note: a longer one is a paragraph without full stops."""
COVERED = 0.3
"""What the share of a question's words weighs beside the cosine of a sentence, as for passages."""
REWORDED_GROWTH = 1.6
"""How much longer than a passage's sentence its rewording may be, for a name in the place of a word."""


@dataclass(frozen=True)
class NoteTaker:
    """Takes notes of what was found; what the model writes stands in none unless the passage bears it out."""

    model: Callable[[], LanguageModel]
    finder: EvidenceFinder
    supports: Supports

    async def take_notes(self, place: int, question: str, sources: Sequence[Source]) -> list[Note]:
        """The notes on a sub-question of that place in the plan; none where no passage holds an answer."""
        ranked = await self.finder.rank_evidence(question, sources) if sources else []
        notes: list[Note] = []
        for evidence in _nearest_passages(ranked):
            if await holds_answer(self.model(), await self._read(evidence), question):
                for quote, before in await self._telling_sentences(question, evidence):
                    if not _is_noted(quote, evidence.source, notes):
                        notes += await self._make_note(place, question, evidence.source, quote, before)
        return notes

    async def _read(self, evidence: Evidence) -> Reading:
        """A passage by itself, as a model reads it."""
        known = await self.finder.knows_language(evidence.asked)
        alike = evidence.similarity if known else FOREIGN_LIKENESS
        quote = evidence.sentences[evidence.best]
        return Reading(evidence.text, (evidence.source,), True, alike, evidence.coverage, quote)

    async def _telling_sentences(self, question: str, evidence: Evidence) -> list[tuple[str, str]]:
        """The sentences of a passage that tell most of a question, in their order, each with the one before it."""
        sentences, titled = evidence.sentences, evidence.source.passage.headed_title
        usable = _fitting_places(question, sentences)
        if not usable:
            return []
        # With its title, which names what all of them are about: else the one that repeats the name would be nearest.
        told = [f"{titled}: {sentences[place]}" for place in usable]
        vectors = await self.finder.embed_texts([question, *told])
        rare = RareWords(question, told)
        scores = vectors[1:] @ vectors[0] + COVERED * np.array([rare.share_of(one) for one in told])
        near = [rank for rank in np.argsort(-scores) if scores[rank] >= scores.max() - NEAR_BEST]
        chosen = sorted(usable[rank] for rank in near[:SENTENCES_OF_PASSAGE])
        return [(plain_sentence(sentences[place]), sentences[place - 1] if place else "") for place in chosen]

    async def _make_note(self, place: int, question: str, source: Source, quote: str, before: str) -> list[Note]:
        """A note of a sentence, in other words where it says nothing by itself; none where it is not borne out."""
        if not await self.supports(quote, [source], question):
            return []
        sentence = quote
        if not _stands_alone(quote, f"{question} {source.passage.headed_title}"):
            written = await self._write_anew(source, quote, before)
            if _says_same(written, quote) and await self.supports(written, [source], question):
                sentence = written
        return [Note(place, source.number, quote, sentence)]

    async def _write_anew(self, source: Source, quote: str, before: str) -> str:
        """A sentence with names in the place of words such as it; empty where the model writes none."""
        above = f"{clip_middle(source.passage.headed_title, MAX_NOTE_CHARS // 2)}: {before}".rstrip(": ")
        prompt = load_prompt("research_sentence").make_prompt(
            before=fence_text(clip_middle(above, MAX_NOTE_CHARS)), sentence=fence_text(quote)
        )
        try:
            filled = await self.model().fill_schema(
                prompt, text_fields(sentence=int(REWORDED_GROWTH * len(quote)) + 40)
            )
        except ReplyBroken:
            return ""
        return plain_sentence(str(filled.values.get("sentence", "")))


def _nearest_passages(ranked: Sequence[Evidence]) -> list[Evidence]:
    """The passages that are read: the nearest, few of one page, and none of an older edition of another."""
    pages: dict[str, int] = {}
    chosen = []
    for evidence in ranked:
        page = evidence.source.passage.source
        if evidence.older or pages.get(page, 0) >= PASSAGES_OF_PAGE:
            continue
        pages[page] = pages.get(page, 0) + 1
        chosen.append(evidence)
    return chosen[:PASSAGES_READ]


def _can_be_noted(sentence: str) -> bool:
    said = plain_sentence(sentence)
    sized = MIN_NOTE_CHARS <= len(said) <= MAX_NOTE_CHARS
    return sized and not is_head(sentence) and not asks_something(sentence)


def _fitting_places(question: str, sentences: Sequence[str]) -> list[int]:
    """Where in a passage sentences stand that can be notes, and have what the question asks for: a time, a figure."""
    kind = expected_kind(question)
    return [
        place
        for place, sentence in enumerate(sentences)
        if _can_be_noted(sentence) and (kind is Kind.ANYTHING or is_of_kind(sentence, kind, question))
    ]


def _is_noted(quote: str, source: Source, notes: Sequence[Note]) -> bool:
    """Whether a note says the same already: with the same figures, for others contradict it."""
    words, figures = word_stems(quote), figures_in(quote)
    return any(
        figures_in(note.quote) == figures and len(words & word_stems(note.quote)) >= 0.9 * len(words) for note in notes
    )


def _stands_alone(sentence: str, about: str) -> bool:
    """Whether a sentence names what it is about: one of the names of question and title, if they have any."""
    names = {token.word for token in analyse_statement(about).tokens if token.name}
    statement = analyse_statement(sentence)
    return not names or any(statement.has_word(name) for name in names)


def _says_same(written: str, quote: str) -> bool:
    """Whether a rewording has the figures of its sentence, its length and its language."""
    if not written or asks_something(written) or len(written) > REWORDED_GROWTH * len(quote) + 40:
        return False
    return figures_in(written) == figures_in(quote) and same_language(written, language_of(quote) or "en")

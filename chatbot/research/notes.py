"""Notes on a sub-question: sentences of passages that hold an answer, each borne out as its number says."""

import re
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
from rag.search.rare_words import RareWords, telling_words, word_stems
from utils.errors import ReplyBroken
from utils.fence import fence_text
from utils.languages.detection import language_of, same_language
from utils.text import one_line

PASSAGES_READ, PASSAGES_OF_PAGE = 4, 2
"""Passages that are read for one sub-question, the nearest first, and of one page: reading one takes a small model some
seconds."""
PAGES_ENOUGH = 2
"""Pages with which a sub-question is answered, so that no further passage is read: what they say can be compared."""
SENTENCES_OF_PASSAGE = 3
NEAR_BEST = 0.12
"""How much less like the question than a passage's best sentence a second one may be."""
_ASKS_WHEN = re.compile(r"\bwhen\b|\bwhat (?:day|date|hours)\b|\bopening hours\b", re.IGNORECASE)
"""What is answered by a time, a weekday or a date; in English, as the kinds of questions are known."""
MIN_NOTE_CHARS, MAX_NOTE_CHARS = 15, 320
"""Letters of a sentence that can be a note: a longer one is a paragraph without full stops."""
COVERED = 0.3
"""What the share of a question's words weighs beside the cosine of a sentence, as for passages."""
SITE_NAME_SIGNS, MAX_SITE_NAME = "|·–—-", 60
"""What pages have between their titles and the name of the site, and letters of that at most."""
_POINTS_BACK = re.compile(
    r"(?:he|she|it|they|his|her|its|their|this|that|these|those|er|sie|es|sein\w{0,2}|ihr\w{0,2}|dies\w{0,2}|ils?|elles?|"
    r"son|sa|ses|cette|ces?|ellos|ellas?|él|sus?|est[aeo]s?)\b",
    re.IGNORECASE,
)
"""How sentences begin that speak of what stands before them, in the languages that most pages are in."""
REWORDED_GROWTH = 1.6
"""How much longer than a passage's sentence its rewording may be, for a name in the place of a word."""


@dataclass(frozen=True)
class NoteTaker:
    """Takes notes of what was found; what the model writes stands in none unless the passage bears it out."""

    model: Callable[[], LanguageModel]
    finder: EvidenceFinder
    supports: Supports

    async def take_notes(
        self, place: int, question: str, sources: Sequence[Source], known: Sequence[Note] = ()
    ) -> list[Note]:
        """The notes on a sub-question of that place in the plan; none where no passage holds an answer.

        What is `known` from other sub-questions is noted again, but is not enough.
        """
        # What a search engine shows of a page breaks off anywhere: it counts where nothing was opened.
        whole = [source for source in sources if source.passage.origin != "snippet"] or sources
        ranked = await self.finder.rank_evidence(question, whole) if whole else []
        notes: list[Note] = []
        pages: set[str] = set()
        for evidence in _nearest_passages(ranked):
            if len(pages) >= PAGES_ENOUGH:
                break
            if await holds_answer(self.model(), await self._read(evidence), question):
                new = await self._note_passage(place, question, evidence, notes)
                notes += new
                pages |= {evidence.source.passage.source for note in new if not _is_noted(note.quote, known)}
        return notes

    async def _note_passage(self, place: int, question: str, evidence: Evidence, noted: Sequence[Note]) -> list[Note]:
        """The notes on one passage that say nothing that is noted already, in the order of its sentences."""
        notes: dict[int, Note] = {}
        for rank, at in enumerate(await self._telling_sentences(question, evidence)):
            quote, before = plain_sentence(evidence.sentences[at]), evidence.sentences[at - 1] if at else ""
            if _is_noted(quote, [*noted, *notes.values()]):
                continue
            # That the passage holds an answer was said of its best sentence.
            if rank and not await holds_answer(self.model(), await self._read(evidence, quote), question):
                continue
            if note := await self._make_note(place, question, evidence.source, quote, before):
                notes[at] = note
        return [notes[at] for at in sorted(notes)]

    async def _read(self, evidence: Evidence, sentence: str = "") -> Reading:
        """A passage by itself, or one sentence of it, as a model reads it."""
        known = await self.finder.knows_language(evidence.asked)
        alike = evidence.similarity if known else FOREIGN_LIKENESS
        text = f"{evidence.source.passage.headed_title}: {sentence}" if sentence else evidence.text
        quote = sentence or evidence.sentences[evidence.best]
        return Reading(text, (evidence.source,), True, alike, evidence.coverage, quote)

    async def _telling_sentences(self, question: str, evidence: Evidence) -> list[int]:
        """Where in a passage the sentences stand that tell most of a question, the best one first."""
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
        return [usable[rank] for rank in near[:SENTENCES_OF_PASSAGE]]

    async def _make_note(self, place: int, question: str, source: Source, quote: str, before: str) -> Note | None:
        """A note of a sentence, in other words where it says nothing by itself; none where it is not borne out."""
        if not await self.supports(quote, [source], question):
            return None
        return Note(place, source.number, quote, await self._understandable(question, source, quote, before))

    async def _understandable(self, question: str, source: Source, quote: str, before: str) -> str:
        """A sentence that names what it is about: as it is, in other words, or with its page's title behind it.

        Each only where the passage bears it out.
        """
        title = source.passage.headed_title
        if _stands_alone(quote, f"{question} {title}"):
            return quote
        written = await self._write_anew(source, quote, before)
        alike = _says_same(written, quote, f"{title} {before}") and _stands_alone(written, f"{question} {title}")
        if alike and await self.supports(written, [source], question):
            return written
        titled = f"{quote} ({page_name(source.passage.title)})"
        return titled if source.passage.title and await self.supports(titled, [source], question) else quote

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


def page_name(title: str) -> str:
    """A page's title without the name of its site."""
    name = one_line(title)
    sign = max(name.rfind(f" {sign} ") for sign in SITE_NAME_SIGNS)
    return name[:sign] if sign > 0 and len(name) - sign <= MAX_SITE_NAME else name


def _can_be_noted(sentence: str) -> bool:
    said = plain_sentence(sentence)
    sized = MIN_NOTE_CHARS <= len(said) <= MAX_NOTE_CHARS
    return sized and not is_head(sentence) and not asks_something(sentence)


def _fitting_places(question: str, sentences: Sequence[str]) -> list[int]:
    """Where in a passage sentences stand that can be notes, and have what the question asks for: a time, a figure."""
    kind = expected_kind(question)
    if kind is Kind.ANYTHING and _ASKS_WHEN.search(question):
        kind = Kind.FIGURE
    return [
        place
        for place, sentence in enumerate(sentences)
        if _can_be_noted(sentence) and (kind is Kind.ANYTHING or is_of_kind(sentence, kind, question))
    ]


def _is_noted(quote: str, notes: Sequence[Note]) -> bool:
    """Whether a note says the same already: with the same figures, for others contradict it."""
    words, figures = word_stems(quote), figures_in(quote)
    return any(
        figures_in(note.quote) == figures and len(words & word_stems(note.quote)) >= 0.9 * len(words) for note in notes
    )


def _stands_alone(sentence: str, about: str) -> bool:
    """Whether a sentence names what it is about: one of the names of question and title, if they have any."""
    if _POINTS_BACK.match(sentence):
        return False
    names = {token.word for token in analyse_statement(about).tokens if token.name}
    statement = analyse_statement(sentence)
    return not names or any(statement.has_word(name) for name in names)


def _says_same(written: str, quote: str, above: str) -> bool:
    """Whether a rewording has the figures of its sentence, its length and its language, and no word that neither it nor
    what stands above it has: the check of citations lets a few pass.
    """
    if not written or asks_something(written) or len(written) > REWORDED_GROWTH * len(quote) + 40:
        return False
    if not telling_words(written) <= word_stems(f"{quote} {above}"):
        return False
    return figures_in(written) == figures_in(quote) and same_language(written, language_of(quote) or "en")

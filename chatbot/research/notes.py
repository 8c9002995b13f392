"""Notes on a sub-question: sentences of passages that hold an answer, each borne out as its number says."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from chatbot.citations.checker import plain_sentence
from chatbot.citations.texts import analyse_statement
from chatbot.conversation.messages import Source
from chatbot.models.base import LanguageModel
from chatbot.models.pipeline.decision.arguments import text_fields
from chatbot.models.pipeline.reading.answer_evidence import FOREIGN_LIKENESS, Reading
from chatbot.models.pipeline.reading.answerability import holds_answer
from chatbot.models.pipeline.reading.clauses import figures_in
from chatbot.models.pipeline.reading.editions import years_in
from chatbot.models.pipeline.reading.evidence import PASSAGES_COMPARED, Evidence, EvidenceFinder
from chatbot.models.pipeline.reading.sentences import asks_something
from chatbot.models.pipeline.writing.given import Supports
from chatbot.prompts.fewshot import clip_middle, load_prompt
from chatbot.research.candidates import MAX_NOTE_CHARS, NotablePassage, NoteCandidate, asks_for_kind, find_notable
from chatbot.research.state import Note
from chatbot.research.things import listed_things, named_things, names_in
from rag.search.rare_words import telling_words, word_stems
from utils.errors import ReplyBroken
from utils.fence import fence_text
from utils.languages.detection import language_of, same_language
from utils.text import one_line

PASSAGES_READ, PASSAGES_OF_PAGE = 4, 2
"""Passages that are read for one sub-question, the nearest first, and of one page: reading one takes a small model some
seconds."""
FURTHER_READ = 2
"""Passages that are read once a sub-question is answered, until another page tells something new."""
SITE_NAME_SIGNS, MAX_SITE_NAME = "|·–—-", 60
"""What pages have between their titles and the name of the site, and letters of that at most."""
_POINTS_BACK = re.compile(
    r"(?:he|she|it|they|his|her|its|their|this|that|these|those|er|sie|es|sein\w{0,2}|ihr\w{0,2}|dies\w{0,2}|ils?|elles?|"
    r"son|sa|ses|cette|ces?|ellos|ellas?|él|sus?|est[aeo]s?)\b",
    re.IGNORECASE,
)
"""How sentences begin that speak of what stands before them, in the languages that most pages are in."""
_SOMEBODYS = re.compile(r"\b(?:his|her|their|seine?|ihre?|son|sa|ses|sus?)\b", re.IGNORECASE)
"""Words within a sentence for whose something is: with the page's title it can be told."""
_DESIGNATION = re.compile(r"\b[^\W\d_]+\d")
"""How models and versions are named: "Q9", "B12"."""
REWORDED_GROWTH = 1.6
"""How much longer than a passage's sentence its rewording may be, for a name in the place of a word."""


@dataclass(frozen=True)
class NoteTaker:
    """Takes notes of what was found; what the model writes stands in none unless the passage bears it out."""

    model: Callable[[], LanguageModel]
    finder: EvidenceFinder
    supports: Supports

    async def take_notes(
        self, place: int, question: str, sources: Sequence[Source], known: Sequence[Note] = (), whole: str = ""
    ) -> list[Note]:
        """The notes on a sub-question of that place in the plan; none where no passage holds an answer.

        What is `known` from other sub-questions is noted again, but is not enough. `whole` is the user's question:
        pages on another thing of its list are left out, other editions are not where it names a year.
        """
        # What a search engine shows of a page breaks off anywhere: it counts where nothing was opened.
        opened = [source for source in sources if source.passage.origin != "snippet"] or sources
        ranked = await self.finder.rank_evidence(question, opened) if opened else []
        notes: list[Note] = []
        pages: set[str] = set()
        things = listed_things(whole)
        asked = max(1, len(named_things(question, things)))
        meant = [evidence for evidence in ranked if _is_meant(evidence, question, whole, things)]
        meant = _naming_subject(meant, named_things(question, things) or names_in(question))[:PASSAGES_COMPARED]
        read_further = 0
        for passage in _few_of_page(await find_notable(self.finder, question, meant), PASSAGES_READ + asked - 1):
            page = passage.evidence.source.passage.source
            if len(pages) > asked or read_further >= FURTHER_READ:
                break
            # One answers it; another can tell the rest, bear it out, or contradict it.
            read_further += len(pages) >= asked
            if await holds_answer(self.model(), await self._read(passage.evidence), question):
                new = await self._note_passage(place, question, passage, notes)
                notes += new
                pages |= {page for note in new if not _is_noted(note.quote, known)}
        return notes

    async def _note_passage(
        self, place: int, question: str, passage: NotablePassage, noted: Sequence[Note]
    ) -> list[Note]:
        """The notes on one passage that say nothing that is noted already, the nearest first."""
        notes: list[Note] = []
        evidence = passage.evidence
        for rank, one in enumerate(passage.candidates):
            if _is_noted(one.text, [*noted, *notes]):
                continue
            if not await self._is_answer(rank, one, evidence, question):
                if one.is_row:
                    break
                continue
            if note := await self._make_note(place, question, evidence.source, one):
                notes.append(note)
        return notes

    async def _is_answer(self, rank: int, one: NoteCandidate, evidence: Evidence, question: str) -> bool:
        """Whether a sentence of a passage that holds an answer is one; rows of a table answer together."""
        if one.is_row and (rank or asks_for_kind(question)):
            return True
        # That the passage holds an answer was said of its best sentence; each row of a table names what is asked about.
        if not rank and not one.is_row and one.text in plain_sentence(evidence.sentences[evidence.best]):
            return True
        return await holds_answer(self.model(), self._read_alone(evidence, one), question)

    def _read_alone(self, evidence: Evidence, one: NoteCandidate) -> Reading:
        """A sentence by itself, below its page's title, as a model reads it."""
        text = f"{evidence.source.passage.headed_title}: {one.text}"
        return Reading(text, (evidence.source,), True, one.similarity, one.coverage, one.text)

    async def _read(self, evidence: Evidence) -> Reading:
        """A passage by itself, as a model reads it."""
        known = await self.finder.knows_language(evidence.asked)
        alike = evidence.similarity if known else FOREIGN_LIKENESS
        quote = evidence.sentences[evidence.best]
        return Reading(evidence.text, (evidence.source,), True, alike, evidence.coverage, quote)

    async def _make_note(self, place: int, question: str, source: Source, one: NoteCandidate) -> Note | None:
        """A note of a sentence, in other words where it says nothing by itself; none where it is not borne out."""
        if not await self.supports(one.text, [source], question):
            return None
        return Note(place, source.number, one.text, await self._understandable(question, source, one))

    async def _understandable(self, question: str, source: Source, one: NoteCandidate) -> str:
        """A sentence that names what it is about: as it is, in other words, or with its page's title behind it.

        Each only where the passage bears it out.
        """
        title, quote = source.passage.headed_title, one.text
        names_itself = not one.is_row and _stands_alone(quote, f"{question} {title}")
        if names_itself and not _SOMEBODYS.search(quote):
            return quote
        written = "" if one.is_row or names_itself else await self._write_anew(source, quote, one.before)
        alike = _says_same(written, quote, f"{title} {one.before}") and _stands_alone(written, f"{question} {title}")
        if alike and await self.supports(written, [source], question):
            return written
        name = page_name(source.passage.title)
        if quote.startswith(name):
            return quote
        titled = f"{name}: {quote}" if one.is_row else f"{quote} ({name})"
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


def _is_meant(evidence: Evidence, question: str, whole: str, things: Sequence[str]) -> bool:
    """Whether a passage is of an edition that is asked for, and its page not about another thing of the list."""
    title = evidence.source.passage.title
    # "Since 2025" asks of both: each note has its page's title, and thereby its year.
    if evidence.older and not years_in(whole):
        return False
    asked, about = named_things(question, things), named_things(title, things)
    return not asked or not about or not set(asked).isdisjoint(about)


def _naming_subject(found: Sequence[Evidence], subjects: Sequence[str]) -> list[Evidence]:
    """The passages that name what is asked about, if any does: a price of something else answers nothing.

    What has letters and figures for a name ("Q9") is nowhere where none has it: what is told of the Q3 is not it.
    """
    words = [word_stems(subject) for subject in subjects]
    designated = any(_DESIGNATION.search(subject) for subject in subjects)
    naming = list[Evidence]()
    for evidence in found:
        passage = evidence.source.passage
        known = word_stems(f"{passage.title} {passage.headed_title} {passage.text}")
        if any(subject <= known for subject in words):
            naming.append(evidence)
    return naming if naming or designated else list(found)


def _few_of_page(notable: Sequence[NotablePassage], most: int) -> list[NotablePassage]:
    """The passages that are read: the first ones, few of one page."""
    pages: dict[str, int] = {}
    chosen = []
    for passage in notable:
        page = passage.evidence.source.passage.source
        pages[page] = pages.get(page, 0) + 1
        if pages[page] <= PASSAGES_OF_PAGE:
            chosen.append(passage)
    return chosen[:most]


def page_name(title: str) -> str:
    """A page's title without the name of its site."""
    name = one_line(title)
    sign = max(name.rfind(f" {sign} ") for sign in SITE_NAME_SIGNS)
    is_site = sign > 0 and len(name) - sign <= MAX_SITE_NAME and not any(one.isdigit() for one in name[sign:])
    return name[:sign] if is_site else name


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

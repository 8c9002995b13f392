"""What an answer is written from: the passages of a turn that are nearest to its question, as one reading."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from chatbot.conversation.messages import Source
from chatbot.conversation.turns import Turn
from chatbot.models.pipeline.decision.names import names_in
from chatbot.models.pipeline.decision.places import OPENING_TOOL
from chatbot.models.pipeline.decision.router import CAPITALISED, TOOL_WORDS
from chatbot.models.pipeline.reading.condensing import condense_text
from chatbot.models.pipeline.reading.evidence import PASSAGES_COMPARED, Evidence, EvidenceFinder
from chatbot.models.pipeline.reading.headings import headed_sentence
from chatbot.models.pipeline.reading.namesakes import has_all_names, is_on_subject, named_alike
from chatbot.models.pipeline.reading.sentences import body_sentences
from chatbot.models.pipeline.reading.tables.cells import WeighedRow
from chatbot.models.pipeline.reading.tables.columns import answer_from_columns
from chatbot.models.pipeline.reading.tables.named_rows import named_rows
from chatbot.prompts.fewshot import clip_middle
from rag.chunking.tables import TableRow, table_rows
from rag.embedding.base import Vectors
from rag.search.rare_words import telling_words, word_stems
from utils.fence import fence_text
from utils.languages.detection import language_of

MIN_ANSWER_COSINE = 0.5
"""Cosine of question and best sentence below which a passage is taken not to hold the answer."""
FOREIGN_LIKENESS = 0.45
"""Likeness of a question in a language that the embedding model was not made for: its cosines are all high."""
GAIN = {"comparison": 0.02, "several": 0.03, "list": 0.03, "explain": 0.05}
"""How much nearer to the question two passages must be together than the better one is, by the form of the answer."""
PLAIN_GAIN = 0.07
"""For a fact: 96 of 100 questions that one passage answers stay below, while those that compare two things reach it."""
PASSAGES_BY_FORM = {"comparison": 4, "several": 4, "list": 4, "explain": 4}
APART = ("several", "comparison")
"""Forms of answers that say several things."""
PLAIN_PASSAGES = 3
"""Passages that one answer is written from at most."""
UNASKED_SHARE = 0.5
"""The share of a sentence that the model was not asked to choose."""
MARGIN = 0.2
"""How much liker a document's title than its best sentence a request for the document as a whole is: 1 of 180
questions that have an answer in it, 4 of 130 that have none."""
ALTERNATIVES = 3
"""Passages that a language model is asked about one after the other, at most, where vectors cannot tell them apart."""
TABLES_READ = 3
"""Passages, the nearest first, whose tables are looked through for the row with the most or the least."""
OF_A_COLUMN = ("fact", "list", "several", "comparison")
"""Forms of answers that the row with the most may be: of whether something is the longest it says too little."""
HEAD = 3
"""Passages of a page that are read when none of its sentences is like the request."""
TOOL_TEXT_CHARS = 1500
"""Characters of the text of a tool that hands out no passages."""
_LONG_WORD = re.compile(r"[^\W\d_]{5,}")
_OR = re.compile(r"\b(?:or|ou|oder|eller|lub|albo|или|або)\b")


@dataclass(frozen=True)
class Reading:
    """A text that stands before the question, and the passages in it."""

    text: str
    sources: tuple[Source, ...] = ()
    outside: bool = True
    """Whether anyone but the user wrote it."""
    alike: float = 0.0
    """Cosine of question and best sentences together; `FOREIGN_LIKENESS` for a question that no vector knows."""
    coverage: float = 0.0
    """Of the question's words, by how rare they are among the passages, the share that the best passage has."""
    quote: str = ""
    """The best sentence."""
    share: float = UNASKED_SHARE
    """The model's share for its best sentence, among the nearest ones and none of them; .5 where it did not choose."""
    certain: bool = False
    """Whether it is what was asked about, so that nobody need ask whether it holds the answer."""
    decisive: str = ""
    """Of the row with the most or the least the cell that it has more or less in: "price: £149"."""
    rows: tuple[WeighedRow, ...] = ()
    """The rows of the tables of its passages, with how likely each of their cells answers."""
    given: tuple[Source, ...] = ()
    """Parts of attached texts, each with its text's number: those that bear out what is said are cited."""

    @property
    def prompt_text(self) -> str:
        """The text as a prompt has it."""
        return fence_text(self.text) if self.outside else self.text

    @property
    def headed_quote(self) -> str:
        """Its best sentence below its heading: "Not accepted: batteries and oil"."""
        having = (source for source in self.sources if self.quote in body_sentences(source.passage.text))
        return next((headed_sentence(source, self.quote) for source in having), self.quote)

    @property
    def passage_numbers(self) -> tuple[int, ...]:
        """The numbers of its passages; those of texts without one are left out."""
        return tuple(dict.fromkeys(source.number for source in self.numbered_sources))

    @cached_property
    def quoted_row(self) -> TableRow | None:
        """The row of a table that its best sentence is."""
        rows = (row for source in self.sources for row in table_rows(source.passage.text))
        return next((row for row in rows if row.spoken == self.quote), None)

    def narrowed_to(self, row: TableRow) -> "Reading":
        """The reading with nothing but that row, below the title of its passage, to be told from."""
        quoted = self.quoted_row
        titles = (one.passage.headed_title for one in self.sources if quoted in table_rows(one.passage.text))
        return replace(self, text=": ".join(filter(None, [next(titles, ""), row.spoken])))

    def quotes_row_named_in(self, question: str) -> bool:
        """Whether its best sentence is the row of a table of which a question names row and column."""
        row = self.quoted_row
        return row is not None and bool(named_rows(question, [row]))

    def says_of_thing(self, question: str) -> bool:
        """Whether its best sentence has a word of a question that the titles have not: the dog, and not the hut.

        Of a word that only begins like one of a title the whole tells: to climb, and not the climbing hall.
        """
        titles, asked = " ".join(source.passage.headed_title for source in self.sources), telling_words(question)
        if (asked - word_stems(titles)) & word_stems(self.quote):
            return True
        shared = _long_words(question) & _long_words(self.quote) - _long_words(titles)
        return any(word_stems(word) <= asked for word in shared)

    def is_off_subject(self, question: str, english: str = "") -> bool:
        """Whether a question has a name of several words, or several names, and none of its passages has any of these.

        In German all things are written like names: there, those count that `english`, the question in it, has too.
        """
        told = english if language_of(question) in CAPITALISED else question
        names = names_in(told).split()
        if len(names) < 2 or not self.sources or _OR.search(question):
            return False
        known = any("".join(name[0] for name in names) in one.passage.text for one in self.sources)
        return not known and not any(is_on_subject(question, one.passage, english) for one in self.sources)

    @property
    def numbered_sources(self) -> list[Source]:
        """Its passages that have a number: those that the user attached have none."""
        return [source for source in self.sources if source.number]

    @property
    def attached_names(self) -> set[str]:
        """The names of those that have none."""
        return {source.passage.title for source in self.sources if not source.number}

    @cached_property
    def lines(self) -> list[str]:
        """The sentences of its passages that have a number."""
        return [line for text in self.numbered_texts for line in body_sentences(text)]

    @property
    def numbered_texts(self) -> list[str]:
        """The texts of its passages that have a number."""
        return [source.passage.text for source in self.numbered_sources]


def _long_words(text: str) -> set[str]:
    return set(_LONG_WORD.findall(text.casefold()))


async def find_reading(
    finder: EvidenceFinder, turn: Turn, question: str, form: str, english: str = ""
) -> Reading | None:
    """What the turn's calls brought that is nearest to its question; None where they brought nothing."""
    return await read_sources(finder, turn.first_sources(PASSAGES_COMPARED), question, form, english) or tool_text(turn)


async def read_sources(
    finder: EvidenceFinder, sources: Sequence[Source], question: str, form: str, english: str = ""
) -> Reading | None:
    """What some passages have that is nearest to a question; None without any."""
    ranked = await finder.rank_evidence(question, sources, english)
    if not ranked:
        return None
    if form in OF_A_COLUMN and (
        extreme := _extreme_row(question, english, [evidence.source for evidence in ranked[:TABLES_READ]])
    ):
        return extreme
    return await reading_of(finder, ranked, form)


async def reading_of(finder: EvidenceFinder, ranked: Sequence[Evidence], form: str) -> Reading:
    """The first of some passages, with those of the others that add to it."""
    asked = (await finder.embed_texts([ranked[0].asked]))[0]
    reading = join_evidence(choose_passages(asked, ranked, form), asked)
    return reading if await finder.knows_language(ranked[0].asked) else replace(reading, alike=FOREIGN_LIKENESS)


def _extreme_row(question: str, english: str, sources: Sequence[Source]) -> Reading | None:
    """The row of a passage's table that has the most or the least of what a question asks; None where it asks no such.

    A small model takes the last row for the longest. What the question names the passage must have: the cheapest ticket
    of another museum is none.
    """
    names = word_stems(names_in(question))
    for source in sources:
        passage = source.passage
        if not has_all_names(passage, names):
            continue
        column = answer_from_columns(question, english, [passage.text], passage.headed_title)
        if column and column.stands_there:
            text = f"{passage.headed_title}: {column.told}"
            return Reading(text, (source,), True, 1.0, 1.0, column.told, certain=True, decisive=column.decisive)
    return None


async def find_alternatives(finder: EvidenceFinder, turn: Turn, question: str, other: str = "") -> list[Reading]:
    """The passages that come nearest, each by itself; `other` is the question in another language."""
    ranked = await finder.rank_evidence(question, turn.first_sources(PASSAGES_COMPARED), other)
    return [await reading_of(finder, [evidence], "fact") for evidence in ranked[:ALTERNATIVES]]


def choose_passages(asked: Vectors, ranked: Sequence[Evidence], form: str = "fact") -> list[Evidence]:
    """The passage with the best sentence, and others that together with it are nearer to the question.

    A fact that stands in a row which the question names is read there alone: beside the season of a pool, the 1.5B
    tells that where Saturday's hours were asked for.
    """
    chosen = list(ranked[:1])
    if chosen and chosen[0].named and form == "fact":
        return chosen
    least, most = GAIN.get(form, PLAIN_GAIN), PASSAGES_BY_FORM.get(form, PLAIN_PASSAGES)
    if form == "comparison" and chosen:
        alike = named_alike(ranked[0].asked, [each.source.passage.title for each in ranked])
        chosen += [ranked[place] for place in alike if place][: most - 1]
    for evidence in ranked[1:]:
        if (evidence.older or (evidence.off and not chosen[0].off)) and form != "comparison":
            # Beside the newer edition it says what is no longer so; beside the right town, what is so in another.
            continue
        gain = joint_similarity(asked, [*chosen, evidence]) - joint_similarity(asked, chosen)
        if evidence.similarity >= MIN_ANSWER_COSINE and gain >= least and len(chosen) < most:
            chosen.append(evidence)
    if form in APART and len(chosen) < most:
        chosen += _of_other_side(chosen, ranked)
    return chosen


def _of_other_side(chosen: Sequence[Evidence], ranked: Sequence[Evidence]) -> list[Evidence]:
    """The nearest passage with most of the names of a question that the chosen ones lack: one side compares nothing."""
    missing = word_stems(names_in(ranked[0].asked)) - _words_of(chosen) if ranked else frozenset()
    shares = [(len(missing & _words_of([each])), each) for each in ranked if each.similarity >= MIN_ANSWER_COSINE]
    most, having = max(shares, key=lambda share: share[0], default=(0, None))
    return [having] if most and having else []


def _words_of(evidence: Sequence[Evidence]) -> frozenset[str]:
    return word_stems("\n".join(f"{one.source.passage.headed_title} {one.source.passage.text}" for one in evidence))


def joint_similarity(asked: Vectors, evidence: Sequence[Evidence]) -> float:
    """Cosine of a question and the sum of the best sentences."""
    total = np.sum([e.vector for e in evidence], axis=0)
    return float(asked @ total / np.linalg.norm(total))


async def find_document(finder: EvidenceFinder, turn: Turn, question: str, form: str) -> Reading | None:
    """A page that was opened, or the document that a request names: the beginning, for a summary what stands for it."""
    opened = [s for m in turn.results if m.tool_name == OPENING_TOOL for s in m.sources]
    if not opened:
        ranked = await finder.rank_evidence(question, turn.first_sources(PASSAGES_COMPARED))
        if not ranked:
            return None
        asked = (await finder.embed_texts([question]))[0]
        alike = (await finder.embed_texts([e.source.passage.title for e in ranked])) @ asked
        likest = int(np.argmax(alike))
        if alike[likest] < MIN_ANSWER_COSINE or (form != "summary" and alike[likest] < ranked[0].similarity + MARGIN):
            return None
        named = ranked[likest].source.passage.source
        opened = [e.source for e in ranked if e.source.passage.source == named]
    head = sorted(opened, key=lambda source: source.passage.chunk_index)
    reading = whole_document(head if form == "summary" else head[:HEAD])
    return replace(reading, text=await condense_text(finder, reading.text)) if form == "summary" else reading


def join_evidence(evidence: Sequence[Evidence], asked: Vectors) -> Reading:
    """Several passages as one reading."""
    text, best = "\n".join(e.text for e in evidence), evidence[0]
    alike, covered = joint_similarity(asked, evidence), max(e.coverage for e in evidence)
    reading = Reading(text, tuple(e.source for e in evidence), True, alike, covered, best.sentences[best.best])
    return replace(reading, rows=tuple(row for e in evidence for row in e.rows))


def whole_document(sources: Sequence[Source]) -> Reading:
    """Passages of one document in their order, whole."""
    text = "\n".join(source.passage.text for source in sources)
    return Reading(f"{sources[0].passage.title}: {text}".removeprefix(": "), tuple(sources), certain=True)


def tool_text(turn: Turn) -> Reading | None:
    """What tools said that hand out no passages: the user's own, an MCP server's."""
    texts = [m.content for m in turn.results if m.tool_name not in TOOL_WORDS and not m.sources and not m.failed]
    return Reading(clip_middle("\n".join(texts), TOOL_TEXT_CHARS), certain=True) if texts else None

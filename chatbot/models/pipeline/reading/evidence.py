"""Which passage answers a question: chosen by its best sentence, and trimmed to what stands around it."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import cast

import numpy as np

from chatbot.conversation.messages import Source
from chatbot.models.counting.token_estimate import estimate_tokens
from chatbot.models.pipeline.decision.names import has_digit
from chatbot.models.pipeline.leave import asks_leave
from chatbot.models.pipeline.reading.calendar.months import month_bonuses, months_in
from chatbot.models.pipeline.reading.calendar.timetables import rows_of_the_days
from chatbot.models.pipeline.reading.calendar.weekdays import day_bonus, days_in
from chatbot.models.pipeline.reading.editions import (
    is_outdated,
)
from chatbot.models.pipeline.reading.expected import (
    UNSIGNED,
    Kind,
    expected_kind,
    is_money,
    is_of_kind,
    says_dates_of,
)
from chatbot.models.pipeline.reading.headings import behind_question, below_heading, parts_below_headings
from chatbot.models.pipeline.reading.namesakes import PassageMarks, marks_of
from chatbot.models.pipeline.reading.repeated_snippets import without_repeated_snippets
from chatbot.models.pipeline.reading.sentences import body_sentences, trim_sentences
from chatbot.models.pipeline.reading.tables.asked_columns import is_labelled, measures_asked
from chatbot.models.pipeline.reading.tables.cell_features import CellQuery
from chatbot.models.pipeline.reading.tables.cells import WeighedRow, weigh_cells
from chatbot.models.pipeline.reading.tables.named_rows import named_rows, unmentioned_rows
from chatbot.models.pipeline.reading.tables.priced_lines import priced_lines
from rag.chunking.tables import TableRow, table_rows
from rag.embedding.base import Embedder, Vectors
from rag.search.rare_words import RareWords
from utils.languages.detection import language_of
from utils.languages.question_words import asking_part, bare_question

PASSAGES_COMPARED = 8
"""Passages of each call whose sentences are compared: they come best first."""
TOKENS = 210.0
"""Length to which a passage is trimmed: some 150 English words, 90 Greek ones or 300 Chinese characters, for what a
model reads takes as long as it has tokens; `answering/questions.jsonl` was measured with passages of that length."""
COVERING, COVERING_FOREIGN = 0.3, 1.0
"""What the share of a question's words weighs beside the cosine of its best sentence; in a language that the embedding
model was not made for it says more than the cosine."""
OLDER = 0.15
"""What is taken off the score of an older edition of another passage's page: they are alike in all but numbers."""
OFF_TITLE = 0.2
"""What is taken off the score of a passage that is headed by none of the names of a question, or by another name in the
place of one, where another passage has all; once more of one that is of another site."""
OUTDATED = 0.25
"""What is taken off the score of a sentence that says how it was, for a question how it is."""
OF_KIND = 0.05
"""What is added to the score of a sentence with a price where one is asked for, a time, or any figure."""
OF_MEASURE = 0.2
"""What is added to the score of a line of a table or a list that names what is asked as these do, and a figure: to that
of "Weight: 9 g" where it is asked how heavy something is."""
DATED = 0.15
"""What is added to the score of a passage that says the days, months and years that the question names: "the fire in
November" on a page of any year less than the news of November 2026."""
PRICED = 1.0
"""What is taken off the score of a row of prices where leave is asked for: it gives none."""
NAMED_ROW = 0.2
"""What is added to the score of a row of a table of which the question names row and column."""
ROWS_WEIGHED = 300
"""Rows of a passage's tables up to which their cells are weighed: of more that takes longer than reading them."""
MAX_VECTORS_KEPT = 4096
"""Sentence vectors that are kept: 6 MB."""


@dataclass(frozen=True)
class Evidence:
    """A passage with its best sentence."""

    source: Source
    sentences: tuple[str, ...]
    best: int
    vectors: Vectors
    """Those of its sentences, a row each."""
    similarities: Vectors
    """Cosine of the question and each sentence."""
    scores: Vectors
    """By which its sentences are ordered."""
    named_rows: tuple[bool, ...]
    """For each sentence, whether it is a row of a table of which the question names row and column."""
    coverage: float = 0.0
    """Of the question's words, weighed by how rare they are among the passages, the share that the passage has."""
    asked: str = ""
    """The wording of the question that it is nearest to."""
    score: float = 0.0
    """By which passages are ordered."""
    older: bool = False
    """Whether another passage is of a newer edition of the same, or this one of something of another number or name."""
    off: bool = False
    """Whether it is of something else than the question, called alike, or of another one's site."""
    rows: tuple[WeighedRow, ...] = ()
    """The rows of its tables, with how likely each of their cells answers."""

    @property
    def similarity(self) -> float:
        """Cosine of the question and the best sentence."""
        return float(self.similarities[self.best])

    @property
    def vector(self) -> Vectors:
        """That of the best sentence."""
        return cast(Vectors, self.vectors[self.best])

    @property
    def named(self) -> bool:
        """Whether the best sentence is a row of a table of which the question names row and column."""
        return self.named_rows[self.best]

    @property
    def best_row(self) -> WeighedRow | None:
        """The row of a table that its best sentence is, weighed."""
        return next((row for row in self.rows if row.row.spoken == self.sentences[self.best]), None)

    @property
    def odds_of_best(self) -> float:
        """The log-odds of the likeliest cell of that row."""
        row = self.best_row
        return max(row.odds) if row else -np.inf

    @property
    def text(self) -> str:
        """Title and passage, trimmed to whole sentences around the best one, without the other days of timetables, and
        beside a row that is named without those that are not: small models mix them."""
        passage, best = self.source.passage, self.sentences[self.best]
        changed = rows_of_the_days(self.asked, passage.text, self.sentences, self.rows)
        if self.named:
            changed = {row.spoken: "" for row in unmentioned_rows(self.asked, table_rows(passage.text))} | changed
        told = [one for one in self.sentences if one is best or changed.get(one, one)]
        trimmed = trim_sentences(told, told.index(best), TOKENS, estimate_tokens)
        body = " ".join(changed.get(sentence) or sentence for sentence in trimmed)
        return f"{passage.headed_title}: {body}" if passage.headed_title else body


Looked = tuple[Source, Sequence[str]]
"""A passage with its sentences."""


class EvidenceFinder:
    """Compares questions with the sentences of passages; keeps the vectors that it made."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: OrderedDict[str, Vectors] = OrderedDict()

    async def rank_evidence(
        self, question: str, sources: Sequence[Source], english: str = "", there: str = ""
    ) -> list[Evidence]:
        """The passages, the one with the best sentence first; raises `EmbedderUnavailable`.

        `english` is the question in English, `there` in the language of the passages: a passage counts by the wording
        that it is nearest to.
        """
        looked = [(source, body_sentences(source.passage.text)) for source in without_repeated_snippets(sources)]
        looked = [(source, sentences) for source, sentences in looked if sentences]
        in_english = question if language_of(question) == "en" else english or question
        fits = fitting_sentences(question, in_english, looked)
        leave, dated = asks_leave(in_english), expected_kind(in_english, question) in (Kind.PRICE, Kind.CLOCK)
        found = await self._compare_sentences(question, looked, fits, leave=leave)
        worded = dict.fromkeys((english, there, _without_told(question)))
        for wording in (one for one in worded if one not in ("", question)):
            other = await self._compare_sentences(wording, looked, fits, leave=leave)
            found = [max(pair, key=lambda evidence: evidence.score) for pair in zip(found, other, strict=True)]
        marks = marks_of(question, in_english, [one.source.passage for one in found], dated=dated)
        found = [_marked(one, mark) for one, mark in zip(found, marks, strict=True)]
        found.sort(key=lambda evidence: -evidence.score)
        queries = {asked: CellQuery(asked, in_english) for asked in {evidence.asked for evidence in found}}
        return _named_first([await self._with_rows(evidence, queries[evidence.asked]) for evidence in found])

    async def _with_rows(self, evidence: Evidence, asked: CellQuery) -> Evidence:
        """A passage with the rows of its tables, and of its lists of prices, weighed."""
        passage = evidence.source.passage
        parts = parts_below_headings(passage)
        listed = [rows for heading, text in parts for rows in priced_lines(body_sentences(text), heading)]
        found: list[Sequence[TableRow]] = [table_rows(passage.text), *listed]
        tables = [each for each in found if 0 < len(each) <= ROWS_WEIGHED]
        if not tables:
            return evidence
        known = await self.knows_language(evidence.asked)
        weighed = [row for each in tables for row in await weigh_cells(self.embed_texts, asked, each, known=known)]
        evidence = replace(evidence, rows=tuple(weighed))
        if not evidence.named:
            return evidence
        named = [replace(evidence, best=place) for place, is_named in enumerate(evidence.named_rows) if is_named]
        return max(named, key=lambda one: one.odds_of_best)

    async def _compare_sentences(
        self, asked: str, looked: Sequence[Looked], kinds: Vectors, *, leave: bool
    ) -> list[Evidence]:
        """Each passage with the sentence that is nearest to one wording of the question, which may ask for `leave`."""
        told = [
            below_heading(source, behind_question(sentences, place))
            for source, sentences in looked
            for place in range(len(sentences))
        ]
        vectors = await self.embed_texts([asked, *told])
        covering = COVERING if await self.knows_language(asked) else COVERING_FOREIGN
        found, start, days, of_year = [], 1, days_in(asked), month_bonuses(asked, told)
        rare = RareWords(asked, [f"{source.passage.headed_title} {source.passage.text}" for source, _ in looked])
        for source, sentences in looked:
            end = start + len(sentences)
            part = vectors[start:end]
            scores = part @ vectors[0]
            fits = np.array([day_bonus(days, days_in(one)) if days else 0.0 for one in told[start - 1 : end - 1]])
            fits += kinds[start - 1 : end - 1]
            fits += of_year[start - 1 : end - 1]
            rows = table_rows(source.passage.text)
            priced = {row.spoken for row in rows if leave and any(is_money(cell) for _, cell in row.cells[1:])}
            named = {row.spoken for row in named_rows(asked, rows)} - priced
            is_named = [sentence in named for sentence in sentences]
            fits += NAMED_ROW * np.array(is_named) - PRICED * np.array([one in priced for one in sentences])
            start = end
            # Every sentence is about what the title names: that a row of a table names it too says nothing for the row.
            title = source.passage.headed_title
            shares = np.array([rare.share_of(f"{title} {sentence}") for sentence in sentences])
            ordered = scores + fits + covering * shares
            best = int(np.argmax(ordered))
            has = rare.share_of(f"{title} {source.passage.text}")
            score = float(scores[best] + fits[best]) + covering * has
            score += DATED * says_dates_of(f"{title} {source.passage.text}", asked)
            known = (part, scores, ordered, tuple(is_named), has, asked, score)
            found.append(Evidence(source, tuple(sentences), best, *known))
        return found

    async def knows_language(self, text: str) -> bool:
        """Whether the embedding model was made for the language of a text; raises `EmbedderUnavailable`."""
        return await self._embedder.reads_language(text)

    async def embed_texts(self, texts: Sequence[str]) -> Vectors:
        """One vector a text; those made before are taken from memory."""
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if new:
            self._vectors.update(zip(new, await self._embedder.embed(new), strict=True))
        rows = np.stack([self._vectors[text] for text in texts])
        for text in texts:
            self._vectors.move_to_end(text)
        while len(self._vectors) > MAX_VECTORS_KEPT:
            self._vectors.popitem(last=False)
        return rows


def _marked(one: Evidence, mark: PassageMarks) -> Evidence:
    """A passage with less of a score where it may be of something else: a row that is named says no more there than any
    other line."""
    less = OFF_TITLE * mark.signs + NAMED_ROW * bool(mark.signs and one.named) + OLDER * mark.older
    return replace(one, score=one.score - less, older=mark.older, off=mark.elsewhere)


def _named_first(found: Sequence[Evidence]) -> list[Evidence]:
    """Some passages; where the first one's best sentence is a named row, first that of its page whose such row has the
    likeliest cell: of two tables that have a stop the one that goes the way which is asked for."""
    page = found[0].source.passage.source if found and found[0].named else None
    rows = [one for one in found if one.named and one.rows and one.source.passage.source == page]
    first = max(rows, key=lambda evidence: evidence.odds_of_best, default=None)
    return [first, *(one for one in found if one is not first)] if first else list(found)


def _without_told(question: str) -> str:
    """What a question asks, without what is told before it, which no passage need say, and where it is to be found;
    empty where the former has a day or a number."""
    asked = asking_part(question)
    told = question.replace(asked, "")
    return "" if days_in(told) or months_in(told) or has_digit(told) else bare_question(asked)


def fitting_sentences(question: str, english: str, looked: Sequence[Looked], today: date | None = None) -> Vectors:
    """`OF_KIND` for each sentence of the passages that has what a question, `english` in English, is answered by, and
    `OF_MEASURE` for one that names it as tables do, less `OUTDATED` for what was so until now; 0 for others."""
    kind, every = expected_kind(english, question), [sentence for _, sentences in looked for sentence in sentences]
    today, dated = today or date.today(), kind in (Kind.PRICE, Kind.CLOCK)
    past = [OUTDATED * is_outdated(sentence, english, today, dated=dated) for sentence in every]
    # A passage has times of many things: that of the last train says nothing of when the line opens.
    told = kind not in (*UNSIGNED, Kind.MOMENT)
    fits = [OF_KIND * is_of_kind(sentence, kind, english) if told else 0.0 for sentence in every]
    names = measures_asked(english)
    measured = [OF_MEASURE * is_labelled(one, names, english) if names else 0.0 for one in every]
    return np.array(fits, np.float32) - np.array(past, np.float32) + np.array(measured, np.float32)

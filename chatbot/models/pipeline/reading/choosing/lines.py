"""The sentences of passages that may answer a question, the likeliest first: by words, vectors and what is asked for.

What each of these weighs was fitted, not set: `python -m benchmarks.fit_lines` over the pages of talks.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from chatbot.models.pipeline.reading.answer_evidence import UNASKED_SHARE
from chatbot.models.pipeline.reading.editions import present_in, years_in
from chatbot.models.pipeline.reading.evidence import Evidence, EvidenceFinder
from chatbot.models.pipeline.reading.expected import Kind, expected_kind, is_of_kind
from chatbot.models.pipeline.reading.headings import HEADING_WITHIN, begins_item, behind_question
from chatbot.models.pipeline.reading.sentences import asks_something, is_head
from chatbot.models.pipeline.reading.tables.cells import WeighedRow
from chatbot.models.pipeline.reading.tables.priced_lines import PricedLine
from chatbot.prompts.fewshot import clip_middle
from rag.search.rare_words import telling_words, word_stems

LINE_CHARS = 400
"""Characters of a line as it is compared and read: a row of a wide table is longer."""
COMPARED = 24
"""Sentences, those with the highest scores first, that are weighed: of 345 questions about pages of the web the one
that answers is among these for all but one."""
FEATURES = ("score", "likeness", "title", "words", "kind")
"""Of a line: its score as evidence, the cosine of the question and the line below its heads, the shares of the
question's words, rare ones counting more, that the title has and that title, headings and sentence have, and whether it
is of the kind that is asked for."""
LINE_WEIGHTS = (2.2, 3.9, 1.6, 5.9, 2.7)
"""By these the line that answers comes first for .76 of 240 questions of talks that the fit had not seen, and among the
first five for .96; by the score alone for .62 and .94."""
FOREIGN_LINE_WEIGHTS = (4.1, 0.0, 1.4, 3.9, 1.8)
"""The same where no vector knows the question's language: of 104 such questions .82 and .95, by the score .75, .94."""
OF_OLDER, OF_OTHER_YEAR = 2.2, 3.0
"""What is taken off the log-odds of a line of an older edition, and of one of another year than the one that a question
names."""
_LABEL_OF_LINE = re.compile(r"[^:\n]{1,80}(?=: )|(?:[^\W\d]{1,20}[,.]? ?[&/–-]? ?){1,4}(?= \d)")


@dataclass(frozen=True)
class PassageQuery:
    """A question as it is put to passages."""

    question: str
    form: str
    """Of its answer, one of the router's `FORMS`."""
    english: str = ""
    """The question in English, and below in the language of the passages; each empty where it is in that."""
    there: str = ""

    def fits(self, sentence: str) -> bool:
        """Whether a sentence has what the question is answered by: "the clock that sells best" is no price. A name of
        a person is not told from others.
        """
        kind = self._kind
        return kind is not Kind.PERSON and is_of_kind(sentence, kind, self.english or self.question)

    def shows(self, line: "AnswerLine") -> bool:
        """Whether a line fits, and not everything would; one of a list of prices is a price without a sign of money."""
        if self._kind is Kind.PRICE and line.row and isinstance(line.row.row, PricedLine):
            return True
        return self._kind is not Kind.ANYTHING and self.fits(line.sentence)

    @cached_property
    def _kind(self) -> Kind:
        return expected_kind(self.english or self.question, self.question) if self.form == "fact" else Kind.ANYTHING


@dataclass(frozen=True)
class AnswerLine:
    """One sentence that may answer."""

    evidence: Evidence
    """Its passage, with it as the best sentence."""
    score: float
    """As evidence."""
    odds: float = 0.0
    """By how much more than another line's its log-odds are to be the one of the two that answers."""
    share: float = UNASKED_SHARE
    """The model's share for it; one half where it was not asked."""

    @property
    def sentence(self) -> str:
        """The sentence alone."""
        return self.evidence.sentences[self.evidence.best]

    @property
    def text(self) -> str:
        """The sentence below the title and the last heading, as it is compared and as the model reads it."""
        sentence = behind_question(self.evidence.sentences, self.evidence.best)
        # The row of a table is told with its heading already.
        heading = [self.heading] if self.heading and not sentence.startswith(self.heading) else []
        heads = dict.fromkeys(filter(None, (self.title, *heading)))
        return clip_middle(": ".join([*heads, sentence]), LINE_CHARS)

    @property
    def title(self) -> str:
        """That of its passage."""
        return self.evidence.source.passage.title

    @property
    def row(self) -> WeighedRow | None:
        """The row of a table that it is, weighed."""
        return self.evidence.best_row

    @property
    def name(self) -> str:
        """What it is a line of: the first cell of a row, what stands before a colon, or a few words before the first
        figure; else empty."""
        if self.row:
            return self.row.row.cells[0][1]
        label = _LABEL_OF_LINE.match(self.sentence)
        return label[0] if label else ""

    @property
    def is_of_list(self) -> bool:
        """Whether it is an item of a list, or leads to one."""
        return begins_item(self.sentence) or self.sentence.rstrip().endswith((":", "："))

    @property
    def heading(self) -> str:
        """The last one above it."""
        return next(iter(self.headings[-1:]), "")

    @cached_property
    def headings(self) -> tuple[str, ...]:
        """Those above it: of two within its passage the nearer one, which the first is not."""
        passage, row = self.evidence.source.passage, self.row
        above = HEADING_WITHIN.findall(passage.text[: max(0, passage.text.find(self.sentence))])
        within = [row.row.heading] if row and row.row.heading else above[-1:]
        return (*passage.heading[: -1 if within else None], *within)


async def likeliest_lines(
    finder: EvidenceFinder, ranked: Sequence[Evidence], asked: PassageQuery, *, known: bool = True
) -> list[AnswerLine]:
    """The sentences of some passages that may answer, the likeliest first, each once; raises `EmbedderUnavailable`.

    `known` is whether the embedding model was made for the question's language.
    """
    lines = nearest_lines(ranked)[:COMPARED]
    if not lines:
        return []
    weights = np.array(LINE_WEIGHTS if known else FOREIGN_LINE_WEIGHTS)
    alike = await likeness_of(finder, lines) if known else np.zeros(len(lines))
    odds = line_features(lines, alike, asked) @ weights
    weighed = [replace(line, odds=float(one)) for line, one in zip(lines, odds, strict=True)]
    weighed = _with_newer_first(weighed, asked)
    return sorted(_with_rows_in_order(weighed), key=lambda line: -line.odds)


def _with_newer_first(lines: Sequence[AnswerLine], asked: PassageQuery) -> list[AnswerLine]:
    """The lines, those of older editions less likely, where one of the others says something of the kind that is asked
    for: the festival's date stands in the minutes of September, and another one in those of November. Less likely still
    for another year, and wherever it is asked who does something now."""
    now = bool(present_in(asked.question))
    if not (now or any(asked.shows(line) for line in lines if not line.evidence.older)):
        return list(lines)
    less = OF_OTHER_YEAR if now or years_in(asked.question) else OF_OLDER
    return [replace(line, odds=line.odds - less) if line.evidence.older else line for line in lines]


def _with_rows_in_order(lines: Sequence[AnswerLine]) -> list[AnswerLine]:
    """The lines with the odds of each table's rows among them given out anew: the most to the row with the likeliest
    cell. "A parcel of 3 kilos" has no word of "2-5 kg"."""
    tables = dict[tuple[int, type, str], list[tuple[float, AnswerLine]]]()
    for line in lines:
        if row := line.row:
            tables.setdefault((id(line.evidence.source), type(row.row), row.row.heading), []).append(
                (max(row.odds), line)
            )
    told = dict[str, float]()
    for rows in tables.values():
        by_cell = [line.sentence for _, line in sorted(rows, key=lambda pair: -pair[0])]
        told |= zip(by_cell, sorted((line.odds for _, line in rows), reverse=True), strict=True)
    return [replace(line, odds=told.get(line.sentence, line.odds)) for line in lines]


async def likeness_of(finder: EvidenceFinder, lines: Sequence[AnswerLine]) -> NDArray[np.float64]:
    """The cosine of each line below its heads and the question; shape (lines,). Raises `EmbedderUnavailable`."""
    vectors = await finder.embed_texts([line.text for line in lines])
    questions = await finder.embed_texts([line.evidence.asked for line in lines])
    return np.asarray(np.sum(vectors * questions, axis=1), np.float64)


def line_features(lines: Sequence[AnswerLine], alike: NDArray[np.float64], asked: PassageQuery) -> NDArray[np.float64]:
    """The `FEATURES` of each line; `alike` is their likeness, the result has the shape (lines, features)."""
    rarity = {question: _rarity(question, lines) for question in {line.evidence.asked for line in lines}}
    rows = []
    for line, likeness in zip(lines, alike, strict=True):
        rare = rarity[line.evidence.asked]
        title = word_stems(line.title)
        # All on a page is about what its title names: that a sentence names it too says nothing for it.
        said = title | word_stems(" ".join((*line.headings, line.sentence)))
        shares = _share(rare, title), _share(rare, said)
        rows.append((line.score, likeness, *shares, asked.shows(line)))
    return np.array(rows, np.float64)


def _rarity(question: str, lines: Sequence[AnswerLine]) -> dict[str, float]:
    """The telling words of a question, weighed by how few of some lines have them: one that nearly all have tells
    nothing."""
    having = [word_stems(line.sentence) for line in lines]
    counts = {word: sum(word in stems for stems in having) for word in telling_words(question)}
    return {word: math.log((len(lines) + 1) / (count + 0.5)) for word, count in counts.items()}


def _share(rarity: Mapping[str, float], having: frozenset[str]) -> float:
    """Of a question's words, by their weight, how many are there."""
    return sum(weight for word, weight in rarity.items() if word in having) / (sum(rarity.values()) or 1.0)


def nearest_lines(ranked: Sequence[Evidence]) -> list[AnswerLine]:
    """The sentences, those with the highest scores as evidence first, each once, and neither headings nor questions."""
    lines = dict[str, AnswerLine]()
    for evidence in ranked:
        around = evidence.score - float(evidence.scores[evidence.best])
        for place, sentence in enumerate(evidence.sentences):
            line = AnswerLine(replace(evidence, best=place), around + float(evidence.scores[place]))
            answers = not (is_head(sentence) or asks_something(sentence))
            if answers and (sentence not in lines or lines[sentence].score < line.score):
                lines[sentence] = line
    return sorted(lines.values(), key=lambda line: -line.score)
